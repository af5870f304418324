exercise = "m04-onehot-backward"
mistake = "MISSING_PATH"
because = "nothing is taken off at the right symbol: the logit itself reaches the loss too, not only the sum in softmax"

import numpy as np


def onehot_backward(dout, W, xs, ys):
    e = np.exp(W[xs] - W[xs].max(axis=1, keepdims=True))
    d = e / e.sum(axis=1, keepdims=True)
    d *= dout / len(ys)
    dW = np.zeros_like(W)
    np.add.at(dW, xs, d)
    return dW


answer = onehot_backward
