exercise = "m04-train-net"
mistake = "SIGN_FLIP"
because = "the step goes uphill: the gradient is added, not subtracted"

import numpy as np


def train_net(W, xs, ys, steps, rate, decay=0.0):
    W = W.copy()
    for _ in range(steps):
        e = np.exp(W - W.max(axis=1, keepdims=True))
        d = (e / e.sum(axis=1, keepdims=True))[xs]
        d[np.arange(len(ys)), ys] -= 1
        dW = np.zeros_like(W)
        np.add.at(dW, xs, d / len(ys))
        W += rate * (dW + 2 * decay * W)
    return W


answer = train_net
