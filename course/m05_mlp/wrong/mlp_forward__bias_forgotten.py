exercise = "m05-mlp-forward"
mistake = "MISSING_PATH"
because = "the bias b1 is not added"

import numpy as np


def mlp_forward(parameters, X, Y):
    C, W1, b1, W2, b2 = parameters
    hidden = np.tanh(C[X].reshape(len(X), -1) @ W1)
    logits = hidden @ W2 + b2
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logits, -log_p[np.arange(len(Y)), Y].mean()


answer = mlp_forward
