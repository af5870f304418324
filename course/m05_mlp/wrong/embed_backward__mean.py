exercise = "m05-embed-backward"
mistake = "EXTRA_MEAN"
because = "the gradients of a letter that stands in several places are averaged; they add up"

import numpy as np


def embed_backward(dout, C, X):
    dC = np.zeros_like(C)
    np.add.at(dC, X, dout.reshape(*X.shape, -1))
    uses = np.bincount(X.ravel(), minlength=len(C))
    return dC / np.maximum(uses, 1)[:, None]


answer = embed_backward
