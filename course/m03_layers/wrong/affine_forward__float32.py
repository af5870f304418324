exercise = "m03-affine-forward"
mistake = "DTYPE"
because = "the numbers are right, but kept in a type that rounds them: return float64"

import numpy as np


def answer(x, w, b):
    return x.astype(np.float32) @ w.astype(np.float32) + b.astype(np.float32)
