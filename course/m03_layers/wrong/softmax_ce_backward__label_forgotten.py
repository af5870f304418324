exercise = "m03-softmax-ce-backward"
mistake = "MISSING_PATH"
because = "the second part of the loss, minus the logit of the label, is not in the gradient"

import numpy as np


def answer(dout, logits, labels):
    p = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    rows = np.arange(len(labels))
    return dout * p / len(rows)
