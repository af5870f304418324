exercise = "m03-saturation"
mistake = "MISSING_MEAN"
because = "the examples are counted; a share is the count divided by the number of examples"


def answer(s, limit):
    return (s * (1 - s) < limit).sum(axis=0)
