exercise = "m01-rel-error"
mistake = "WRONG_CONSTANT"
because = "the difference is set beside the sum of the two sizes, not beside the larger one"
next = "use max() of |x|, |y| and floor"


def rel_error(x, y, floor=1.0):
    return abs(x - y) / max(abs(x) + abs(y), floor)


answer = rel_error
