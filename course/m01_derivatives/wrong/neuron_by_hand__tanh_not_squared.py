import math

exercise = "m01-neuron-by-hand"
mistake = "FORMULA"
because = "in the slope of tanh the output has to be squared"
next = "when the output is -1 the slope must be 0: try it"


def neuron_by_hand(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    o = math.tanh(n)
    grad_n = 1 - o
    return {"o": o, "x1": w1 * grad_n, "w1": x1 * grad_n, "x2": w2 * grad_n, "w2": x2 * grad_n, "b": grad_n}


answer = neuron_by_hand
