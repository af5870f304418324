exercise = "m03-sigmoid-forward"
mistake = "WRONG_CONSTANT"
because = "this is tanh, from -1 to 1 and twice as steep"

import numpy as np


def answer(x):
    return np.tanh(x)
