exercise = "m03-dead-relu"
mistake = "MISSING_PATH"
because = "the bias is left out, and it is the bias that kills most units"
next = "look at X @ W + b"

import numpy as np


def answer(X, W, b):
    return (X @ W <= 0).all(axis=0)
