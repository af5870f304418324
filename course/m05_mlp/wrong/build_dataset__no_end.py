exercise = "m05-build-dataset"
mistake = "MISSING_PATH"
because = "the dot after the last letter is never predicted, so no name would ever end"

import numpy as np


def build_dataset(names, context):
    X, Y = [], []
    for name in names:
        window = [0] * context
        for letter in name:
            number = ".abcdefghijklmnopqrstuvwxyz".index(letter)
            X.append(window)
            Y.append(number)
            window = window[1:] + [number]
    return np.array(X), np.array(Y)


answer = build_dataset
