exercise = "m03-saturation"
mistake = "MISSING_MEAN"
because = "the examples are counted; a share is the count divided by the number of examples"

import numpy as np


def sigmoid(z):
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, small) / (1 + small)


def answer(z, limit):
    s = sigmoid(z)
    return (s * (1 - s) < limit).sum(axis=0)
