exercise = "m03-clip-vs-huber"
mistake = "WRONG_MASK"
because = "the clipped loss is given the slope of Huber: outside it is flat, so its slope is 0 there"
next = "what happens to the loss when an error of 3 becomes 3.1?"

import numpy as np


def answer(dout, error, kind):
    if kind == "clip":
        slope = np.clip(error, -1, 1)
    elif kind == "huber":
        slope = np.clip(error, -1, 1)
    else:
        slope = error / np.hypot(1, error)
    return dout * slope
