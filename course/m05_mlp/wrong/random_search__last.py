exercise = "m05-random-search"
mistake = "INDEXING"
because = "what comes back is the last try, not the best one"

import math


def random_search(loss, ranges, tries, dice):
    best, lowest = None, math.inf
    for _ in range(tries):
        settings = {name: low * (high / low) ** dice.uniform() for name, (low, high) in ranges.items()}
        now = loss(settings)
        if True:
            best, lowest = settings, now
    return best, lowest


answer = random_search
