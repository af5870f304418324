import math

exercise = "m01-local-derivatives"
mistake = "UNSTABLE"
because = "tanh built from exp(a) and exp(-a) overflows when a is large"
next = "use math.tanh or np.tanh"


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
        return 1 - ((math.exp(a) - math.exp(-a)) / (math.exp(a) + math.exp(-a))) ** 2
    return 1.0 if a > 0 else 0.0


answer = local_derivatives
