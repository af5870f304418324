exercise = "m03-clip-vs-huber"
mistake = "WRONG_MASK"
because = "Huber is given no slope outside; there it is a straight line, not flat"
next = "how steep is that line?"

import numpy as np


def answer(dout, error, kind):
    if kind == "clip":
        slope = np.where(np.abs(error) < 1, error, 0.0)
    elif kind == "huber":
        slope = np.where(np.abs(error) < 1, error, 0.0)
    else:
        slope = error / np.hypot(1, error)
    return dout * slope
