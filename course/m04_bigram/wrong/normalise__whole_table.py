exercise = "m04-normalise"
mistake = "WRONG_AXIS"
because = "the table as a whole sums to 1, not each row"
next = "sum along one axis only"


def normalise(counts):
    return counts / counts.sum()


answer = normalise
