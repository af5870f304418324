exercise = "m03-saturation"
mistake = "UNSTABLE"
because = "exp(z) overflows for large z; the nan that comes of it is not below any limit"

import numpy as np


def answer(z, limit):
    s = np.exp(z) / (1 + np.exp(z))
    return (s * (1 - s) < limit).mean(axis=0)
