exercise = "m01-grad-check"
mistake = "UNSTABLE"
because = "the step is so small that only rounding is left of the difference"
next = "a step near 1e-5 loses few digits"


def grad_check(f, point, claimed):
    h = 1e-14
    right = []
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[i] += h
        down[i] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        right.append(bool(abs(slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) <= 1e-4))
    return right


answer = grad_check
