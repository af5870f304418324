import math

exercise = "m01-local-derivatives"
mistake = "PRE_POST"
because = "the slope of tanh is written with the output of tanh, and here the input stands in its place"
next = "work out t = tanh(a) first, then use t in the formula"


def local_derivatives(op, a, b=None):
    if op == "+":
        return 1.0, 1.0
    if op == "*":
        return b, a
    if op == "pow":
        return b * a ** (b - 1)
    if op == "exp":
        return math.exp(a)
    if op == "tanh":
        return 1 - a**2
    return 1.0 if a > 0 else 0.0


answer = local_derivatives
