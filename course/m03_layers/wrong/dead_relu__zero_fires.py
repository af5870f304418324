exercise = "m03-dead-relu"
mistake = "WRONG_MASK"
because = "a sum of exactly 0 counts as firing; relu gives 0 there, and passes nothing back"
next = "on which side of your comparison should the 0 be?"

import numpy as np


def answer(X, W, b):
    return (X @ W + b < 0).all(axis=0)
