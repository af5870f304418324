exercise = "m05-lr-finder"
mistake = "INDEXING"
because = "the last rate is not high: from low to high there is one factor less than there are rates"

import numpy as np


def lr_finder(gradients, parameters, batches, low, high):
    trained = [p.copy() for p in parameters]
    n = len(batches)
    rates = low * (high / low) ** (np.arange(n) / n)
    losses = []
    for (X, Y), rate in zip(batches, rates.tolist()):
        loss, slopes = gradients(trained, X, Y)
        losses.append(loss)
        for p, slope in zip(trained, slopes):
            p -= rate * slope
    return rates, np.array(losses)


answer = lr_finder
