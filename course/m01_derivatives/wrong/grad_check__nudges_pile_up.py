exercise = "m01-grad-check"
mistake = "DOUBLE_COUNT"
because = "a nudge stays in place while the next entry is nudged, so it is counted again"
next = "begin with a fresh copy of the point for each entry"


def grad_check(f, point, claimed):
    h = 1e-5
    start = f(*point)
    moved = list(point)
    right = []
    for i in range(len(point)):
        moved[i] += h
        slope = (f(*moved) - start) / h
        right.append(bool(abs(slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) <= 1e-4))
    return right


answer = grad_check
