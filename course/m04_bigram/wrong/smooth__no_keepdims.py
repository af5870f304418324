exercise = "m04-smooth"
mistake = "WRONG_AXIS"
because = "each column is divided by the sum of the row with its number: the sums are taken for a row"
next = "print the shape of the sums; keepdims=True keeps the axis that would vanish"


def smooth(counts, k):
    more = counts + k
    return more / more.sum(1)


answer = smooth
