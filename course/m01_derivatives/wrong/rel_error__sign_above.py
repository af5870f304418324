exercise = "m01-rel-error"
mistake = "SIGN_FLIP"
because = "the difference keeps its sign, so the error is negative when y is the larger one"
next = "take abs() of the difference"


def rel_error(x, y, floor=1.0):
    return (x - y) / max(abs(x), abs(y), floor)


answer = rel_error
