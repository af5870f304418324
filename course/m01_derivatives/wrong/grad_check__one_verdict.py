exercise = "m01-grad-check"
mistake = "SHAPE"
because = "there is one verdict for all entries; each entry is to have its own"
next = "return a list with one bool per entry"


def grad_check(f, point, claimed):
    h = 1e-5
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[i] += h
        down[i] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        if not abs(slope - claimed[i]) / max(abs(slope), abs(claimed[i]), 1.0) <= 1e-4:
            return False
    return True


answer = grad_check
