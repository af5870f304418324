exercise = "m04-nll"
mistake = "UNSTABLE"
because = "0 * log(0) is nan, and one nan makes the whole sum nan"
next = "compute with the cells that were seen only"

import numpy as np


def nll(P, counts):
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(-(counts * np.log(P)).sum() / counts.sum())


answer = nll
