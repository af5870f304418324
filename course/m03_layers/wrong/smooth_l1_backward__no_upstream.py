exercise = "m03-smooth-l1-backward"
mistake = "NO_UPSTREAM"
because = "your answer stays the same when the upstream gradient changes"

import numpy as np


def answer(dout, prediction, target, beta):
    error = prediction - target
    d = np.clip(error / beta, -1, 1) / error.size
    return d, -d
