"""A scalar autograd engine of the well-known kind, to measure against: one closure per operation, inputs in a set.

Written for this benchmark. It keeps what decides the speed of that design: every operation stores a function that
refers to its inputs and its result (so every node is part of a reference cycle), the inputs stand in a set, constants
become nodes, a - b is a + (b * -1), the topological order is found by recursion, and a neuron sums its products one by one.
"""

import random


class Scalar:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.grad = 0
        self._pull = lambda: None
        self._prev = set(inputs)
        self._op = op

    def __add__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        result = Scalar(self.data + other.data, (self, other), "+")

        def pull():
            self.grad += result.grad
            other.grad += result.grad

        result._pull = pull
        return result

    def __mul__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        result = Scalar(self.data * other.data, (self, other), "*")

        def pull():
            self.grad += other.data * result.grad
            other.grad += self.data * result.grad

        result._pull = pull
        return result

    def __pow__(self, exponent):
        result = Scalar(self.data**exponent, (self,), f"**{exponent}")

        def pull():
            self.grad += exponent * self.data ** (exponent - 1) * result.grad

        result._pull = pull
        return result

    def relu(self):
        result = Scalar(0 if self.data < 0 else self.data, (self,), "relu")

        def pull():
            self.grad += (result.data > 0) * result.grad

        result._pull = pull
        return result

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for one in node._prev:
                    visit(one)
                order.append(node)

        visit(self)
        self.grad = 1
        for node in reversed(order):
            node._pull()

    def __neg__(self):
        return self * -1

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return other + (-self)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return other * self**-1


class Neuron:
    def __init__(self, nin, relu):
        self.w = [Scalar(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Scalar(0)
        self.relu = relu

    def __call__(self, x):
        total = sum((wi * xi for wi, xi in zip(self.w, x, strict=False)), self.b)
        return total.relu() if self.relu else total

    def parameters(self):
        return [*self.w, self.b]


class Layer:
    def __init__(self, nin, nout, relu):
        self.neurons = [Neuron(nin, relu) for _ in range(nout)]

    def __call__(self, x):
        out = [neuron(x) for neuron in self.neurons]
        return out[0] if len(out) == 1 else out

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    def __init__(self, nin, nouts):
        sizes = [nin, *nouts]
        self.layers = [Layer(sizes[i], sizes[i + 1], relu=i != len(nouts) - 1) for i in range(len(nouts))]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]
