exercise = "m01-forward-difference"
mistake = "WRONG_CONSTANT"
because = "the two places are h apart, and you divide by 2*h"


def forward_difference(f, x, h):
    return (f(x + h) - f(x)) / (2 * h)


answer = forward_difference
