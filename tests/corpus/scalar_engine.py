"""A scalar engine, run on one of two expressions: a tree, or a graph in which values are used again."""

import math

import numpy as np

from .corpus import OPS, op, right, wrong


class Value:
    """A number that remembers what it was made of; ``bug`` switches one mistake on."""

    def __init__(self, data, children=(), bug=""):
        self.data, self.grad, self.children, self.bug, self._backward = float(data), 0.0, children, bug, lambda: None

    def accumulate(self, grad, overwrite=False):
        self.grad = grad if overwrite else self.grad + grad

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), self.bug)

        def backward():
            self.accumulate(out.grad, self.bug == "add =")
            other.accumulate(out.grad, self.bug == "add =")

        out._backward = backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), self.bug)

        def backward():
            self.accumulate(other.data * out.grad, self.bug == "mul =")
            other.accumulate(self.data * out.grad, self.bug == "mul =")

        out._backward = backward
        return out

    def __sub__(self, other):
        out = Value(self.data - other.data, (self, other), self.bug)

        def backward():
            self.accumulate(out.grad)
            other.accumulate(out.grad if self.bug == "sub +" else -out.grad)

        out._backward = backward
        return out

    def __truediv__(self, other):
        out = Value(self.data / other.data, (self, other), self.bug)

        def backward():
            self.accumulate(out.grad / other.data)
            if self.bug != "div: no denominator":
                other.accumulate((self.data if self.bug == "div +" else -self.data) / other.data**2 * out.grad)

        out._backward = backward
        return out

    def pow(self, n):
        out = Value(self.data**n, (self,), self.bug)

        def backward():
            local = {"pow: no n": self.data ** (n - 1), "pow: exponent n": n * self.data**n}.get(self.bug, n * self.data ** (n - 1))
            self.accumulate(local * out.grad)

        out._backward = backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), self.bug)

        def backward():
            self.accumulate((self.data if self.bug == "exp of input" else out.data) * out.grad, self.bug == "exp =")

        out._backward = backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), self.bug)

        def backward():
            self.accumulate((1 - (self.data if self.bug == "tanh of input" else out.data) ** 2) * out.grad)

        out._backward = backward
        return out

    def relu(self):
        out = Value(max(self.data, 0.0), (self,), self.bug)

        def backward():
            self.accumulate((self.data > 0) * (1.0 if self.bug == "relu: no upstream" else out.grad))

        out._backward = backward
        return out

    def backward(self, grad=1.0):
        self.grad = grad
        if self.bug == "recurse":
            _recurse(self)
            return
        order = list(_order(self, set(), children_first=self.bug != "pre-order"))
        for node in order if self.bug == "pre-order" else reversed(order):
            node._backward()


def _recurse(node):
    node._backward()
    for child in node.children:
        _recurse(child)


def _order(node, seen, children_first):
    if node in seen:
        return
    seen.add(node)
    if not children_first:
        yield node
    for child in node.children:
        yield from _order(child, seen, children_first)
    if children_first:
        yield node


def expression(v, graph):
    if graph == "tree":
        return (v[0] * v[1] - v[2]) / v[3] + v[4].tanh() + v[5].exp() + v[6].relu() + v[7].pow(3)
    m = v[0] * v[1] + v[0]
    t = m.tanh()
    u = (m - t) / (v[3] * v[3] + v[4])
    w = u + u
    q = w * v[2]
    e = q.exp()
    r = (q.exp() - v[5]).relu()
    return r * t + (v[6] - w).pow(3) / v[7] + e * e


def _run(values, graph, bug=""):
    v = [Value(x, (), bug) for x in values]
    return v, expression(v, graph)


def make(rng, mode):
    return [rng.uniform(0.5, 1.5, 8), "tree" if mode in ("toy", "typical") else "dag"]


def forward(v, graph):
    return np.array(_run(v, graph)[1].data)


def _backward(bug=""):
    def backward(dout, v, graph):
        leaves, out = _run(v, graph, bug)
        out.backward(float(dout))
        return (np.array([leaf.grad for leaf in leaves]),)

    return backward


op("scalar", make, forward, diff=[0])(_backward())

for bug, label, note in [
    ("add =", "OVERWRITE", "__add__ uses = ; x+x gives 1"),
    ("mul =", "OVERWRITE", "__mul__ uses ="),
    ("exp =", "OVERWRITE", "exp uses = (the error the lecture itself made)"),
    ("sub +", "SIGN_FLIP", "__sub__ gives +1 to the right operand"),
    ("div +", "SIGN_FLIP", "d(a/b)/db without the minus"),
    ("div: no denominator", "MISSING_PATH", "division gives no gradient to the denominator"),
    ("pow: no n", "WRONG_CONSTANT", "power rule without the factor n"),
    ("pow: exponent n", "FORMULA", "n*x**n instead of n*x**(n-1)"),
    ("exp of input", "PRE_POST", "d exp(x) = x"),
    ("tanh of input", "PRE_POST", "1-x**2 with x the input"),
    ("relu: no upstream", "NO_UPSTREAM", "relu ignores out.grad"),
    ("recurse", "DOUBLE_COUNT", "recursion without topological sort"),
    ("pre-order", "MISSING_PATH", "pre-order visit: node processed before all its consumers"),
]:
    wrong("scalar", label, note)(_backward(bug))

_left_over = {}


@wrong("scalar", "STATE_LEAK", "gradients not zeroed between backward() calls")
def not_zeroed(dout, v, graph):
    total = _left_over.setdefault(graph, np.zeros(8))
    total += OPS["scalar"].backward(dout, v, graph)[0]
    return (total.copy(),)


@right("scalar", "division as pow(-1), subtraction as +(-1)*")
def without_sub_and_div(dout, values, graph):
    def neg(a):
        return a * Value(-1.0)

    v = [Value(x) for x in values]
    if graph == "tree":
        out = (v[0] * v[1] + neg(v[2])) * v[3].pow(-1) + v[4].tanh() + v[5].exp() + v[6].relu() + v[7].pow(3)
    else:
        m = v[0] * v[1] + v[0]
        t = m.tanh()
        u = (m + neg(t)) * (v[3].pow(2) + v[4]).pow(-1)
        w = u + u
        q = w * v[2]
        e = q.exp()
        r = (q.exp() + neg(v[5])).relu()
        out = r * t + (v[6] + neg(w)).pow(3) * v[7].pow(-1) + e.pow(2)
    out.backward(float(dout))
    return [np.array([leaf.grad for leaf in v])]


@right("scalar", "Kahn reference counting instead of recursion; returns a list of python floats")
def consumers_counted(dout, values, graph):
    leaves, out = _run(values, graph)
    waiting, seen, stack = {}, {out}, [out]
    while stack:
        for child in stack.pop().children:
            waiting[child] = waiting.get(child, 0) + 1
            if child not in seen:
                seen.add(child)
                stack.append(child)
    out.grad = float(dout)
    queue = [out]
    while queue:
        node = queue.pop()
        node._backward()
        for child in node.children:
            waiting[child] -= 1
            if waiting[child] == 0:
                queue.append(child)
    return [[leaf.grad for leaf in leaves]]
