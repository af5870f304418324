import math

exercise = "m01-local-derivatives"
mistake = "FORMULA"
because = "in the slope of a power the exponent comes down by one"
next = "try a = 3, b = 2: the slope is 6"


def local_derivatives(op, a, b=None):
    if op == "+":
        return 1.0, 1.0
    if op == "*":
        return b, a
    if op == "pow":
        return b * a**b
    if op == "exp":
        return math.exp(a)
    if op == "tanh":
        return 1 - math.tanh(a) ** 2
    return 1.0 if a > 0 else 0.0


answer = local_derivatives
