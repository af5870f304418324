exercise = "m03-smooth-l1-backward"
mistake = "SIGN_FLIP"
because = "the gradient of the target has the sign of that of the prediction; the target moves the error the other way"

import numpy as np


def answer(dout, prediction, target, beta):
    error = prediction - target
    d = dout * np.clip(error / beta, -1, 1) / error.size
    return d, d
