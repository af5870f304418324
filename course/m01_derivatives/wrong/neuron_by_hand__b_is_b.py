import math

exercise = "m01-neuron-by-hand"
mistake = "FORMULA"
because = "b is added, so nothing multiplies its gradient but the slope of tanh"
next = "nudge b by 1: by how much does n move?"


def neuron_by_hand(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    o = math.tanh(n)
    grad_n = 1 - o**2
    return {"o": o, "x1": w1 * grad_n, "w1": x1 * grad_n, "x2": w2 * grad_n, "w2": x2 * grad_n, "b": b * grad_n}


answer = neuron_by_hand
