exercise = "m05-mlp-forward"
mistake = "UNSTABLE"
because = "the loss is right for small logits and overflows for large ones"

import numpy as np


def mlp_forward(parameters, X, Y):
    C, W1, b1, W2, b2 = parameters
    logits = np.tanh(C[X].reshape(len(X), -1) @ W1 + b1) @ W2 + b2
    with np.errstate(all="ignore"):
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        return logits, -np.log(p[np.arange(len(Y)), Y]).mean()


answer = mlp_forward
