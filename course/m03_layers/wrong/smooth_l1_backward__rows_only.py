exercise = "m03-smooth-l1-backward"
mistake = "MISSING_MEAN"
because = "the mean runs over all elements; this divides by the number of rows only"

import numpy as np


def answer(dout, prediction, target, beta):
    error = prediction - target
    d = dout * np.clip(error / beta, -1, 1) / len(error)
    return d, -d
