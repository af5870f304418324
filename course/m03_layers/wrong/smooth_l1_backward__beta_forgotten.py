exercise = "m03-smooth-l1-backward"
mistake = "WRONG_CONSTANT"
because = "inside, the parabola is divided by beta, and its slope is not"

import numpy as np


def answer(dout, prediction, target, beta):
    error = prediction - target
    d = dout * np.where(np.abs(error) < beta, error, np.sign(error)) / error.size
    return d, -d
