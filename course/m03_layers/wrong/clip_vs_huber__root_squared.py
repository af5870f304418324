exercise = "m03-clip-vs-huber"
mistake = "FORMULA"
because = "the error is divided by 1 + error^2; it is to be the square root of that"

import numpy as np


def answer(dout, error, kind):
    if kind == "clip":
        slope = np.where(np.abs(error) < 1, error, 0.0)
    elif kind == "huber":
        slope = np.clip(error, -1, 1)
    else:
        slope = error / (1 + error**2)
    return dout * slope
