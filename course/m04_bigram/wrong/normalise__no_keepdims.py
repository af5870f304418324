exercise = "m04-normalise"
mistake = "WRONG_AXIS"
because = "each column is divided by the sum of the row with its number: the sums are taken for a row"
next = "print the shape of the sums; keepdims=True keeps the axis that would vanish"


def normalise(counts):
    return counts / counts.sum(1)


answer = normalise
