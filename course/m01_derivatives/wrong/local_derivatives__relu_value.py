import math

exercise = "m01-local-derivatives"
mistake = "FORMULA"
because = "this is the value of relu, not its slope"
next = "what is the slope of a straight line through 0 that goes up one for one?"


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
        return 1 - math.tanh(a) ** 2
    return max(a, 0.0)


answer = local_derivatives
