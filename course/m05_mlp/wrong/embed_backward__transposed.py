exercise = "m05-embed-backward"
mistake = "TRANSPOSED"
because = "dout is cut into the wrong pieces: position and width are exchanged"

import numpy as np


def embed_backward(dout, C, X):
    dC = np.zeros_like(C)
    np.add.at(dC, X, dout.reshape(len(X), C.shape[1], X.shape[1]).transpose(0, 2, 1))
    return dC


answer = embed_backward
