exercise = "m05-random-search"
mistake = "FORMULA"
because = "few values are tried again and again, as on a grid; a random search tries a new value of every setting each time"

import math


def random_search(loss, ranges, tries, dice):
    best, lowest = None, math.inf
    for k in range(tries):
        settings = {name: low * (high / low) ** (k % 5 / 4) for name, (low, high) in ranges.items()}
        now = loss(settings)
        if best is None or now < lowest:
            best, lowest = settings, now
    return best, lowest


answer = random_search
