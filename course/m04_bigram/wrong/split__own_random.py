exercise = "m04-split"
mistake = "STATE_LEAK"
because = "the order comes from another generator, which nobody seeded"

import numpy as np


def split(names, dice):
    shuffled = [names[i] for i in np.random.permutation(len(names))]
    one, two = 8 * len(names) // 10, 9 * len(names) // 10
    return shuffled[:one], shuffled[one:two], shuffled[two:]


answer = split
