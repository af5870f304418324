exercise = "m04-sample"
mistake = "STATE_LEAK"
because = "each call gives another name, whatever the dice: the random numbers come from somewhere else"
next = "use the dice that are handed in"

import numpy as np


def sample_name(P, chars, dice):
    name, place = "", 0
    while True:
        place = int(np.random.choice(len(chars), p=P[place]))
        if place == 0:
            return name
        name += chars[place]


answer = sample_name
