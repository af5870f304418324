exercise = "m05-embed-forward"
mistake = "WRONG_AXIS"
because = "the positions are put below each other; they are to stand side by side"

import numpy as np


def embed_forward(C, X):
    return np.concatenate([C[X[:, t]] for t in range(X.shape[1])], axis=0)


answer = embed_forward
