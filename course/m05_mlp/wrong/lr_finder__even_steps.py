exercise = "m05-lr-finder"
mistake = "FORMULA"
because = "the rates grow by the same difference; they are to grow by the same factor"

import numpy as np


def lr_finder(gradients, parameters, batches, low, high):
    trained = [p.copy() for p in parameters]
    n = len(batches)
    rates = np.linspace(low, high, n)
    losses = []
    for (X, Y), rate in zip(batches, rates.tolist()):
        loss, slopes = gradients(trained, X, Y)
        losses.append(loss)
        for p, slope in zip(trained, slopes):
            p -= rate * slope
    return rates, np.array(losses)


answer = lr_finder
