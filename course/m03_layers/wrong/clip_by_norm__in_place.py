exercise = "m03-clip-by-norm"
mistake = "MUTATES"
because = "the caller's gradients are written into"

import numpy as np


def answer(gradients, most):
    size = max(np.abs(g).max() for g in gradients) or 1.0
    norm = size * np.sqrt(sum(((g / size) ** 2).sum() for g in gradients))
    for g in gradients:
        g *= min(1.0, most / norm) if norm else 1.0
    return gradients, norm
