exercise = "m05-random-search"
mistake = "SIGN_FLIP"
because = "what comes back is the try with the highest loss; the lowest is the best"

import math


def random_search(loss, ranges, tries, dice):
    best, lowest = None, math.inf
    for _ in range(tries):
        settings = {name: low * (high / low) ** dice.uniform() for name, (low, high) in ranges.items()}
        now = loss(settings)
        if best is None or now > lowest:
            best, lowest = settings, now
    return best, lowest


answer = random_search
