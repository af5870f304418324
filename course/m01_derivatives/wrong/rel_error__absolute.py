exercise = "m01-rel-error"
mistake = "DROPPED_LOCAL"
because = "this is the difference itself, not set beside any size"
next = "divide by the largest of |x|, |y| and floor"


def rel_error(x, y, floor=1.0):
    return abs(x - y)


answer = rel_error
