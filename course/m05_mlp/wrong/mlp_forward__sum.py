exercise = "m05-mlp-forward"
mistake = "MISSING_MEAN"
because = "the losses of the rows are added up, not averaged"

import numpy as np


def mlp_forward(parameters, X, Y):
    C, W1, b1, W2, b2 = parameters
    hidden = np.tanh(C[X].reshape(len(X), -1) @ W1 + b1)
    logits = hidden @ W2 + b2
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logits, -log_p[np.arange(len(Y)), Y].sum()


answer = mlp_forward
