exercise = "m01-grad-check"
mistake = "INDEXING"
because = "the same entry is nudged each time, so every claim is compared with the slope of the first"
next = "nudge entry i when claim i is checked"


def grad_check(f, point, claimed):
    h = 1e-5
    right = []
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[0] += h
        down[0] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        right.append(bool(abs(slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) <= 1e-4))
    return right


answer = grad_check
