exercise = "m04-nll"
mistake = "FORMULA"
because = "something is added to P before the logarithm: what is impossible no longer costs inf, and all the rest is a little off"
next = "leave P as it is and pick the cells that were seen; smoothing comes later, and openly"

import numpy as np


def nll(P, counts):
    return float(-(counts * np.log(P + 1e-8)).sum() / counts.sum())


answer = nll
