exercise = "m04-onehot-forward"
mistake = "UNSTABLE"
because = "exp of a large weight is inf, and inf / inf is nan"
next = "take the maximum of each row off before exp"

import numpy as np


def onehot_forward(W, xs):
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(W[xs])
        return e / e.sum(axis=1, keepdims=True)


answer = onehot_forward
