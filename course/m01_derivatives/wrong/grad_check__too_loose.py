exercise = "m01-grad-check"
mistake = "WRONG_CONSTANT"
because = "the tolerance is so large that a gradient off by one in a hundred passes"
next = "accept an error of at most 1e-4"


def grad_check(f, point, claimed):
    h = 1e-5
    right = []
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[i] += h
        down[i] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        right.append(bool(abs(slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) <= 0.05))
    return right


answer = grad_check
