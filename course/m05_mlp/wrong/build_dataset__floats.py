exercise = "m05-build-dataset"
mistake = "DTYPE"
because = "the letters are floats, and an array cannot be indexed by floats"

import numpy as np


def build_dataset(names, context):
    X, Y = [], []
    for name in names:
        window = [0] * context
        for letter in name + ".":
            number = ".abcdefghijklmnopqrstuvwxyz".index(letter)
            X.append(window)
            Y.append(number)
            window = window[1:] + [number]
    return np.array(X, dtype=float), np.array(Y, dtype=float)


answer = build_dataset
