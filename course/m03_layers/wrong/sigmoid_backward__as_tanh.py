exercise = "m03-sigmoid-backward"
mistake = "FORMULA"
because = "the slope of tanh is 1 minus the square; that of the sigmoid is another"

import numpy as np


def answer(dout, x):
    s = 0.5 + 0.5 * np.tanh(0.5 * x)
    return dout * (1 - s * s)
