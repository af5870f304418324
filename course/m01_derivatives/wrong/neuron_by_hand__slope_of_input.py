import math

exercise = "m01-neuron-by-hand"
mistake = "PRE_POST"
because = "the slope of tanh is written with its output o, and here the input n stands in its place"
next = "replace n by o in the slope of tanh"


def neuron_by_hand(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    o = math.tanh(n)
    grad_n = 1 - n**2
    return {"o": o, "x1": w1 * grad_n, "w1": x1 * grad_n, "x2": w2 * grad_n, "w2": x2 * grad_n, "b": grad_n}


answer = neuron_by_hand
