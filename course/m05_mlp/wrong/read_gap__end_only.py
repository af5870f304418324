exercise = "m05-gap-reading"
mistake = "MISSING_PATH"
because = "a dev loss that was lower before and has risen again is not noticed"

def read_gap(train, dev, start, target):
    if dev[-1] < target / 2:
        return "leak"
    if train[-1] > start - 0.1:
        return "not learning"
    if dev[-1] - train[-1] > 0.2:
        return "overfits"
    if dev[-1] > target:
        return "underfits"
    return "good"


answer = read_gap
