exercise = "m05-lr-finder"
mistake = "MISSING_PATH"
because = "the steps do not build on each other: the parameters are those of the start in every step"

import numpy as np


def lr_finder(gradients, parameters, batches, low, high):
    trained = [p.copy() for p in parameters]
    n = len(batches)
    rates = low * (high / low) ** (np.arange(n) / (n - 1))
    losses = []
    for (X, Y), rate in zip(batches, rates.tolist()):
        trained = [p.copy() for p in parameters]
        loss, slopes = gradients(trained, X, Y)
        losses.append(loss)
        for p, slope in zip(trained, slopes):
            p -= rate * slope
    return rates, np.array(losses)


answer = lr_finder
