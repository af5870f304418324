exercise = "m04-count-bigrams"
mistake = "TRANSPOSED"
because = "row and column are exchanged: the first symbol is the row"

import numpy as np


def count_bigrams(names, index):
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    for name in names:
        text = "." + name + "."
        for a, b in zip(text, text[1:]):
            counts[index[b], index[a]] += 1
    return counts


answer = count_bigrams
