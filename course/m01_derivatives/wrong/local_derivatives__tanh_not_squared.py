import math

exercise = "m01-local-derivatives"
mistake = "FORMULA"
because = "in the slope of tanh the output has to be squared"
next = "at a large negative a the slope must be 0: try it"


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
        return 1 - math.tanh(a)
    return 1.0 if a > 0 else 0.0


answer = local_derivatives
