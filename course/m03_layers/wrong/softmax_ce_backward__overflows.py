exercise = "m03-softmax-ce-backward"
mistake = "UNSTABLE"
because = "right on small logits; exp of a large one overflows, and inf / inf is nan"
next = "take the largest logit of each row away first"

import numpy as np


def answer(dout, logits, labels):
    with np.errstate(all="ignore"):
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    p[np.arange(len(labels)), labels] -= 1
    return dout * p / len(labels)
