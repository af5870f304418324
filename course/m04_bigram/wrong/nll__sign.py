exercise = "m04-nll"
mistake = "SIGN_FLIP"
because = "the minus of the negative log-likelihood is missing"

import numpy as np


def nll(P, counts):
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float((counts[seen] * np.log(P[seen])).sum() / counts.sum())


answer = nll
