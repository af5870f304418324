exercise = "m03-clip-vs-huber"
mistake = "WRONG_MASK"
because = "Huber is given the slope of the parabola outside too"
next = "outside it is a straight line: how steep?"

import numpy as np


def answer(dout, error, kind):
    if kind == "clip":
        slope = np.where(np.abs(error) < 1, error, 0.0)
    elif kind == "huber":
        slope = error
    else:
        slope = error / np.hypot(1, error)
    return dout * slope
