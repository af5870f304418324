exercise = "m05-gap-reading"
mistake = "INDEXING"
because = "the order of the questions matters: a network that overfits misses the target too, and is to be told so"

def read_gap(train, dev, start, target):
    if dev[-1] < target / 2:
        return "leak"
    if train[-1] > start - 0.1:
        return "not learning"
    if dev[-1] > target:
        return "underfits"
    if dev[-1] - train[-1] > 0.2 or dev[-1] > min(dev) + 0.05:
        return "overfits"
    return "good"


answer = read_gap
