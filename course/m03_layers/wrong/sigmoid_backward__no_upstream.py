exercise = "m03-sigmoid-backward"
mistake = "NO_UPSTREAM"
because = "dout is not in your answer"

import numpy as np


def answer(dout, x):
    s = 0.5 + 0.5 * np.tanh(0.5 * x)
    return s * (1 - s)
