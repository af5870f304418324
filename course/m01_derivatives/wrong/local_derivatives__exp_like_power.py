import math

exercise = "m01-local-derivatives"
mistake = "FORMULA"
because = "exp is treated as a power of a; here a is the exponent"
next = "measure the slope of exp at 1 and compare it with exp(1)"


def local_derivatives(op, a, b=None):
    if op == "+":
        return 1.0, 1.0
    if op == "*":
        return b, a
    if op == "pow":
        return b * a ** (b - 1)
    if op == "exp":
        return a * math.exp(a - 1)
    if op == "tanh":
        return 1 - math.tanh(a) ** 2
    return 1.0 if a > 0 else 0.0


answer = local_derivatives
