exercise = "m03-softmax-ce-forward"
mistake = "WRONG_AXIS"
because = "the probabilities of a column add up to 1; those of a row are to"
next = "sum over axis 1"

import numpy as np


def answer(logits, labels):
    return np.mean(np.logaddexp.reduce(logits, 0)[labels] - logits[np.arange(len(labels)), labels])
