exercise = "m05-lr-finder"
mistake = "PRE_POST"
because = "each loss is worked out after the move; it is to be the loss before"

import numpy as np


def lr_finder(gradients, parameters, batches, low, high):
    trained = [p.copy() for p in parameters]
    n = len(batches)
    rates = low * (high / low) ** (np.arange(n) / (n - 1))
    losses = []
    for (X, Y), rate in zip(batches, rates.tolist()):
        _, slopes = gradients(trained, X, Y)
        for p, slope in zip(trained, slopes):
            p -= rate * slope
        losses.append(gradients(trained, X, Y)[0])
    return rates, np.array(losses)


answer = lr_finder
