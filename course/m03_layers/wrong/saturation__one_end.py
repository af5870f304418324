exercise = "m03-saturation"
mistake = "WRONG_MASK"
because = "the outputs near 0 are counted and those near 1 are not; the slope is small at both ends"
next = "compare the slope with the limit, not the output"


def answer(s, limit):
    return (s < limit).mean(axis=0)
