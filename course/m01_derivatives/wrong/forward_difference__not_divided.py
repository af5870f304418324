exercise = "m01-forward-difference"
mistake = "FORMULA"
because = "this is the change of the output, not yet divided by the change of the input"
next = "divide the change of the output by h"


def forward_difference(f, x, h):
    return f(x + h) - f(x)


answer = forward_difference
