exercise = "m04-normalise"
mistake = "WRONG_AXIS"
because = "the columns sum to 1, not the rows"
next = "which axis has to vanish, so that one sum is left for each row?"


def normalise(counts):
    return counts / counts.sum(0)


answer = normalise
