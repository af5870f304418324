exercise = "m05-embed-backward"
mistake = "OVERWRITE"
because = "a letter that stands in several places keeps the gradient of one of them; they add up"
next = "dC[X] += ... adds once per row, however often X picks it; np.add.at adds every time"

import numpy as np


def embed_backward(dout, C, X):
    dC = np.zeros_like(C)
    dC[X] += dout.reshape(*X.shape, C.shape[1])
    return dC


answer = embed_backward
