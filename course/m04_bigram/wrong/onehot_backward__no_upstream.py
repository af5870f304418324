exercise = "m04-onehot-backward"
mistake = "NO_UPSTREAM"
because = "dout is not used"

import numpy as np


def onehot_backward(dout, W, xs, ys):
    e = np.exp(W[xs] - W[xs].max(axis=1, keepdims=True))
    d = e / e.sum(axis=1, keepdims=True)
    d[np.arange(len(ys)), ys] -= 1
    d /= len(ys)
    dW = np.zeros_like(W)
    np.add.at(dW, xs, d)
    return dW


answer = onehot_backward
