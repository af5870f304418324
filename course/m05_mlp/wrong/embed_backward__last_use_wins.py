exercise = "m05-embed-backward"
mistake = "OVERWRITE"
because = "a letter that stands in several places keeps the gradient of one of them; they add up"

import numpy as np


def embed_backward(dout, C, X):
    dC = np.zeros_like(C)
    dC[X] = dout.reshape(*X.shape, -1)
    return dC


answer = embed_backward
