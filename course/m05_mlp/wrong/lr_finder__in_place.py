exercise = "m05-lr-finder"
mistake = "MUTATES"
because = "`parameters` was changed by the call: the arrays that were handed in are trained, not copies"

import numpy as np


def lr_finder(gradients, parameters, batches, low, high):
    trained = parameters
    n = len(batches)
    rates = low * (high / low) ** (np.arange(n) / (n - 1))
    losses = []
    for (X, Y), rate in zip(batches, rates.tolist()):
        loss, slopes = gradients(trained, X, Y)
        losses.append(loss)
        for p, slope in zip(trained, slopes):
            p -= rate * slope
    return rates, np.array(losses)


answer = lr_finder
