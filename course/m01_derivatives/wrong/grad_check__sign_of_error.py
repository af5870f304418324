exercise = "m01-grad-check"
mistake = "SIGN_FLIP"
because = "the error keeps its sign, so every claim that is too large passes"
next = "take abs() of the difference"


def grad_check(f, point, claimed):
    h = 1e-5
    right = []
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[i] += h
        down[i] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        right.append(bool((slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) <= 1e-4))
    return right


answer = grad_check
