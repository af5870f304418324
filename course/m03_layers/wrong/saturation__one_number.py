exercise = "m03-saturation"
mistake = "WRONG_AXIS"
because = "the mean runs over everything; each unit is to have a share of its own"

import numpy as np


def sigmoid(z):
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, small) / (1 + small)


def answer(z, limit):
    s = sigmoid(z)
    return (s * (1 - s) < limit).mean()
