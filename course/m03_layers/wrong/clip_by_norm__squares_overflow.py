exercise = "m03-clip-by-norm"
mistake = "UNSTABLE"
because = "the squares of huge numbers overflow; the norm is inf, and the clipped gradient 0"
next = "divide by the largest size before squaring"

import numpy as np


def answer(gradients, most):
    norm = np.sqrt(sum((g**2).sum() for g in gradients))
    return [g * min(1.0, most / norm) if norm else g for g in gradients], norm
