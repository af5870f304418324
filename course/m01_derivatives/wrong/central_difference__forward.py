exercise = "m01-central-difference"
mistake = "FORMULA"
because = "this is the forward difference: the place to the left of x is not used"
next = "compare f at x + h with f at x - h"


def central_difference(f, x, h):
    return (f(x + h) - f(x)) / h


answer = central_difference
