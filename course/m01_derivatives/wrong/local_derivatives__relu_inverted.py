import math

exercise = "m01-local-derivatives"
mistake = "WRONG_MASK"
because = "relu lets positive numbers through, and this has slope 1 for negative ones"
next = "say in words where relu is flat, then write it"


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
    return 1.0 if a < 0 else 0.0


answer = local_derivatives
