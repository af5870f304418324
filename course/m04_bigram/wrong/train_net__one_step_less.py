exercise = "m04-train-net"
mistake = "INDEXING"
because = "one step less is taken than was asked for"

import numpy as np


def train_net(W, xs, ys, steps, rate, decay=0.0):
    W = W.copy()
    for _ in range(1, steps):
        e = np.exp(W - W.max(axis=1, keepdims=True))
        d = (e / e.sum(axis=1, keepdims=True))[xs]
        d[np.arange(len(ys)), ys] -= 1
        dW = np.zeros_like(W)
        np.add.at(dW, xs, d / len(ys))
        W -= rate * (dW + 2 * decay * W)
    return W


answer = train_net
