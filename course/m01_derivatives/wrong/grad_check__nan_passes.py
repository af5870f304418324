exercise = "m01-grad-check"
mistake = "WRONG_MASK"
because = "nan is neither larger nor smaller than anything, so asking whether the error is too large lets it through"
next = "ask whether the error is small enough"


def grad_check(f, point, claimed):
    h = 1e-5
    right = []
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[i] += h
        down[i] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        right.append(not abs(slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) > 1e-4)
    return right


answer = grad_check
