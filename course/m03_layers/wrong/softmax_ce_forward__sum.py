exercise = "m03-softmax-ce-forward"
mistake = "MISSING_MEAN"
because = "the losses of the rows are added up, not averaged"
next = "take the mean over the rows"

import numpy as np


def answer(logits, labels):
    return np.sum(np.logaddexp.reduce(logits, 1) - logits[np.arange(len(labels)), labels])
