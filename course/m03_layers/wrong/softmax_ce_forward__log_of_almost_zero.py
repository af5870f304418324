exercise = "m03-softmax-ce-forward"
mistake = "UNSTABLE"
because = "a tiny number is added to the probability, so a loss of 1000 comes out as 28"
next = "write ln of the fraction as a difference, and nothing needs to be added"

import numpy as np


def answer(logits, labels):
    e = np.exp(logits - logits.max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    return -np.mean(np.log(p[np.arange(len(labels)), labels] + 1e-12))
