import math

exercise = "m01-neuron-by-hand"
mistake = "DROPPED_LOCAL"
because = "the slope of tanh is missing: these are the gradients of n, not of o"
next = "multiply each by the slope of tanh at n"


def neuron_by_hand(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    o = math.tanh(n)
    grad_n = 1.0
    return {"o": o, "x1": w1 * grad_n, "w1": x1 * grad_n, "x2": w2 * grad_n, "w2": x2 * grad_n, "b": grad_n}


answer = neuron_by_hand
