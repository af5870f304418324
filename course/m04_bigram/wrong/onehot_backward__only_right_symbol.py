exercise = "m04-onehot-backward"
mistake = "DIAG_JACOBIAN"
because = "only the logit of the right symbol gets a gradient; the others are in the sum of softmax too"

import numpy as np


def onehot_backward(dout, W, xs, ys):
    e = np.exp(W[xs] - W[xs].max(axis=1, keepdims=True))
    d = e / e.sum(axis=1, keepdims=True)
    d[np.arange(len(ys)), ys] -= 1
    d *= (np.arange(d.shape[1]) == ys[:, None]) * dout / len(ys)
    dW = np.zeros_like(W)
    np.add.at(dW, xs, d)
    return dW


answer = onehot_backward
