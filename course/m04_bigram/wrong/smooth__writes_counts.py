exercise = "m04-smooth"
mistake = "MUTATES"
because = "counts itself is changed"


def smooth(counts, k):
    counts[:] = counts + int(k)
    return counts / counts.sum(axis=1, keepdims=True)


answer = smooth
