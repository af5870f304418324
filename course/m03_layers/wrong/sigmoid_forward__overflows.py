exercise = "m03-sigmoid-forward"
mistake = "UNSTABLE"
because = "right on small numbers; exp of a large one overflows, and inf / inf is nan"

import numpy as np


def answer(x):
    with np.errstate(all="ignore"):
        return np.exp(x) / (1 + np.exp(x))
