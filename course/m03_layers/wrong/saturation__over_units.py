exercise = "m03-saturation"
mistake = "WRONG_AXIS"
because = "the mean runs over the units of an example; it is to run over the examples of a unit"

import numpy as np


def sigmoid(z):
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, small) / (1 + small)


def answer(z, limit):
    s = sigmoid(z)
    return (s * (1 - s) < limit).mean(axis=1)
