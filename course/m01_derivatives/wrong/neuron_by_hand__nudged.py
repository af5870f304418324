import math

exercise = "m01-neuron-by-hand"
mistake = "UNSTABLE"
because = "the gradients are measured by nudging, and one nudge does not suit numbers of very different size"
next = "multiply local slopes instead"


def neuron_by_hand(x1, w1, x2, w2, b):
    inputs = {"x1": x1, "w1": w1, "x2": x2, "w2": w2, "b": b}

    def neuron(x1, w1, x2, w2, b):
        return math.tanh(x1 * w1 + x2 * w2 + b)

    result = {"o": neuron(**inputs)}
    for name, value in inputs.items():
        up, down = {**inputs, name: value + 1e-6}, {**inputs, name: value - 1e-6}
        result[name] = (neuron(**up) - neuron(**down)) / 2e-6
    return result


answer = neuron_by_hand
