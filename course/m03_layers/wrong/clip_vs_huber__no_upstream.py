exercise = "m03-clip-vs-huber"
mistake = "NO_UPSTREAM"
because = "your answer stays the same when the upstream gradient changes"

import numpy as np


def answer(dout, error, kind):
    if kind == "clip":
        slope = np.where(np.abs(error) < 1, error, 0.0)
    elif kind == "huber":
        slope = np.clip(error, -1, 1)
    else:
        slope = error / np.hypot(1, error)
    return slope
