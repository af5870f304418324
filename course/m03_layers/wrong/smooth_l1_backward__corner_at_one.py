exercise = "m03-smooth-l1-backward"
mistake = "WRONG_MASK"
because = "the parabola ends at a distance of beta, not of 1"

import numpy as np


def answer(dout, prediction, target, beta):
    error = prediction - target
    d = dout * np.where(np.abs(error) < 1, error / beta, np.sign(error)) / error.size
    return d, -d
