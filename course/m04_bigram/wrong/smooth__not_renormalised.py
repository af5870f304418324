exercise = "m04-smooth"
mistake = "PRE_POST"
because = "the row sums are taken before k is added, so rows sum to more than 1"
next = "add first, then sum"

import numpy as np


def smooth(counts, k):
    with np.errstate(divide="ignore"):
        return (counts + k) / counts.sum(axis=1, keepdims=True)


answer = smooth
