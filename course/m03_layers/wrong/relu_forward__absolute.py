exercise = "m03-relu-forward"
mistake = "WRONG_MASK"
because = "negative numbers come out positive; they are to come out as 0"

import numpy as np


def answer(x):
    return np.abs(x)
