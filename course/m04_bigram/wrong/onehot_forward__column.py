exercise = "m04-onehot-forward"
mistake = "TRANSPOSED"
because = "column x of W is looked up, not row x"

import numpy as np


def onehot_forward(W, xs):
    logits = W.T[xs % W.shape[1]]
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


answer = onehot_forward
