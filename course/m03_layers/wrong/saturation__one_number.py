exercise = "m03-saturation"
mistake = "WRONG_AXIS"
because = "the mean runs over everything; each unit is to have a share of its own"


def answer(s, limit):
    return (s * (1 - s) < limit).mean()
