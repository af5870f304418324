exercise = "m04-nll"
mistake = "EXTRA_MEAN"
because = "the mean is taken over the cells of the table, not over what was seen"
next = "a cell that was seen 40 times is 40 of the things to be averaged: what do you divide by?"

import numpy as np


def nll(P, counts):
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[seen] * np.log(P[seen])).sum() / counts.size)


answer = nll
