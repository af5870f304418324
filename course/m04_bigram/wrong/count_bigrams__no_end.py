exercise = "m04-count-bigrams"
mistake = "MISSING_PATH"
because = "the boundary after the last letter is not counted"
next = "write down the bigrams of ava: are there four?"

import numpy as np


def count_bigrams(names, index):
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    for name in names:
        text = "." + name
        for a, b in zip(text, text[1:]):
            counts[index[a], index[b]] += 1
    return counts


answer = count_bigrams
