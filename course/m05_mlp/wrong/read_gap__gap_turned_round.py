exercise = "m05-gap-reading"
mistake = "SIGN_FLIP"
because = "the gap is dev minus train, not train minus dev"

def read_gap(train, dev, start, target):
    if dev[-1] < target / 2:
        return "leak"
    if train[-1] > start - 0.1:
        return "not learning"
    if train[-1] - dev[-1] > 0.2 or dev[-1] > min(dev) + 0.05:
        return "overfits"
    if dev[-1] > target:
        return "underfits"
    return "good"


answer = read_gap
