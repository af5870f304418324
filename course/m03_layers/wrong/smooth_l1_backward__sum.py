exercise = "m03-smooth-l1-backward"
mistake = "MISSING_MEAN"
because = "the forward pass takes a mean over all elements, and the 1/count is missing"

import numpy as np


def answer(dout, prediction, target, beta):
    error = prediction - target
    d = dout * np.clip(error / beta, -1, 1)
    return d, -d
