exercise = "m03-clip-by-norm"
mistake = "WRONG_MASK"
because = "a gradient below the limit is made longer; it is to stay as it is"
next = "clip only when the norm is above the limit"

import numpy as np


def answer(gradients, most):
    size = max(np.abs(g).max() for g in gradients) or 1.0
    norm = size * np.sqrt(sum(((g / size) ** 2).sum() for g in gradients))
    return [g * (most / norm) if norm else g for g in gradients], norm
