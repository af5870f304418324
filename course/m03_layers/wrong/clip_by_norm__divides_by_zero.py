exercise = "m03-clip-by-norm"
mistake = "UNSTABLE"
because = "for a gradient of zeros this is 0 divided by 0"
next = "a gradient of zeros is short enough: give it back as it is"

import numpy as np


def answer(gradients, most):
    size = max(np.abs(g).max() for g in gradients)
    norm = size * np.sqrt(sum(((g / size) ** 2).sum() for g in gradients))
    return [g * min(1.0, most / norm) for g in gradients], norm
