exercise = "m04-nll"
mistake = "WRONG_CONSTANT"
because = "the logarithm is to base 2; ln is np.log"

import numpy as np


def nll(P, counts):
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[seen] * np.log2(P[seen])).sum() / counts.sum())


answer = nll
