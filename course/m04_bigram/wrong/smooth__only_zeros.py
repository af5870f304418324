exercise = "m04-smooth"
mistake = "WRONG_MASK"
because = "k is added to the cells that are 0 only"
next = "every pair is taken as seen k times more, those that were seen too"

import numpy as np


def smooth(counts, k):
    more = np.where(counts == 0, k, counts)
    return more / more.sum(axis=1, keepdims=True)


answer = smooth
