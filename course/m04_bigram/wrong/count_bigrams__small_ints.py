exercise = "m04-count-bigrams"
mistake = "DTYPE"
because = "the counts are kept in 8 bits and start again at 0 after 255"
next = "use np.int64"

import numpy as np


def count_bigrams(names, index):
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    for name in names:
        text = "." + name + "."
        for a, b in zip(text, text[1:]):
            counts[index[a], index[b]] += 1
    return counts.astype(np.uint8)


answer = count_bigrams
