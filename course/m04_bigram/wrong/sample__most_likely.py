exercise = "m04-sample"
mistake = "FORMULA"
because = "the most likely symbol is taken each time; nothing is drawn"
next = "dice.choice(row) draws each symbol as often as its probability says"

import numpy as np


def sample_name(P, chars, dice):
    name, place = "", 0
    for _ in range(60):
        place = int(np.argmax(P[place]))
        if place == 0:
            break
        name += chars[place]
    return name


answer = sample_name
