exercise = "m05-gap-reading"
mistake = "MISSING_PATH"
because = "a dev loss that is too good to be true is not noticed"

def read_gap(train, dev, start, target):
    if train[-1] > start - 0.1:
        return "not learning"
    if dev[-1] - train[-1] > 0.2 or dev[-1] > min(dev) + 0.05:
        return "overfits"
    if dev[-1] > target:
        return "underfits"
    return "good"


answer = read_gap
