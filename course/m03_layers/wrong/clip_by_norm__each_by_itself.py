exercise = "m03-clip-by-norm"
mistake = "WRONG_AXIS"
because = "each array is shortened by its own norm; there is to be one norm, over all of them"
next = "add up the squares of all arrays before you take the root"

import numpy as np


def answer(gradients, most):
    norms = [np.sqrt((g**2).sum()) for g in gradients]
    return [g * min(1.0, most / norm) if norm else g for g, norm in zip(gradients, norms)], float(np.sqrt(sum(n**2 for n in norms)))
