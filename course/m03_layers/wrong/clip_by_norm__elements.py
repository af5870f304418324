exercise = "m03-clip-by-norm"
mistake = "FORMULA"
because = "each element is clipped by itself, which turns the gradient into another direction"
next = "multiply all elements by one factor"

import numpy as np


def answer(gradients, most):
    size = max(np.abs(g).max() for g in gradients) or 1.0
    norm = size * np.sqrt(sum(((g / size) ** 2).sum() for g in gradients))
    return [np.clip(g, -most, most) for g in gradients], norm
