import math

exercise = "m01-local-derivatives"
mistake = "UNSTABLE"
because = "the slopes are measured by nudging, and beside a large number the nudge is rounded away"
next = "write the formula of each slope; nothing has to be subtracted"


def local_derivatives(op, a, b=None):
    operation = {
        "+": lambda a, b: a + b,
        "*": lambda a, b: a * b,
        "pow": lambda a, b: a**b,
        "exp": lambda a, b: math.exp(a),
        "tanh": lambda a, b: math.tanh(a),
        "relu": lambda a, b: max(a, 0.0),
    }[op]
    h = 1e-5
    in_a = (operation(a + h, b) - operation(a - h, b)) / (2 * h)
    if op in ("+", "*"):
        return in_a, (operation(a, b + h) - operation(a, b - h)) / (2 * h)
    return in_a


answer = local_derivatives
