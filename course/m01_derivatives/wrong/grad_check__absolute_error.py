exercise = "m01-grad-check"
mistake = "DROPPED_LOCAL"
because = "the difference is not set beside the size of the gradient, so rounding in a large one counts as an error"
next = "use the relative error"


def grad_check(f, point, claimed):
    h = 1e-5
    right = []
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[i] += h
        down[i] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        right.append(bool(abs(slope - claimed[i]) <= 1e-4))
    return right


answer = grad_check
