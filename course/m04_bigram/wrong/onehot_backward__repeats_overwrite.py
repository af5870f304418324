exercise = "m04-onehot-backward"
mistake = "OVERWRITE"
because = "a row that several examples use keeps only one of their gradients"
next = "np.add.at(dW, xs, d) adds for each repetition; so does onehot.T @ d"

import numpy as np


def onehot_backward(dout, W, xs, ys):
    e = np.exp(W[xs] - W[xs].max(axis=1, keepdims=True))
    d = e / e.sum(axis=1, keepdims=True)
    d[np.arange(len(ys)), ys] -= 1
    d *= dout / len(ys)
    dW = np.zeros_like(W)
    dW[xs] += d
    return dW


answer = onehot_backward
