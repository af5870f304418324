import math

exercise = "m01-neuron-by-hand"
mistake = "SWAPPED"
because = "each input and its weight have each other's gradient: in a product each gets the other factor"
next = "x1 is multiplied by w1: nudge x1 alone, which number multiplies the nudge?"


def neuron_by_hand(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    o = math.tanh(n)
    grad_n = 1 - o**2
    return {"o": o, "x1": x1 * grad_n, "w1": w1 * grad_n, "x2": x2 * grad_n, "w2": w2 * grad_n, "b": grad_n}


answer = neuron_by_hand
