exercise = "m04-smooth"
mistake = "PRE_POST"
because = "k is added to the probabilities; it belongs to the counts"
next = "add k before any division"

import numpy as np


def smooth(counts, k):
    with np.errstate(invalid="ignore"):
        P = counts / counts.sum(axis=1, keepdims=True) + k
    return P / P.sum(axis=1, keepdims=True)


answer = smooth
