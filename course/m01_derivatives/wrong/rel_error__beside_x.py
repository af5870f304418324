exercise = "m01-rel-error"
mistake = "FORMULA"
because = "the size is taken from x alone, so x and y cannot change places, and x = 0 divides by zero"
next = "divide by the largest of |x|, |y| and floor"


def rel_error(x, y, floor=1.0):
    return abs(x - y) / abs(x)


answer = rel_error
