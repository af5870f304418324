exercise = "m04-count-bigrams"
mistake = "OVERWRITE"
because = "a cell is set to 1 each time, not raised by 1"

import numpy as np


def count_bigrams(names, index):
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    for name in names:
        text = "." + name + "."
        for a, b in zip(text, text[1:]):
            counts[index[a], index[b]] = 1
    return counts


answer = count_bigrams
