exercise = "m04-nll"
mistake = "MISSING_MEAN"
because = "the negative logarithms are added up, not averaged"
next = "divide by how much was seen"

import numpy as np


def nll(P, counts):
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[seen] * np.log(P[seen])).sum())


answer = nll
