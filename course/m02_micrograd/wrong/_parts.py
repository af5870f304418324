"""Right parts for the wrong answers: each file reads this text into its own names, as a notebook has all in one."""

import math
import random


class Value:
    def __init__(self, data, _prev=(), _local=(), _op=""):
        self.data, self.grad = data, 0.0
        self._prev, self._local, self._op = _prev, _local, _op

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0), "+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data), "*")

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),), "**")

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),), "exp")

    def tanh(self):
        return Value(math.tanh(self.data), (self,), (1 - math.tanh(self.data) ** 2,), "tanh")

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (float(self.data > 0),), "relu")

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -other

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self**-1 * other

    def pass_back(self):
        for node, slope in zip(self._prev, self._local):
            node.grad += slope * self.grad

    def backward(self):
        self.grad = 1.0
        for node in reversed(topo_sort(self)):
            node.pass_back()


def topo_sort(root):
    order, opened, waiting = [], set(), [(root, False)]
    while waiting:
        node, inputs_done = waiting.pop()
        if inputs_done:
            order.append(node)
        elif node not in opened:
            opened.add(node)
            waiting += [(node, True), *((one, False) for one in node._prev)]
    return order


class Neuron:
    def __init__(self, n_inputs, act="relu"):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]
        self.b = Value(0.0)
        self.act = act

    def __call__(self, x):
        total = sum((w * one for w, one in zip(self.w, x)), self.b)
        return total if self.act == "linear" else getattr(total, self.act)()

    def parameters(self):
        return self.w + [self.b]


class Layer:
    def __init__(self, n_inputs, n_outputs, act="relu"):
        self.neurons = [Neuron(n_inputs, act) for _ in range(n_outputs)]

    def __call__(self, x):
        return [neuron(x) for neuron in self.neurons]

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    def __init__(self, n_inputs, sizes, act="relu"):
        widths = [n_inputs] + sizes
        self.layers = [Layer(i, o, act) for i, o in zip(widths[:-2], widths[1:-1])] + [Layer(widths[-2], widths[-1], "linear")]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x[0] if len(x) == 1 else x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]
