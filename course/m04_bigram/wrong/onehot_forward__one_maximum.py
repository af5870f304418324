exercise = "m04-onehot-forward"
mistake = "UNSTABLE"
because = "the maximum of the whole array is taken off: a row far below it becomes 0 / 0"
next = "each row needs a maximum of its own"

import numpy as np


def onehot_forward(W, xs):
    logits = W[xs]
    with np.errstate(invalid="ignore"):
        e = np.exp(logits - logits.max())
        return e / e.sum(axis=1, keepdims=True)


answer = onehot_forward
