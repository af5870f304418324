exercise = "m03-softmax-ce-forward"
mistake = "UNSTABLE"
because = "right on small logits; exp of a large one overflows"
next = "take the largest logit of each row away first"

import numpy as np


def answer(logits, labels):
    with np.errstate(all="ignore"):
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        return -np.mean(np.log(p[np.arange(len(labels)), labels]))
