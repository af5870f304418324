exercise = "m04-nll"
mistake = "DROPPED_LOCAL"
because = "every pair that was seen counts once, however often it was seen"
next = "weigh each logarithm with its count"

import numpy as np


def nll(P, counts):
    with np.errstate(divide="ignore"):
        return float(-np.log(P[counts > 0]).mean())


answer = nll
