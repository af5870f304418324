exercise = "m04-normalise"
mistake = "DTYPE"
because = "the result is kept in float32"

import numpy as np


def normalise(counts):
    return (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)


answer = normalise
