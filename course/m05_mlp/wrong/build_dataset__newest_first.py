exercise = "m05-build-dataset"
mistake = "INDEXING"
because = "the windows are read backwards: the newest letter stands first"

import numpy as np


def build_dataset(names, context):
    X, Y = [], []
    for name in names:
        window = [0] * context
        for letter in name + ".":
            number = ".abcdefghijklmnopqrstuvwxyz".index(letter)
            X.append(window)
            Y.append(number)
            window = [number] + window[:-1]
    return np.array(X), np.array(Y)


answer = build_dataset
