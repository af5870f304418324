import math

exercise = "m01-neuron-by-hand"
mistake = "MISSING_PATH"
because = "the bias is left out of the sum n"
next = "n = x1*w1 + x2*w2 + b"


def neuron_by_hand(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    o = math.tanh(x1 * w1 + x2 * w2)
    grad_n = 1 - o**2
    return {"o": o, "x1": w1 * grad_n, "w1": x1 * grad_n, "x2": w2 * grad_n, "w2": x2 * grad_n, "b": grad_n}


answer = neuron_by_hand
