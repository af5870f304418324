exercise = "m01-grad-check"
mistake = "MUTATES"
because = "the point is nudged in place: adding h and taking it away again leaves a rounding error behind"
next = "nudge a copy of the point"


def grad_check(f, point, claimed):
    h = 1e-5
    right = []
    for i in range(len(point)):
        point[i] += h
        above = f(*point)
        point[i] -= 2 * h
        below = f(*point)
        point[i] += h
        slope = (above - below) / (2 * h)
        right.append(bool(abs(slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) <= 1e-4))
    return right


answer = grad_check
