exercise = "m04-count-bigrams"
mistake = "OVERWRITE"
because = "a pair that stands twice in a name counts once: += on an array of indices adds once per cell"
next = "count in a loop, or with np.add.at, which adds for each repetition"

import numpy as np


def count_bigrams(names, index):
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    for name in names:
        numbers = np.array([index[symbol] for symbol in "." + name + "."])
        counts[numbers[:-1], numbers[1:]] += 1
    return counts


answer = count_bigrams
