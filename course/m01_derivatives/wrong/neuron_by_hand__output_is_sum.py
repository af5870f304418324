import math

exercise = "m01-neuron-by-hand"
mistake = "FORMULA"
because = "o is the sum before tanh, not the output of the neuron"
next = "o = tanh(n)"


def neuron_by_hand(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    o = n
    grad_n = 1 - math.tanh(n) ** 2
    return {"o": o, "x1": w1 * grad_n, "w1": x1 * grad_n, "x2": w2 * grad_n, "w2": x2 * grad_n, "b": grad_n}


answer = neuron_by_hand
