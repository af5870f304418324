exercise = "m03-softmax-ce-backward"
mistake = "MISSING_MEAN"
because = "the loss is a mean over the rows, and the 1/N is missing"

import numpy as np


def answer(dout, logits, labels):
    p = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    rows = np.arange(len(labels))
    p[rows, labels] -= 1
    return dout * p
