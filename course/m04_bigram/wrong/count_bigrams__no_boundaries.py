exercise = "m04-count-bigrams"
mistake = "MISSING_PATH"
because = "only pairs of letters are counted: how names begin and end is lost"
next = "write down the bigrams of ava: are there four?"

import numpy as np


def count_bigrams(names, index):
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    for name in names:
        for a, b in zip(name, name[1:]):
            counts[index[a], index[b]] += 1
    return counts


answer = count_bigrams
