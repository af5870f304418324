exercise = "m04-smooth"
mistake = "WRONG_CONSTANT"
because = "1 is added, whatever k is"


def smooth(counts, k):
    more = counts + 1
    return more / more.sum(axis=1, keepdims=True)


answer = smooth
