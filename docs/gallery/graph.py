# %% [markdown]
# ## Expression graphs
#
# `view` shows the graph behind a value of any scalar engine: an object with `data`, `grad` and `_prev`. This one has what
# it takes, and an operation that adds to the gradients of its inputs.

# %%
import math
import random

from zerohero import view


class Value:
    def __init__(self, data, inputs=(), op="", label=""):
        self.data, self._prev, self._op, self.label = data, inputs, op, label
        self.grad, self._backward = 0.0, lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = backward
        return out

    def backward(self):
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for one in value._prev:
                    visit(one)
                order.append(value)

        visit(self)
        self.grad = 1.0
        for value in reversed(order):
            value._backward()


a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
d = a * b + c
d.label = "d"
loss = d * a
loss.label = "loss"
loss.backward()
view(loss)

# %% [markdown]
# The same with the mistake that everybody makes once: `=` in the place of `+=`, so that the second use of a value replaces
# the gradient of the first. `a` is used twice: its grad should be 4 + (-6) = -2.


# %%
class Forgetful(Value):
    def __mul__(self, other):
        out = Forgetful(self.data * other.data, (self, other), "*")

        def backward():
            self.grad = other.data * out.grad
            other.grad = self.data * out.grad

        out._backward = backward
        return out

    def __add__(self, other):
        out = Forgetful(self.data + other.data, (self, other), "+")

        def backward():
            self.grad = out.grad
            other.grad = out.grad

        out._backward = backward
        return out


a, b, c = Forgetful(2.0, label="a"), Forgetful(-3.0, label="b"), Forgetful(10.0, label="c")
loss = (a * b + c) * a
loss.label = "loss"
loss.backward()
view(loss)

# %% [markdown]
# A small network is too large to be read node by node: 2 inputs, two layers of 8 neurons, one output, on 2 examples.


# %%
def layer(inputs, weights):
    outputs = []
    for row in weights:
        total = row[-1]
        for weight, value in zip(row[:-1], inputs, strict=True):
            total = total + weight * value
        outputs.append(total.tanh())
    return outputs


numbers = random.Random(0)
sizes = [(2, 8), (8, 8), (8, 1)]
network = [[[Value(numbers.uniform(-1, 1), label=f"l{n}.w{i},{j}") for i in range(wide + 1)] for j in range(high)] for n, (wide, high) in enumerate(sizes)]
loss = Value(0.0)
for x, y, target in ((0.5, -1.0, 1.0), (-0.3, 0.8, -1.0)):
    out = [Value(x, label="x"), Value(y, label="y")]
    for weights in network:
        out = layer(out, weights)
    error = out[0] + Value(-target, label="-target")
    loss = loss + error * error
loss.label = "loss"
loss.backward()
view(loss)
