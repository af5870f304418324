exercise = "m03-softmax-ce-backward"
mistake = "INDEXING"
because = "in each row 1 is taken away at the labels of all rows"
next = "one row number with each label: np.arange(N) beside labels"

import numpy as np


def answer(dout, logits, labels):
    p = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    rows = np.arange(len(labels))
    p[:, labels] -= 1
    return dout * p / len(rows)
