exercise = "m03-clip-vs-huber"
mistake = "DROPPED_LOCAL"
because = "the slope of the square root itself is missing: the error is to be divided by the root"

import numpy as np


def answer(dout, error, kind):
    if kind == "clip":
        slope = np.where(np.abs(error) < 1, error, 0.0)
    elif kind == "huber":
        slope = np.clip(error, -1, 1)
    else:
        slope = error
    return dout * slope
