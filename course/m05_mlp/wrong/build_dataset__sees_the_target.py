exercise = "m05-build-dataset"
mistake = "INDEXING"
because = "the last letter of each window is the very letter that is to be predicted"

import numpy as np


def build_dataset(names, context):
    X, Y = [], []
    for name in names:
        window = [0] * context
        for letter in name + ".":
            number = ".abcdefghijklmnopqrstuvwxyz".index(letter)
            window = window[1:] + [number]
            X.append(window)
            Y.append(number)
    return np.array(X), np.array(Y)


answer = build_dataset
