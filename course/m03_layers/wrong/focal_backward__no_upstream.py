exercise = "m03-focal-backward"
mistake = "NO_UPSTREAM"
because = "your answer stays the same when the upstream gradient changes"

import numpy as np


def answer(dout, logits, labels, gamma):
    n = len(labels)
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    log_p = log_softmax[np.arange(n), labels][:, None]
    p, onehot = np.exp(log_p), np.eye(logits.shape[1])[labels]
    slope = gamma * p * (1 - p) ** (gamma - 1) * log_p - (1 - p) ** gamma
    return slope * (onehot - np.exp(log_softmax)) / n
