exercise = "m03-saturation"
mistake = "WRONG_MASK"
because = "the outputs near 0 are counted and those near 1 are not; the slope is small at both ends"
next = "compare the slope with the limit, not the output"

import numpy as np


def sigmoid(z):
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, small) / (1 + small)


def answer(z, limit):
    return (sigmoid(z) < limit).mean(axis=0)
