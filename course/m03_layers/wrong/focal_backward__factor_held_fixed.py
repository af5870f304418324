exercise = "m03-focal-backward"
mistake = "MISSING_PATH"
because = "the modulating factor is treated as a constant, but p is in it too"
next = "a product has two terms: the slope of the one times the other, and the reverse"

import numpy as np


def answer(dout, logits, labels, gamma):
    n = len(labels)
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    log_p = log_softmax[np.arange(n), labels][:, None]
    p, onehot = np.exp(log_p), np.eye(logits.shape[1])[labels]
    slope = -((1 - p) ** gamma)
    return dout * slope * (onehot - np.exp(log_softmax)) / n
