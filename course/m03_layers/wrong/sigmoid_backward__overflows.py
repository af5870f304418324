exercise = "m03-sigmoid-backward"
mistake = "UNSTABLE"
because = "right on small numbers; far to the left it is inf / inf, which is nan"

import numpy as np


def answer(dout, x):
    with np.errstate(all="ignore"):
        return dout * np.exp(-x) / (1 + np.exp(-x)) ** 2
