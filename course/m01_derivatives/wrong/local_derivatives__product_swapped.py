import math

exercise = "m01-local-derivatives"
mistake = "SWAPPED"
because = "in a product the slope of a is b, and the slope of b is a"
next = "nudge a by 1: by how much does a*b move?"


def local_derivatives(op, a, b=None):
    if op == "+":
        return 1.0, 1.0
    if op == "*":
        return a, b
    if op == "pow":
        return b * a ** (b - 1)
    if op == "exp":
        return math.exp(a)
    if op == "tanh":
        return 1 - math.tanh(a) ** 2
    return 1.0 if a > 0 else 0.0


answer = local_derivatives
