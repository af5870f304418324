exercise = "m03-softmax-ce-backward"
mistake = "NO_UPSTREAM"
because = "dout is not in your answer"

import numpy as np


def answer(dout, logits, labels):
    p = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    rows = np.arange(len(labels))
    p[rows, labels] -= 1
    return p / len(labels)
