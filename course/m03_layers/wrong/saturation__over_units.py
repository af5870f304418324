exercise = "m03-saturation"
mistake = "WRONG_AXIS"
because = "the mean runs over the units of an example; it is to run over the examples of a unit"


def answer(s, limit):
    return (s * (1 - s) < limit).mean(axis=1)
