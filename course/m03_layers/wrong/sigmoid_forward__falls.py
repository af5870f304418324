exercise = "m03-sigmoid-forward"
mistake = "SIGN_FLIP"
because = "your curve falls from 1 to 0: a minus is missing in the exponent"

import numpy as np


def answer(x):
    with np.errstate(all="ignore"):
        return 1 / (1 + np.exp(x))
