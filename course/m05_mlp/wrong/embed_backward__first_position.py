exercise = "m05-embed-backward"
mistake = "MISSING_PATH"
because = "only the first letter of each window gets a gradient"

import numpy as np


def embed_backward(dout, C, X):
    dC = np.zeros_like(C)
    np.add.at(dC, X[:, 0], dout[:, : C.shape[1]])
    return dC


answer = embed_backward
