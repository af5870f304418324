exercise = "m05-build-dataset"
mistake = "INDEXING"
because = "the first windows of a name hold letters of the name before; each name starts from a window of dots"

import numpy as np


def build_dataset(names, context):
    X, Y = [], []
    window = [0] * context
    for name in names:
        for letter in name + ".":
            number = ".abcdefghijklmnopqrstuvwxyz".index(letter)
            X.append(window)
            Y.append(number)
            window = window[1:] + [number]
    return np.array(X), np.array(Y)


answer = build_dataset
