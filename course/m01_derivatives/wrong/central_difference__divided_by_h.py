exercise = "m01-central-difference"
mistake = "WRONG_CONSTANT"
because = "the two places are 2*h apart, and you divide by h"


def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / h


answer = central_difference
