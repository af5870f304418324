exercise = "m03-softmax-ce-backward"
mistake = "SIGN_FLIP"
because = "a sign is wrong: the gradient is the right one negated"

import numpy as np


def answer(dout, logits, labels):
    p = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    rows = np.arange(len(labels))
    p[rows, labels] -= 1
    return -dout * p / len(labels)
