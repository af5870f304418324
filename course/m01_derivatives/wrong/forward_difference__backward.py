exercise = "m01-forward-difference"
mistake = "FORMULA"
because = "this looks from x - h to x; the forward difference looks from x to x + h"
next = "nudge to the right, with x + h"


def forward_difference(f, x, h):
    return (f(x) - f(x - h)) / h


answer = forward_difference
