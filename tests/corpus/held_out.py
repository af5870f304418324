"""Further backward passes of the same operations, as other students would write them.

Nothing that names mistakes was made with these cases in mind: they measure how naming does on answers it has not seen.
"""

import math
from functools import partial

import numpy as np

from . import corpus
from .corpus import Case, sigmoid, softmax
from .scalar_engine import expression

OPS = corpus.OPS
WRONG: list[Case] = []
RIGHT: list[Case] = []
wrong, right = partial(corpus.wrong, into=WRONG), partial(corpus.right, into=RIGHT)


# ---------------------------------------------------------------- scalar engine


class Number:
    """An engine that keeps, per input, a function from the gradient of the output to that of the input."""

    def __init__(self, data, edges=()):
        self.data, self.grad, self.edges = data, 0.0, edges

    def __add__(self, other):
        return type(self)(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])

    def __sub__(self, other):
        return type(self)(self.data - other.data, [(self, lambda g: g), (other, lambda g: -g)])

    def __mul__(self, other):
        return type(self)(self.data * other.data, [(self, lambda g: g * other.data), (other, lambda g: g * self.data)])

    def __truediv__(self, other):
        return type(self)(self.data / other.data, [(self, lambda g: g / other.data), (other, lambda g: -g * self.data / (other.data * other.data))])

    def pow(self, n):
        return type(self)(self.data**n, [(self, lambda g: g * n * self.data ** (n - 1))])

    def exp(self):
        out = type(self)(math.exp(self.data))
        out.edges = [(self, lambda g: g * out.data)]
        return out

    def tanh(self):
        out = type(self)(math.tanh(self.data))
        out.edges = [(self, lambda g: g * (1 - out.data * out.data))]
        return out

    def relu(self):
        return type(self)(self.data if self.data > 0 else 0.0, [(self, lambda g: g if self.data > 0 else 0.0)])

    def order(self):
        """Every node after all that use it."""
        done, out, todo = set(), [], [(self, False)]
        while todo:
            node, children_done = todo.pop()
            if children_done:
                out.append(node)
            elif id(node) not in done:
                done.add(id(node))
                todo.append((node, True))
                todo.extend((child, False) for child, _ in node.edges)
        return out[::-1]

    def backward(self, grad):
        self.grad = grad
        for node in self.order():
            for child, local in node.edges:
                child.grad += local(node.grad)


def run(engine):
    """backward(dout, v, graph) by an engine."""

    def backward(dout, v, graph):
        leaves = [engine(float(x)) for x in v]
        expression(leaves, graph).backward(float(dout))
        return (np.array([leaf.grad for leaf in leaves]),)

    backward.__name__ = engine.__name__
    return backward


right("scalar", "an explicit stack instead of recursion, edges as functions")(run(Number))


class Assigns(Number):
    def backward(self, grad):
        self.grad = grad
        for node in self.order():
            for child, local in node.edges:
                child.grad = local(node.grad)


class VisitsTwice(Number):
    def backward(self, grad):
        self.grad = grad
        todo = [self]
        while todo:
            node = todo.pop()
            for child, local in node.edges:
                child.grad += local(node.grad)
                todo.append(child)


class BreadthFirst(Number):
    def order(self):
        queue, seen = [self], {id(self)}
        for node in queue:
            for child, _ in node.edges:
                if id(child) not in seen:
                    seen.add(id(child))
                    queue.append(child)
        return queue


class OnlyLocal(Number):
    def backward(self, grad):
        self.grad = grad
        for node in self.order():
            for child, local in node.edges:
                child.grad += local(1.0)


class FactorsSwapped(Number):
    def __mul__(self, other):
        return type(self)(self.data * other.data, [(self, lambda g: g * self.data), (other, lambda g: g * other.data)])


class SquareOnly(Number):
    def pow(self, n):
        return type(self)(self.data**n, [(self, lambda g: g * 2 * self.data ** (n - 1))])


class TanhNotSquared(Number):
    def tanh(self):
        out = type(self)(math.tanh(self.data))
        out.edges = [(self, lambda g: g * (1 - out.data))]
        return out


class ExpPassesOn(Number):
    def exp(self):
        return type(self)(math.exp(self.data), [(self, lambda g: g)])


class LeftOnly(Number):
    def __add__(self, other):
        return type(self)(self.data + other.data, [(self, lambda g: g)])


class SubtractsFromLeft(Number):
    def __sub__(self, other):
        return type(self)(self.data - other.data, [(self, lambda g: -g), (other, lambda g: g)])


class DenominatorNotSquared(Number):
    def __truediv__(self, other):
        return type(self)(self.data / other.data, [(self, lambda g: g / other.data), (other, lambda g: -g * self.data / other.data)])


class InvertedRelu(Number):
    def relu(self):
        return type(self)(self.data if self.data > 0 else 0.0, [(self, lambda g: 0.0 if self.data > 0 else g)])


for engine, label, note in [
    (Assigns, "OVERWRITE", "backward sets child.grad ="),
    (VisitsTwice, "DOUBLE_COUNT", "a node hands its gradient on each time it is reached"),
    (BreadthFirst, "MISSING_PATH", "nodes in breadth-first order, some before all their consumers"),
    (OnlyLocal, "NO_UPSTREAM", "local derivatives added up without the gradient of the node"),
    (FactorsSwapped, "SWAPPED", "each factor gets itself"),
    (SquareOnly, "WRONG_CONSTANT", "2*x**(n-1) for every n"),
    (TanhNotSquared, "FORMULA", "1 - tanh"),
    (ExpPassesOn, "DROPPED_LOCAL", "exp passes the gradient on as it came"),
    (LeftOnly, "MISSING_PATH", "__add__ forgets the right operand"),
    (SubtractsFromLeft, "SIGN_FLIP", "the minus is on the left operand"),
    (DenominatorNotSquared, "FORMULA", "-a/b instead of -a/b**2"),
    (InvertedRelu, "WRONG_MASK", "relu lets negative numbers through"),
]:
    wrong("scalar", label, note)(run(engine))

_seen_nodes = []


@wrong("scalar", "STATE_LEAK", "a module-level list of gradients grows with every call")
def remembers_gradients(dout, v, graph):
    _seen_nodes.append(run(Number)(dout, v, graph)[0])
    return (np.sum([g for g in _seen_nodes if g.shape == v.shape], axis=0),)


@right("scalar", "forward mode: one dual number per input")
def dual_numbers(dout, v, graph):
    class Dual:
        def __init__(self, a, b=0.0):
            self.a, self.b = a, b

        def __add__(self, o):
            return Dual(self.a + o.a, self.b + o.b)

        def __sub__(self, o):
            return Dual(self.a - o.a, self.b - o.b)

        def __mul__(self, o):
            return Dual(self.a * o.a, self.b * o.a + self.a * o.b)

        def __truediv__(self, o):
            return Dual(self.a / o.a, (self.b * o.a - self.a * o.b) / o.a**2)

        def pow(self, n):
            return Dual(self.a**n, n * self.a ** (n - 1) * self.b)

        def exp(self):
            return Dual(math.exp(self.a), math.exp(self.a) * self.b)

        def tanh(self):
            return Dual(math.tanh(self.a), self.b / math.cosh(self.a) ** 2)

        def relu(self):
            return Dual(max(self.a, 0.0), self.b * (self.a > 0))

    return [np.array([float(dout) * expression([Dual(x, float(i == k)) for i, x in enumerate(v)], graph).b for k in range(len(v))])]


# ---------------------------------------------------------------- broadcast


def fit(grad, like):
    """Sum grad down to the shape of ``like``."""
    extra = grad.ndim - like.ndim
    grad = grad.sum(axis=tuple(range(extra)))
    for k, n in enumerate(like.shape):
        if n == 1:
            grad = grad.sum(axis=k, keepdims=True)
    return grad


@wrong("broadcast", "MISSING_BROADCAST_SUM", "sums the first axis only, leaves the others of a 3-D input")
def first_axis_only(dout, x, g, b):
    return dout * g, np.sum(dout * x, 0), fit(dout, b)


@wrong("broadcast", "DROPPED_LOCAL", "dx without the factor g")
def gain_forgotten(dout, x, g, b):
    return 1.0 * dout, fit(dout * x, g), fit(dout, b)


@wrong("broadcast", "NO_UPSTREAM", "dg is the sum of x")
def dg_without_dout(dout, x, g, b):
    return dout * g, fit(x, g), fit(dout, b)


@wrong("broadcast", "PRE_POST", "dg uses the output where x is due")
def dg_of_output(dout, x, g, b):
    y = x * g + b
    return dout * g, fit(dout * y, g), fit(dout, b)


@wrong("broadcast", "EXTRA_MEAN", "db averaged")
def db_mean(dout, x, g, b):
    stretched = dout.size // b.size
    return dout * g, fit(dout * x, g), fit(dout, b) / stretched


@wrong("broadcast", "SIGN_FLIP", "db subtracted")
def db_minus(dout, x, g, b):
    return dout * g, fit(dout * x, g), fit(-dout, b)


@wrong("broadcast", "SWAPPED", "g and b get each other's gradient")
def g_and_b(dout, x, g, b):
    dg, db = fit(dout * x, g), fit(dout, b)
    return dout * g, db, dg


@right("broadcast", "einsum over named axes, float32 bias")
def broadcast_named(dout, x, g, b):
    if x.ndim == 3:
        return [np.einsum("abc,c->abc", dout, g), np.einsum("abc,abc->c", dout, x), np.einsum("abc->b", dout)[:, None].astype(np.float32)]
    db = np.einsum("bc->b", dout)[:, None] if b.shape[0] == len(x) else dout.sum().reshape(1, 1)
    return [np.einsum("bc,c->bc", dout, g), np.einsum("bc,bc->c", dout, x), db.astype(np.float32)]


# ---------------------------------------------------------------- affine


@wrong("affine", "OVERWRITE", "loop over examples with dw =")
def last_example_only(dout, x, w, b):
    dx, dw = np.empty(x.shape), np.zeros(w.shape)
    for n, (row, d) in enumerate(zip(x, dout, strict=True)):
        dx[n] = np.dot(w, d).reshape(row.shape)
        dw = np.outer(row, d)
    return dx, dw, np.einsum("nm->m", dout)


@wrong("affine", "EXTRA_MEAN", "db is a mean over the batch")
def bias_averaged(dout, x, w, b):
    flat = x.reshape(len(x), -1)
    return (dout @ w.T).reshape(x.shape), flat.T @ dout, np.average(dout, axis=0)


@wrong("affine", "NO_UPSTREAM", "db counts the examples")
def bias_counts(dout, x, w, b):
    flat = x.reshape(len(x), -1)
    return (dout @ w.T).reshape(x.shape), flat.T @ dout, np.ones_like(b) * len(x)


@wrong("affine", "SIGN_FLIP", "dw as it is subtracted in gradient descent")
def descends(dout, x, w, b):
    flat = x.reshape(len(x), -1)
    return (dout @ w.T).reshape(x.shape), -np.dot(flat.T, dout), dout.sum(axis=0)


@wrong("affine", "DTYPE", "dx in a half-precision buffer")
def half_buffer(dout, x, w, b):
    dx = np.zeros(x.shape, dtype=np.float16)
    dx[...] = (dout @ w.T).reshape(x.shape)
    return dx, x.reshape(len(x), -1).T @ dout, dout.sum(axis=0)


@wrong("affine", "DTYPE", "db filled into an array of integers")
def integer_bias(dout, x, w, b):
    db = np.array([0] * len(b))
    for j in range(len(b)):
        db[j] = dout[:, j].sum()
    return (dout @ w.T).reshape(x.shape), x.reshape(len(x), -1).T @ dout, db


@wrong("affine", "MUTATES", "adds the gradient into b")
def bias_updated(dout, x, w, b):
    dx, dw = np.matmul(dout, w.T).reshape(x.shape), x.reshape(len(x), -1).T @ dout
    db = dout.sum(0)
    b -= 0.1 * db
    return dx, dw, db


_parameters = {}


@wrong("affine", "STATE_LEAK", "dw kept in a dictionary and added to, never zeroed")
def never_zeroed(dout, x, w, b):
    _parameters.setdefault(w.shape, np.zeros(w.shape))
    _parameters[w.shape] = _parameters[w.shape] + x.reshape(len(x), -1).T @ dout
    return (dout @ w.T).reshape(x.shape), _parameters[w.shape], dout.sum(0)


@wrong("affine", "SHAPE", "db as a row of shape (1, M)")
def bias_row(dout, x, w, b):
    return (dout @ w.T).reshape(x.shape), x.reshape(len(x), -1).T @ dout, np.ones((1, len(dout))) @ dout


@wrong("affine", "INDEXING", "loop stops before the last example")
def one_short(dout, x, w, b):
    dw = np.zeros_like(w)
    for n in range(len(x) - 1):
        dw += x[n].reshape(-1, 1) * dout[n].reshape(1, -1)
    return (dout @ w.T).reshape(x.shape), dw, dout.sum(0)


@wrong("affine", "TRANSPOSED", "dw of shape (M, D)")
def weights_other_way(dout, x, w, b):
    return (dout @ w.T).reshape(x.shape), dout.T @ x.reshape(len(x), -1), dout.sum(0)


@wrong("affine", "DROPPED_LOCAL", "dw is the sum of dout, not times x")
def input_forgotten(dout, x, w, b):
    return (dout @ w.T).reshape(x.shape), np.tile(dout.sum(0), (len(w), 1)), dout.sum(0)


@right("affine", "nested lists of numbers")
def affine_lists(dout, x, w, b):
    rows = x.reshape(len(x), -1)
    dw = [[sum(float(r[i]) * float(d[j]) for r, d in zip(rows, dout, strict=True)) for j in range(w.shape[1])] for i in range(w.shape[0])]
    return [(dout @ w.T).reshape(x.shape).tolist(), dw, [float(s) for s in dout.sum(0)]]


@right("affine", "read-only, Fortran order, reversed strides")
def affine_views(dout, x, w, b):
    dw = np.asfortranarray(x.reshape(len(x), -1).T @ dout)
    dw.flags.writeable = False
    db = dout.sum(0)[::-1].copy()[::-1]
    return np.ascontiguousarray(dout @ w.T).reshape(x.shape), dw, db


@right("affine", "works in place on a copy of dout")
def affine_own_copy(dout, x, w, b):
    d = dout.copy()
    dw = np.tensordot(x.reshape(len(x), -1), d, axes=(0, 0))
    dx = np.einsum("nm,dm->nd", d, w).reshape(x.shape)
    for n in range(1, len(d)):
        d[0] += d[n]
    return dx, dw, d[0]


# ---------------------------------------------------------------- elementwise


@wrong("relu", "WRONG_MASK", "the mask is taken from dout (guided backpropagation)")
def guided(dout, x):
    return (np.where(dout > 0, dout, 0.0),)


@wrong("relu", "FORMULA", "multiplies by relu(x), not by its slope")
def value_as_slope(dout, x):
    return (dout * np.clip(x, 0, None),)


@wrong("relu", "MUTATES", "clips x in place to make the mask")
def clips_x(dout, x):
    x[x < 0] = 0
    return (dout * np.sign(x),)


@wrong("relu", "DTYPE", "result cast to integers")
def whole_numbers(dout, x):
    return ((x > 0).astype(int) * dout.astype(int),)


@wrong("relu", "WRONG_MASK", "elements above 1 are let through")
def above_one(dout, x):
    dx = np.zeros_like(dout)
    dx[x > 1] = dout[x > 1]
    return (dx,)


@right("relu", "one half at zero")
def half_at_zero(dout, x):
    return (dout * 0.5 * (1 + np.sign(x)),)


@right("relu", "a different subgradient at each zero")
def any_at_zero(dout, x):
    slope = (x > 0).astype(np.float64)
    flat = slope.reshape(-1)
    zeros = np.flatnonzero(x.reshape(-1) == 0)
    flat[zeros] = np.linspace(0.1, 0.9, len(zeros))
    return (dout * slope,)


@right("relu", "a nested list")
def relu_nested_list(dout, x):
    return ((dout * (x > 0)).tolist(),)


@right("relu", "float32 in Fortran order")
def relu_float32(dout, x):
    return [np.asfortranarray(np.multiply(dout, x > 0, dtype=np.float32))]


@wrong("sigmoid", "UNSTABLE", "exp(-x) / (1 + exp(-x))**2")
def sigmoid_of_exp(dout, x):
    e = np.exp(-x)
    return (dout * e / (1 + e) ** 2,)


@wrong("sigmoid", "SIGN_FLIP", "s * (s - 1)")
def s_minus_one(dout, x):
    s = sigmoid(x)
    return (dout * s * (s - 1),)


@wrong("sigmoid", "FORMULA", "derivative of tanh: 1 - s**2")
def like_tanh(dout, x):
    return (dout * (1 - sigmoid(x) ** 2),)


@wrong("sigmoid", "DROPPED_LOCAL", "dout handed on")
def sigmoid_not_applied(dout, x):
    return (np.array(dout),)


@wrong("sigmoid", "PRE_POST", "x * (1 - x)")
def x_one_minus_x(dout, x):
    return (dout * x * (1 - x),)


@right("sigmoid", "1/(4 cosh**2(x/2)) by exp of a negative number")
def sigmoid_cosh(dout, x):
    e = np.exp(-abs(x))
    return (dout * e / (1 + e) ** 2,)


@right("sigmoid", "numbers one by one, branch on the sign")
def sigmoid_branches(dout, x):
    dx = np.empty(x.shape)
    for k in np.ndindex(x.shape):
        if x[k] >= 0:
            e = math.exp(-x[k])
            dx[k] = dout[k] * e / (1 + e) ** 2
        else:
            e = math.exp(x[k])
            dx[k] = dout[k] * e / (1 + e) ** 2
    return (dx,)


@wrong("tanh", "FORMULA", "1 - tanh(x), not squared")
def not_squared(dout, x):
    out = np.tanh(x)
    return (dout - dout * out,)


@wrong("tanh", "PRE_POST", "1 - x**2")
def square_of_input(dout, x):
    return (dout * (1 - x * x),)


@wrong("tanh", "NO_UPSTREAM", "1 - tanh(x)**2")
def tanh_slope_only(dout, x):
    return (1.0 - np.square(np.tanh(x)),)


@wrong("tanh", "SIGN_FLIP", "tanh(x)**2 - 1")
def squared_minus_one(dout, x):
    return ((np.tanh(x) ** 2 - 1) * dout,)


@wrong("tanh", "DTYPE", "computed in half precision")
def tanh_half(dout, x):
    t = np.tanh(x.astype(np.float16))
    return (dout.astype(np.float16) * (1 - t * t),)


@right("tanh", "(1-t)(1+t), transposed twice")
def tanh_factors(dout, x):
    t = np.tanh(x.T)
    return ((dout.T * (1 - t) * (1 + t)).T,)


@wrong("gelu", "NO_UPSTREAM", "local derivative only")
def gelu_slope_only(dout, x):
    a = math.sqrt(2 / math.pi)
    t = np.tanh(a * x * (1 + 0.044715 * x * x))
    return (0.5 + 0.5 * t + 0.5 * x * (1 - t * t) * a * (1 + 0.134145 * x * x),)


@wrong("gelu", "WRONG_CONSTANT", "0.44715 in the inner derivative")
def gelu_digit_lost(dout, x):
    a = math.sqrt(2 / math.pi)
    t = np.tanh(a * (x + 0.044715 * x**3))
    inner = a * (1 + 3 * 0.44715 * x**2)
    return (dout * (0.5 * (1 + t) + 0.5 * x * inner * (1 - t**2)),)


@wrong("gelu", "PRE_POST", "1 - u**2, u the argument of tanh")
def gelu_square_of_argument(dout, x):
    a = math.sqrt(2 / math.pi)
    u = a * (x + 0.044715 * x**3)
    du = a * (1 + 0.134145 * x**2)
    return (0.5 * dout * (1 + np.tanh(u) + x * (1 - u**2) * du),)


@wrong("gelu", "FORMULA", "derivative of the form with erf")
def gelu_exact(dout, x):
    cdf = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return (dout * (cdf + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)),)


@wrong("gelu", "MISSING_PATH", "only the term with x outside")
def gelu_second_term(dout, x):
    a = math.sqrt(2 / math.pi)
    t = np.tanh(a * (x + 0.044715 * x**3))
    return (dout * 0.5 * x * (1 - t**2) * a * (1 + 0.134145 * x**2),)


@right("gelu", "in place, number by number in float32 at the end")
def gelu_in_place(dout, x):
    a = math.sqrt(2 / math.pi)
    u = x**3
    u *= 0.044715
    u += x
    u *= a
    np.tanh(u, out=u)
    local = 0.5 * x * (1 - u * u) * a * (1 + 3 * 0.044715 * x * x)
    local += 0.5 * (1 + u)
    return [(local * dout).astype("f4")]


@wrong("dropout", "STATE_LEAK", "a fresh mask is drawn")
def fresh_mask(dout, x, mask, p):
    drawn = np.random.rand(*x.shape) > p
    return (dout * drawn / (1 - p),)


@wrong("dropout", "WRONG_CONSTANT", "multiplied by 1-p")
def times_keep(dout, x, mask, p):
    return ((1 - p) * mask * dout,)


@wrong("dropout", "WRONG_CONSTANT", "scaled twice")
def scaled_twice(dout, x, mask, p):
    scaled = mask / (1 - p)
    return (dout * scaled / (1 - p),)


@wrong("dropout", "WRONG_MASK", "the dropped elements get the gradient")
def other_mask(dout, x, mask, p):
    return (dout * (1 - mask) / (1 - p),)


@wrong("dropout", "WRONG_MASK", "mask read off the output: zeros of x count as dropped")
def mask_from_output(dout, x, mask, p):
    out = x * mask / (1 - p)
    return (dout * (out != 0) / (1 - p),)


@wrong("dropout", "NO_UPSTREAM", "the scaled mask itself")
def scaled_mask(dout, x, mask, p):
    return (mask / (1 - p),)


@wrong("dropout", "MUTATES", "dout *= mask")
def masked_in_place(dout, x, mask, p):
    dout *= mask
    return (dout / (1 - p),)


@right("dropout", "boolean indexing into zeros")
def dropout_indexed(dout, x, mask, p):
    dx = np.zeros(x.shape)
    kept = mask == 1
    dx[kept] = dout[kept] / (1 - p)
    return [dx]


@right("dropout", "float32, nested lists")
def dropout_lists(dout, x, mask, p):
    return ([[float(d) * float(m) / (1 - p) for d, m in zip(row, kept, strict=True)] for row, kept in zip(dout, mask, strict=True)],)


# ---------------------------------------------------------------- softmax, cross-entropy, logsumexp


@wrong("softmax", "WRONG_AXIS", "normalised over the whole array")
def softmax_over_everything(dout, x):
    e = np.exp(x - np.max(x))
    p = e / np.sum(e)
    return (p * (dout - np.sum(dout * p)),)


@wrong("softmax", "WRONG_AXIS", "inner sum over the first axis")
def inner_over_batch(dout, x):
    p = softmax(x)
    return (p * (dout - np.sum(p * dout, axis=0)),)


@wrong("softmax", "DIAG_JACOBIAN", "p(1-p)")
def elementwise_softmax(dout, x):
    p = softmax(x)
    return (p * (1.0 - p) * dout,)


@wrong("softmax", "MISSING_PATH", "only the diagonal term p*dout")
def only_numerator(dout, x):
    return (np.multiply(softmax(x), dout),)


@wrong("softmax", "FORMULA", "subtracts the plain sum of dout")
def plain_sum(dout, x):
    p = softmax(x)
    return (p * (dout - dout.sum(axis=-1, keepdims=True)),)


@wrong("softmax", "EXTRA_MEAN", "np.mean for the inner sum")
def inner_mean(dout, x):
    p = softmax(x)
    return (p * (dout - np.mean(dout * p, axis=-1, keepdims=True)),)


@wrong("softmax", "SIGN_FLIP", "inner term added")
def inner_added(dout, x):
    p = softmax(x)
    return (p * dout + p * np.sum(p * dout, -1, keepdims=True),)


@wrong("softmax", "SHAPE", "result flattened to rows")
def rows_left(dout, x):
    p, d = softmax(x).reshape(-1, x.shape[-1]), dout.reshape(-1, x.shape[-1])
    return (np.stack([pi * di - pi * np.dot(pi, di) for pi, di in zip(p, d, strict=True)])[None],)


@right("softmax", "row by row with the Jacobian, list of rows")
def softmax_rows(dout, x):
    p, d = softmax(x).reshape(-1, x.shape[-1]), dout.reshape(-1, x.shape[-1])
    return [np.reshape([(np.diag(pi) - pi[:, None] * pi) @ di for pi, di in zip(p, d, strict=True)], x.shape).tolist()]


@right("softmax", "log-softmax, then times p")
def softmax_by_log(dout, x):
    p = np.exp(x - x.max(-1, keepdims=True) - np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)))
    centred = dout - np.einsum("...k,...k->...", p, dout)[..., np.newaxis]
    return (centred * p,)


@wrong("softmax_ce", "WRONG_AXIS", "softmax over the batch")
def softmax_over_batch(dout, z, y):
    p = softmax(z, axis=0)
    p[range(len(y)), y] -= 1
    return (p * dout / len(y),)


@wrong("softmax_ce", "EXTRA_MEAN", "divided by the number of elements, classes included")
def divided_by_size(dout, z, y):
    p = softmax(z)
    p[np.arange(len(y)), y] -= 1.0
    return (dout * p / p.size,)


@wrong("softmax_ce", "INDEXING", "p[:, y] -= 1")
def all_rows(dout, z, y):
    p = softmax(z)
    p[:, y] -= 1
    return (dout * p / len(z),)


@wrong("softmax_ce", "MUTATES", "z -= max in place")
def logits_shifted(dout, z, y):
    z -= z.max(axis=1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return (dout * (p - np.eye(z.shape[1])[y]) / len(y),)


@wrong("softmax_ce", "PRE_POST", "logits - onehot")
def logits_minus_onehot(dout, z, y):
    target = np.zeros_like(z)
    target[np.arange(len(y)), y] = 1
    return (dout * (z - target) / len(y),)


@wrong("softmax_ce", "SIGN_FLIP", "p plus one-hot")
def plus_onehot(dout, z, y):
    return (dout * (softmax(z) + np.eye(z.shape[1])[y]) / len(y),)


@wrong("softmax_ce", "DIAG_JACOBIAN", "only the logit of the label gets a gradient: p - 1 there, 0 elsewhere")
def label_column_only(dout, z, y):
    p, rows = softmax(z), np.arange(len(y))
    dz = np.zeros_like(z)
    dz[rows, y] = -1 / p[rows, y] * p[rows, y] * (1 - p[rows, y])
    return (dout * dz / len(y),)


@wrong("softmax_ce", "WRONG_CONSTANT", "twice too large, as for a squared error")
def twice(dout, z, y):
    return (2 * dout * (softmax(z) - np.eye(z.shape[1])[y]) / len(y),)


@right("softmax_ce", "numbers one by one")
def cross_entropy_loops(dout, z, y):
    N, C = z.shape
    dz = np.zeros((N, C))
    for n in range(N):
        top = max(z[n])
        total = sum(math.exp(v - top) for v in z[n])
        for c in range(C):
            dz[n, c] = float(dout) * (math.exp(z[n, c] - top) / total - (1 if c == y[n] else 0)) / N
    return [dz]


@wrong("logsumexp", "NO_UPSTREAM", "softmax of x")
def just_softmax(dout, x):
    return (softmax(x),)


@wrong("logsumexp", "DROPPED_LOCAL", "dout repeated along the row")
def repeated(dout, x):
    return (np.repeat(dout[..., None], x.shape[-1], axis=-1),)


@wrong("logsumexp", "WRONG_AXIS", "softmax over the first axis")
def first_axis_softmax(dout, x):
    return (softmax(x, axis=0) * np.expand_dims(dout, -1),)


@wrong("logsumexp", "FORMULA", "exp(x - max), never divided by the sum")
def not_normalised(dout, x):
    return (dout[..., None] * np.exp(x - x.max(-1, keepdims=True)),)


@wrong("logsumexp", "EXTRA_MEAN", "divided by the number of columns")
def lse_mean(dout, x):
    return (dout[..., None] * softmax(x) / x.shape[-1],)


@right("logsumexp", "float32, in Fortran order")
def logsumexp_float32(dout, x):
    return [np.asfortranarray(softmax(x) * dout.reshape((*dout.shape, 1)), dtype=np.float32)]


# ---------------------------------------------------------------- normalisation


def batch_parts(dout, x, gamma):
    mu, var = np.mean(x, axis=0), np.var(x, axis=0)
    istd = 1.0 / np.sqrt(var + 1e-5)
    return x - mu, istd, (x - mu) * istd, dout * gamma


@wrong("batchnorm", "STATS_CONST", "mean and variance taken as fixed numbers")
def fixed_statistics(dout, x, gamma, beta):
    _xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    return dxh * istd, (dout * xh).sum(0), dout.sum(0)


@wrong("batchnorm", "MISSING_PATH", "nothing through the mean")
def no_mean_path(dout, x, gamma, beta):
    xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    dvar = np.sum(dxh * xc, axis=0) * (-0.5) * istd**3
    return dxh * istd + dvar * 2.0 * xc / len(x), np.sum(dout * xh, 0), np.sum(dout, 0)


@wrong("batchnorm", "MISSING_PATH", "nothing through the variance")
def no_variance_path(dout, x, gamma, beta):
    _xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    dmean = -np.sum(dxh * istd, axis=0)
    return dxh * istd + dmean / len(x), np.sum(dout * xh, 0), np.sum(dout, 0)


@wrong("batchnorm", "DDOF", "np.std(ddof=1)")
def sample_std(dout, x, gamma, beta):
    std = np.sqrt(np.var(x, axis=0, ddof=1) + 1e-5)
    xh = (x - x.mean(0)) / std
    d = dout * gamma
    return (d - d.mean(0) - xh * (d * xh).mean(0)) / std, (dout * xh).sum(0), dout.sum(0)


@wrong("batchnorm", "FORMULA", "std**2 where std**3 is due in dvar")
def wrong_power(dout, x, gamma, beta):
    xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    dvar = -0.5 * (dxh * xc).sum(0) * istd**2
    dmean = -(dxh * istd).sum(0)
    return dxh * istd + dvar * 2 * xc / len(x) + dmean / len(x), (dout * xh).sum(0), dout.sum(0)


@wrong("batchnorm", "DROPPED_LOCAL", "gamma left out of dx")
def gamma_left_out(dout, x, gamma, beta):
    _xc, istd, xh, _ = batch_parts(dout, x, gamma)
    return (dout - dout.mean(0) - xh * (dout * xh).mean(0)) * istd, (dout * xh).sum(0), dout.sum(0)


@wrong("batchnorm", "SIGN_FLIP", "mean term added")
def mean_term_added(dout, x, gamma, beta):
    _xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    N = x.shape[0]
    return istd / N * (N * dxh + dxh.sum(0) - xh * (dxh * xh).sum(0)), (dout * xh).sum(0), dout.sum(0)


@wrong("batchnorm", "OVERWRITE", "dx = for each path, the last stays")
def last_path_stays(dout, x, gamma, beta):
    xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    N = len(x)
    dvar = -0.5 * (dxh * xc).sum(0) * istd**3
    dx = dxh * istd
    dx = dvar * 2 * xc / N
    dx = dx - (dxh * istd).sum(0) / N
    return dx, (dout * xh).sum(0), dout.sum(0)


@wrong("batchnorm", "NO_UPSTREAM", "dbeta is N")
def dbeta_counts(dout, x, gamma, beta):
    dx, dgamma, _ = OPS["batchnorm"].backward(dout, x, gamma, beta)
    return dx, dgamma, np.full(beta.shape, float(len(x)))


@wrong("batchnorm", "SWAPPED", "returns dbeta before dgamma")
def beta_before_gamma(dout, x, gamma, beta):
    _xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    dx = istd * (dxh - dxh.mean(0) - xh * np.mean(dxh * xh, 0))
    return dx, dout.sum(0), (dout * xh).sum(0)


@wrong("batchnorm", "DOUBLE_COUNT", "the path through the mean is added twice")
def mean_path_twice(dout, x, gamma, beta):
    xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    N = len(x)
    dvar = -0.5 * (dxh * xc).sum(0) * istd**3
    dmu = -(dxh * istd).sum(0)
    dx = dxh * istd + dmu / N
    dx += dvar * 2 * xc / N
    dx += dmu / N
    return dx, (dout * xh).sum(0), dout.sum(0)


@wrong("batchnorm", "WRONG_CONSTANT", "factor 2 of the square forgotten")
def square_without_two(dout, x, gamma, beta):
    xc, istd, xh, dxh = batch_parts(dout, x, gamma)
    N = len(x)
    dvar = -0.5 * (dxh * xc).sum(0) * istd**3
    dx = dxh * istd + dvar * xc / N - (dxh * istd).sum(0) / N
    return dx, (dout * xh).sum(0), dout.sum(0)


@right("batchnorm", "graph walked step by step, every path added into its own buffer")
def batchnorm_graph(dout, x, gamma, beta):
    N = len(x)
    xc = x - x.mean(axis=0)
    std = ((xc * xc).sum(axis=0) / N + 1e-5) ** 0.5
    dxc = gamma * dout / std
    dstd = -((gamma * dout) * xc).sum(axis=0) / (std * std)
    dxc += xc * dstd / (N * std)
    dx = dxc.copy()
    dx -= dxc.sum(axis=0) / N
    return dx, ((xc / std) * dout).sum(axis=0), np.add.reduce(dout)


def row_parts(dout, x, gamma):
    mu, var = np.mean(x, axis=-1, keepdims=True), np.var(x, axis=-1, keepdims=True)
    std = np.sqrt(var + 1e-5)
    return std, (x - mu) / std, dout * gamma, tuple(range(x.ndim - 1))


@wrong("layernorm", "DDOF", "sample standard deviation, n - 1")
def layernorm_sample_std(dout, x, gamma, beta):
    std = np.sqrt(np.var(x, axis=-1, ddof=1, keepdims=True) + 1e-5)
    xh = (x - x.mean(-1, keepdims=True)) / std
    d, batch = dout * gamma, tuple(range(x.ndim - 1))
    dx = (d - d.mean(-1, keepdims=True) - xh * (d * xh).mean(-1, keepdims=True)) / std
    return dx, (dout * xh).sum(batch), dout.sum(batch)


@wrong("layernorm", "MISSING_MEAN", "both row means are sums")
def row_sums(dout, x, gamma, beta):
    std, xh, d, batch = row_parts(dout, x, gamma)
    dx = (d - d.sum(-1, keepdims=True) - xh * (d * xh).sum(-1, keepdims=True)) / std
    return dx, (dout * xh).sum(batch), dout.sum(batch)


@wrong("layernorm", "MISSING_PATH", "mean path dropped")
def layernorm_no_mean_path(dout, x, gamma, beta):
    std, xh, d, batch = row_parts(dout, x, gamma)
    return (d - xh * np.mean(d * xh, -1, keepdims=True)) / std, (dout * xh).sum(batch), dout.sum(batch)


@wrong("layernorm", "SHAPE", "dgamma keeps its batch axes")
def batch_axes_kept(dout, x, gamma, beta):
    std, xh, d, batch = row_parts(dout, x, gamma)
    dx = (d - d.mean(-1, keepdims=True) - xh * (d * xh).mean(-1, keepdims=True)) / std
    return dx, np.sum(dout * xh, axis=batch, keepdims=True), dout.sum(batch)


@wrong("layernorm", "WRONG_AXIS", "dbeta summed over the features")
def dbeta_over_features(dout, x, gamma, beta):
    std, xh, d, batch = row_parts(dout, x, gamma)
    dx = (d - d.mean(-1, keepdims=True) - xh * (d * xh).mean(-1, keepdims=True)) / std
    return dx, (dout * xh).sum(batch), np.sum(dout, axis=-1)


@wrong("layernorm", "DROPPED_LOCAL", "gamma forgotten")
def layernorm_gamma_forgotten(dout, x, gamma, beta):
    std, xh, _, batch = row_parts(dout, x, gamma)
    dx = (dout - dout.mean(-1, keepdims=True) - xh * (dout * xh).mean(-1, keepdims=True)) / std
    return dx, (dout * xh).sum(batch), dout.sum(batch)


@wrong("layernorm", "EXTRA_MEAN", "dgamma averaged")
def dgamma_averaged(dout, x, gamma, beta):
    std, xh, d, batch = row_parts(dout, x, gamma)
    dx = (d - d.mean(-1, keepdims=True) - xh * (d * xh).mean(-1, keepdims=True)) / std
    return dx, (dout * xh).mean(batch), dout.sum(batch)


@wrong("layernorm", "PRE_POST", "x in place of xhat in the variance term")
def x_for_xhat(dout, x, gamma, beta):
    std, xh, d, batch = row_parts(dout, x, gamma)
    dx = (d - d.mean(-1, keepdims=True) - x * (d * xh).mean(-1, keepdims=True)) / std
    return dx, (dout * xh).sum(batch), dout.sum(batch)


@wrong("layernorm", "DOUBLE_COUNT", "the path through the variance is added for the sum and for the mean")
def variance_path_twice(dout, x, gamma, beta):
    std, xh, d, batch = row_parts(dout, x, gamma)
    dx = d / std
    for _ in ("from the variance", "from the mean"):
        dx -= xh * (d * xh).mean(-1, keepdims=True) / std
    dx -= d.mean(-1, keepdims=True) / std
    return dx, (dout * xh).sum(batch), dout.sum(batch)


@right("layernorm", "row by row, lists of arrays")
def layernorm_rows(dout, x, gamma, beta):
    D = x.shape[-1]
    dx, dgamma, dbeta = np.empty_like(x), np.zeros(D), np.zeros(D)
    for k in np.ndindex(x.shape[:-1]):
        c = x[k] - x[k].sum() / D
        s = math.sqrt(c @ c / D + 1e-5)
        d = dout[k] * gamma
        dx[k] = (d - d.sum() / D) / s - c * (c @ d) / (D * s**3)
        dgamma += dout[k] * c / s
        dbeta += dout[k]
    return [dx, dgamma.tolist(), list(dbeta)]


# ---------------------------------------------------------------- embedding


@wrong("embedding", "INDEXING", "rows one too high")
def one_row_up(dout, w, ids):
    dw = np.zeros(w.shape)
    np.add.at(dw, ids - 1, dout)
    return (dw,)


@wrong("embedding", "NO_UPSTREAM", "counts how often each row was used")
def row_counts(dout, w, ids):
    dw = np.zeros_like(w)
    for i in ids.flatten():
        dw[i] += 1
    return (dw,)


@wrong("embedding", "OVERWRITE", "loop with =")
def last_use_wins(dout, w, ids):
    dw = np.zeros_like(w)
    for i, d in zip(ids.flatten(), dout.reshape(-1, w.shape[1]), strict=True):
        dw[i] = d
    return (dw,)


@wrong("embedding", "SHAPE", "one row per id, not per row of the table")
def rows_of_ids(dout, w, ids):
    return (dout.reshape(-1, w.shape[1]),)


@wrong("embedding", "DTYPE", "table of integer zeros")
def integer_table(dout, w, ids):
    dw = np.zeros(w.shape, dtype=np.int32)
    for i, d in zip(ids.ravel(), dout.reshape(-1, w.shape[1]), strict=True):
        dw[i] += d.astype(np.int32)
    return (dw,)


_table = {}


@wrong("embedding", "STATE_LEAK", "the table of gradients lives on between calls")
def table_lives_on(dout, w, ids):
    dw = _table.setdefault(w.shape, np.zeros(w.shape))
    np.add.at(dw, ids, dout)
    return (dw.copy(),)


@wrong("embedding", "MISSING_PATH", "the first use of each id only")
def first_use_only(dout, w, ids):
    dw, used = np.zeros_like(w), set()
    for i, d in zip(ids.ravel().tolist(), dout.reshape(-1, w.shape[1]), strict=True):
        if i not in used:
            dw[i] = d
            used.add(i)
    return (dw,)


@right("embedding", "sorted ids and add.reduceat")
def sorted_segments(dout, w, ids):
    flat, rows = ids.ravel(), dout.reshape(-1, w.shape[1])
    order = np.argsort(flat, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(flat[order]) > 0])
    dw = np.zeros_like(w)
    dw[flat[order][starts]] = np.add.reduceat(rows[order], starts, axis=0)
    return (dw,)


@right("embedding", "transposed table, float32")
def transposed_table(dout, w, ids):
    dw = np.zeros(w.shape[::-1], dtype=np.float32)
    for i, d in zip(ids.ravel(), dout.reshape(-1, w.shape[1]), strict=True):
        dw[:, i] += d
    return (dw.T,)


# ---------------------------------------------------------------- convolution, pooling


def conv_by_student(dout, x, w, b, stride, pad, *, dx_add=True, dw_add=True, step=None, place=None, half=False):
    """Loops over examples and output positions."""
    N, F, Ho, Wo = dout.shape
    KH, KW = w.shape[2:]
    step = stride if step is None else step
    xpad = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    dxpad = np.zeros_like(xpad)
    dw = np.zeros(w.shape, np.float16) if half else np.zeros_like(w)
    for n in range(N):
        for r in range(Ho):
            for c in range(Wo):
                y0, x0 = place(r, c) if place else (r * step, c * step)
                patch = xpad[n, :, y0 : y0 + KH, x0 : x0 + KW]
                for f in range(F):
                    g = dout[n, f, r, c]
                    if dx_add:
                        dxpad[n, :, y0 : y0 + KH, x0 : x0 + KW] += g * w[f]
                    else:
                        dxpad[n, :, y0 : y0 + KH, x0 : x0 + KW] = g * w[f]
                    if dw_add:
                        dw[f] += (g * patch).astype(dw.dtype)
                    else:
                        dw[f] = g * patch
    return dxpad, dw, dout.sum(axis=(0, 2, 3))


def cropped(dxpad, x, pad):
    return dxpad[:, :, pad : dxpad.shape[2] - pad, pad : dxpad.shape[3] - pad]


@wrong("conv2d", "OVERWRITE", "dx[window] =")
def windows_overwrite(dout, x, w, b, stride, pad):
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad, dx_add=False)
    return cropped(dxpad, x, pad), dw, db


@wrong("conv2d", "OVERWRITE", "dw[f] =")
def kernel_overwritten(dout, x, w, b, stride, pad):
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad, dw_add=False)
    return cropped(dxpad, x, pad), dw, db


@wrong("conv2d", "INDEXING", "stride ignored")
def stride_ignored(dout, x, w, b, stride, pad):
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad, step=1)
    return cropped(dxpad, x, pad), dw, db


@wrong("conv2d", "INDEXING", "rows and columns of the window exchanged")
def rows_and_columns(dout, x, w, b, stride, pad):
    limit_h, limit_w = x.shape[2] + 2 * pad - w.shape[2], x.shape[3] + 2 * pad - w.shape[3]
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad, place=lambda r, c: (min(c * stride, limit_h), min(r * stride, limit_w)))
    return cropped(dxpad, x, pad), dw, db


@wrong("conv2d", "INDEXING", "padding left on")
def padding_left(dout, x, w, b, stride, pad):
    return conv_by_student(dout, x, w, b, stride, pad)


@wrong("conv2d", "INDEXING", "cropped by [pad:-pad], empty when pad is 0")
def cropped_by_minus_pad(dout, x, w, b, stride, pad):
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad)
    return dxpad[:, :, pad:-pad, pad:-pad], dw, db


@wrong("conv2d", "DTYPE", "dw in half precision")
def half_kernel(dout, x, w, b, stride, pad):
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad, half=True)
    return cropped(dxpad, x, pad), dw, db


@wrong("conv2d", "EXTRA_MEAN", "dw averaged over the batch")
def kernel_averaged(dout, x, w, b, stride, pad):
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad)
    return cropped(dxpad, x, pad), dw / len(x), db


@wrong("conv2d", "SHAPE", "db of shape (1, F, 1, 1)")
def db_four_axes(dout, x, w, b, stride, pad):
    dxpad, dw, _ = conv_by_student(dout, x, w, b, stride, pad)
    return cropped(dxpad, x, pad), dw, dout.sum(axis=(0, 2, 3), keepdims=True)


@wrong("conv2d", "MISSING_BROADCAST_SUM", "db summed over space, not over the batch")
def db_per_example(dout, x, w, b, stride, pad):
    dxpad, dw, _ = conv_by_student(dout, x, w, b, stride, pad)
    return cropped(dxpad, x, pad), dw, dout.sum(axis=(2, 3))


@wrong("conv2d", "NO_UPSTREAM", "db counts positions")
def db_counts(dout, x, w, b, stride, pad):
    dxpad, dw, _ = conv_by_student(dout, x, w, b, stride, pad)
    return cropped(dxpad, x, pad), dw, np.full(len(b), dout[:, 0].size * 1.0)


@wrong("conv2d", "TRANSPOSED", "dw comes out rotated by 180 degrees")
def kernel_rotated(dout, x, w, b, stride, pad):
    dxpad, dw, db = conv_by_student(dout, x, w, b, stride, pad)
    return cropped(dxpad, x, pad), dw[..., ::-1, ::-1].copy(), db


@right("conv2d", "sliding windows and one einsum; dx as a full correlation of the spread-out dout")
def conv_spread(dout, x, w, b, stride, pad):
    KH, KW = w.shape[2:]
    Ho, Wo = dout.shape[2:]
    xpad = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    windows = np.lib.stride_tricks.sliding_window_view(xpad, (KH, KW), axis=(2, 3))[:, :, ::stride, ::stride][:, :, :Ho, :Wo]
    dw = np.einsum("nfij,ncijab->fcab", dout, windows)
    spread = np.zeros((*dout.shape[:2], xpad.shape[2] + KH - 1, xpad.shape[3] + KW - 1))
    spread[:, :, KH - 1 : KH - 1 + Ho * stride : stride, KW - 1 : KW - 1 + Wo * stride : stride] = dout
    back = np.lib.stride_tricks.sliding_window_view(spread, (KH, KW), axis=(2, 3))
    dxpad = np.einsum("nfhwab,fcab->nchw", back, w[:, :, ::-1, ::-1])
    return dxpad[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]], dw, dout.sum((0, 2, 3))


def pool_by_student(dout, x, kh, kw, stride, put):
    dx = np.zeros(x.shape)
    N, C, H, W = dout.shape
    for h in range(H):
        for v in range(W):
            rows, cols = slice(h * stride, h * stride + kh), slice(v * stride, v * stride + kw)
            for n in range(N):
                for c in range(C):
                    put(dx[n, c, rows, cols], x[n, c, rows, cols], dout[n, c, h, v])
    return (dx,)


def pooling(put):
    def backward(dout, x, kh, kw, stride):
        return pool_by_student(dout, x, kh, kw, stride, put)

    backward.__name__ = put.__name__
    return backward


def put_assigned(dx, window, d):
    dx[np.unravel_index(window.argmax(), window.shape)] = d


def put_average(dx, window, d):
    dx += d / window.size


def put_at_smallest(dx, window, d):
    dx[np.unravel_index(window.argmin(), window.shape)] += d


def put_everywhere(dx, window, d):
    dx += d


def put_divided(dx, window, d):
    dx[np.unravel_index(window.argmax(), window.shape)] += d / window.size


def put_from_the_end(dx, window, d):
    row, col = np.unravel_index(window.argmax(), window.shape)
    dx[-1 - row, -1 - col] += d


def put_truncated(dx, window, d):
    dx[np.unravel_index(window.argmax(), window.shape)] += int(d)


for put, label, note in [
    (put_assigned, "OVERWRITE", "= where windows overlap"),
    (put_average, "FORMULA", "gradient of an average"),
    (put_at_smallest, "WRONG_MASK", "argmin"),
    (put_everywhere, "DROPPED_LOCAL", "every element of the window gets dout"),
    (put_divided, "EXTRA_MEAN", "divided by the window size, at the maximum"),
    (put_from_the_end, "INDEXING", "place of the maximum counted from the other end"),
    (put_truncated, "DTYPE", "int(dout)"),
]:
    wrong("maxpool", label, note)(pooling(put))


@wrong("maxpool", "INDEXING", "windows placed by their size, not by the stride")
def step_of_window(dout, x, kh, kw, stride):
    dx = np.zeros(x.shape)
    for n, c, i, j in np.ndindex(dout.shape):
        top, left = min(i * kh, x.shape[2] - kh), min(j * kw, x.shape[3] - kw)
        window = x[n, c, top : top + kh, left : left + kw]
        r, s = np.unravel_index(window.argmax(), window.shape)
        dx[n, c, top + r, left + s] += dout[n, c, i, j]
    return (dx,)


def put_by_weights(dx, window, d):
    at_max = np.flatnonzero(window.ravel() == window.max())
    weights = np.arange(1.0, len(at_max) + 1)
    for k, share in zip(at_max, weights / weights.sum(), strict=True):
        dx[divmod(k, window.shape[1])] += share * d


def put_one_by_one(dx, window, d):
    best = (0, 0)
    for k in np.ndindex(window.shape):
        if window[k] > window[best]:
            best = k
    dx[best] += d


def put_middle_tie(dx, window, d):
    at_max = np.argwhere(window == window.max())
    dx[tuple(at_max[len(at_max) // 2])] += d


for put, note in [
    (put_by_weights, "ties share unequally"),
    (put_one_by_one, "loops instead of argmax"),
    (put_middle_tie, "the middle one of a tie"),
]:
    right("maxpool", note)(pooling(put))


@right("maxpool", "some ties to the first, some shared, float32")
def ties_mixed(dout, x, kh, kw, stride):
    turn = iter(range(dout.size))
    return (pool_by_student(dout, x, kh, kw, stride, lambda *a: put_one_by_one(*a) if next(turn) % 2 else put_by_weights(*a))[0].astype(np.float32),)


# ---------------------------------------------------------------- attention


def scores_of(q, k):
    return np.einsum("btd,bsd->bts", q, k) / np.sqrt(q.shape[2])


def attend_back(dscores, q, k):
    scale = 1 / np.sqrt(q.shape[2])
    return np.einsum("bts,bsd->btd", dscores, k) * scale, np.einsum("bts,btd->bsd", dscores, q) * scale


@wrong("attention", "WRONG_CONSTANT", "divided by d, not by its root")
def divided_by_d(dout, q, k, v):
    a = softmax(scores_of(q, k))
    da = dout @ v.transpose(0, 2, 1)
    ds = a * (da - (a * da).sum(2, keepdims=True)) / q.shape[2]
    return ds @ k, ds.transpose(0, 2, 1) @ q, a.transpose(0, 2, 1) @ dout


@wrong("attention", "WRONG_AXIS", "inner sum of the softmax over the queries")
def inner_over_queries(dout, q, k, v):
    a = softmax(scores_of(q, k))
    da = np.matmul(dout, v.transpose(0, 2, 1))
    ds = a * (da - np.sum(a * da, axis=1, keepdims=True))
    return (*attend_back(ds, q, k), a.transpose(0, 2, 1) @ dout)


@wrong("attention", "SIGN_FLIP", "inner term added")
def attention_inner_added(dout, q, k, v):
    a = softmax(scores_of(q, k))
    da = np.matmul(dout, v.transpose(0, 2, 1))
    ds = a * (da + np.sum(a * da, axis=2, keepdims=True))
    return (*attend_back(ds, q, k), a.transpose(0, 2, 1) @ dout)


@wrong("attention", "PRE_POST", "scores in the place of the weights")
def scores_for_weights(dout, q, k, v):
    s = scores_of(q, k)
    a = softmax(s)
    da = np.matmul(dout, v.transpose(0, 2, 1))
    ds = s * (da - np.sum(s * da, axis=2, keepdims=True))
    return (*attend_back(ds, q, k), a.transpose(0, 2, 1) @ dout)


@wrong("attention", "SWAPPED", "returns dk, dq, dv")
def keys_first(dout, q, k, v):
    dq, dk, dv = OPS["attention"].backward(dout, q, k, v)
    return dk, dq, dv


@wrong("attention", "MISSING_PATH", "no gradient for the keys")
def keys_detached(dout, q, k, v):
    a = softmax(scores_of(q, k))
    da = dout @ np.swapaxes(v, 1, 2)
    dq, _ = attend_back(a * (da - (a * da).sum(-1, keepdims=True)), q, k)
    return dq, np.zeros(k.shape), np.swapaxes(a, 1, 2) @ dout


@wrong("attention", "DROPPED_LOCAL", "the softmax is skipped on the way back")
def softmax_skipped(dout, q, k, v):
    a = softmax(scores_of(q, k))
    return (*attend_back(dout @ np.swapaxes(v, 1, 2), q, k), np.swapaxes(a, 1, 2) @ dout)


@wrong("attention", "MUTATES", "dout is scaled in place before it is used")
def dout_scaled_in_place(dout, q, k, v):
    a = softmax(scores_of(q, k))
    dv = np.swapaxes(a, 1, 2) @ dout
    dout /= np.sqrt(q.shape[-1])
    da = dout @ np.swapaxes(v, 1, 2)
    ds = a * (da - (a * da).sum(-1, keepdims=True))
    return np.matmul(ds, k), np.matmul(np.swapaxes(ds, 1, 2), q), dv


@wrong("attention", "UNSTABLE", "the minimum is subtracted, not the maximum")
def minimum_subtracted(dout, q, k, v):
    s = scores_of(q, k)
    e = np.exp(s - s.min(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    da = dout @ np.swapaxes(v, 1, 2)
    return (*attend_back(a * (da - (a * da).sum(-1, keepdims=True)), q, k), np.swapaxes(a, 1, 2) @ dout)


@wrong("attention", "NO_UPSTREAM", "dv is the column sum of the weights")
def dv_of_weights(dout, q, k, v):
    dq, dk, _ = OPS["attention"].backward(dout, q, k, v)
    return dq, dk, np.repeat(softmax(scores_of(q, k)).sum(1)[..., None], v.shape[2], axis=2)


@right("attention", "one query at a time")
def attention_loops(dout, q, k, v):
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    scale = q.shape[2] ** -0.5
    for b in range(len(q)):
        for t in range(q.shape[1]):
            a = softmax(k[b] @ q[b, t] * scale)
            dv[b] += np.outer(a, dout[b, t])
            da = v[b] @ dout[b, t]
            ds = (np.diag(a) - np.outer(a, a)) @ da * scale
            dq[b, t] = ds @ k[b]
            dk[b] += np.outer(ds, q[b, t])
    return dq, dk, dv


@right("attention", "results are transposed views, scale folded into the queries")
def attention_views(dout, q, k, v):
    qs = q / np.sqrt(q.shape[2])
    a = softmax(qs @ k.transpose(0, 2, 1))
    da = dout @ v.transpose(0, 2, 1)
    ds = a * (da - (a * da).sum(-1)[..., None])
    dq = (k.transpose(0, 2, 1) @ ds.transpose(0, 2, 1)).transpose(0, 2, 1) / np.sqrt(q.shape[2])
    dv = (dout.transpose(0, 2, 1) @ a).transpose(0, 2, 1)
    dv.flags.writeable = False
    return [dq, (qs.transpose(0, 2, 1) @ ds).transpose(0, 2, 1), dv]


# ---------------------------------------------------------------- recurrent


def rnn_back(dz, x, h, wx, wh):
    return [np.dot(dz, wx.T), np.dot(dz, wh.T), np.dot(x.T, dz), np.dot(h.T, dz), dz.sum(axis=0)]


def rnn_dz(dout, x, h, wx, wh, b):
    return dout * (1 - np.tanh(np.dot(x, wx) + np.dot(h, wh) + b) ** 2)


@wrong("rnn_step", "MISSING_PATH", "no gradient for the hidden state before")
def state_detached(dout, x, h, wx, wh, b):
    grads = rnn_back(rnn_dz(dout, x, h, wx, wh, b), x, h, wx, wh)
    grads[1] = 0 * grads[1]
    return grads


@wrong("rnn_step", "NO_UPSTREAM", "slope of tanh only")
def rnn_slope_only(dout, x, h, wx, wh, b):
    return rnn_back(rnn_dz(np.ones_like(dout), x, h, wx, wh, b), x, h, wx, wh)


@wrong("rnn_step", "MISSING_BROADCAST_SUM", "db keeps the batch axis")
def rnn_db_not_summed(dout, x, h, wx, wh, b):
    dz = rnn_dz(dout, x, h, wx, wh, b)
    return [*rnn_back(dz, x, h, wx, wh)[:4], dz]


@wrong("rnn_step", "TRANSPOSED", "dwx is dz.T @ x")
def rnn_dwx_transposed(dout, x, h, wx, wh, b):
    dz = rnn_dz(dout, x, h, wx, wh, b)
    grads = rnn_back(dz, x, h, wx, wh)
    grads[2] = dz.T @ x
    return grads


@wrong("rnn_step", "SWAPPED", "dh before dx, dwh before dwx")
def rnn_state_first(dout, x, h, wx, wh, b):
    dx, dh, dwx, dwh, db = rnn_back(rnn_dz(dout, x, h, wx, wh, b), x, h, wx, wh)
    return dh, dx, dwh, dwx, db


@wrong("rnn_step", "FORMULA", "1 - tanh, not squared")
def rnn_not_squared(dout, x, h, wx, wh, b):
    dz = dout * (1 - np.tanh(x @ wx + h @ wh + b))
    return rnn_back(dz, x, h, wx, wh)


@wrong("rnn_step", "SIGN_FLIP", "tanh**2 - 1")
def rnn_negative(dout, x, h, wx, wh, b):
    return rnn_back(-rnn_dz(dout, x, h, wx, wh, b), x, h, wx, wh)


_step = {"h": None}


@wrong("rnn_step", "STATE_LEAK", "takes the hidden state of its own last call")
def rnn_remembers(dout, x, h, wx, wh, b):
    before = _step["h"] if _step["h"] is not None and _step["h"].shape == h.shape else h
    dz = rnn_dz(dout, x, before, wx, wh, b)
    _step["h"] = np.tanh(x @ wx + before @ wh + b)
    return rnn_back(dz, x, before, wx, wh)


@right("rnn_step", "one example at a time, lists")
def rnn_examples(dout, x, h, wx, wh, b):
    dx, dh, dwx, dwh, db = [], [], 0, 0, 0
    for i in range(len(x)):
        t = np.tanh(x[i] @ wx + h[i] @ wh + b)
        dz = (1 + t) * (1 - t) * dout[i]
        dx.append(wx @ dz)
        dh.append(wh @ dz)
        dwx, dwh, db = dwx + np.outer(x[i], dz), dwh + np.outer(h[i], dz), db + dz
    return dx, dh, dwx, dwh, db


def lstm_parts(x, h, c, wx, wh, b):
    zi, zf, zo, zg = np.split(x @ wx + h @ wh + b, 4, axis=1)
    i, f, o, g = sigmoid(zi), sigmoid(zf), sigmoid(zo), np.tanh(zg)
    return i, f, o, g, np.tanh(f * c + i * g)


def lstm_back(dz, dc_before, x, h, wx, wh):
    return [dz @ wx.T, dz @ wh.T, dc_before, x.T @ dz, h.T @ dz, dz.sum(0)]


def lstm_gates(dnh, dc, c, i, f, o, g, tc):
    return [dc * g * i * (1 - i), dc * c * f * (1 - f), dnh * tc * o * (1 - o), dc * i * (1 - g * g)]


@wrong("lstm_step", "SWAPPED", "gates stacked as i, f, g, o")
def gates_other_order(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1] + dout[0] * o * (1 - tc**2)
    zi, zf, zo, zg = lstm_gates(dout[0], dc, c, i, f, o, g, tc)
    return lstm_back(np.concatenate([zi, zf, zg, zo], axis=1), dc * f, x, h, wx, wh)


@wrong("lstm_step", "MISSING_PATH", "the output gate gets no gradient")
def output_gate_forgotten(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1] + dout[0] * o * (1 - tc**2)
    zi, zf, zo, zg = lstm_gates(dout[0], dc, c, i, f, o, g, tc)
    return lstm_back(np.concatenate([zi, zf, np.zeros_like(zo), zg], axis=1), dc * f, x, h, wx, wh)


@wrong("lstm_step", "PRE_POST", "output gate multiplied by next_c, not by its tanh")
def cell_without_tanh(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1] + dout[0] * o * (1 - tc**2)
    zi, zf, _, zg = lstm_gates(dout[0], dc, c, i, f, o, g, tc)
    zo = dout[0] * (f * c + i * g) * o * (1 - o)
    return lstm_back(np.concatenate([zi, zf, zo, zg], axis=1), dc * f, x, h, wx, wh)


@wrong("lstm_step", "DROPPED_LOCAL", "candidate without the slope of tanh")
def candidate_slope_forgotten(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1] + dout[0] * o * (1 - tc**2)
    zi, zf, zo, _ = lstm_gates(dout[0], dc, c, i, f, o, g, tc)
    return lstm_back(np.concatenate([zi, zf, zo, dc * i], axis=1), dc * f, x, h, wx, wh)


@wrong("lstm_step", "DOUBLE_COUNT", "the incoming dc is added twice")
def cell_twice(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1].copy()
    dc += dout[0] * o * (1 - tc**2) + dout[1]
    return lstm_back(np.concatenate(lstm_gates(dout[0], dc, c, i, f, o, g, tc), axis=1), dc * f, x, h, wx, wh)


@wrong("lstm_step", "MISSING_BROADCAST_SUM", "db is not summed over the batch")
def lstm_db_not_summed(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1] + dout[0] * o * (1 - tc**2)
    dz = np.concatenate(lstm_gates(dout[0], dc, c, i, f, o, g, tc), axis=1)
    return [*lstm_back(dz, dc * f, x, h, wx, wh)[:5], dz]


@wrong("lstm_step", "EXTRA_MEAN", "all three parameter gradients averaged")
def lstm_averaged(dout, x, h, c, wx, wh, b):
    dx, dh, dc, dwx, dwh, db = OPS["lstm_step"].backward(dout, x, h, c, wx, wh, b)
    return dx, dh, dc, dwx / len(x), dwh / len(x), db / len(x)


@wrong("lstm_step", "FORMULA", "slope of tanh for a sigmoid gate: 1 - i**2")
def gate_like_tanh(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1] + dout[0] * o * (1 - tc**2)
    _, zf, zo, zg = lstm_gates(dout[0], dc, c, i, f, o, g, tc)
    return lstm_back(np.concatenate([dc * g * (1 - i * i), zf, zo, zg], axis=1), dc * f, x, h, wx, wh)


@wrong("lstm_step", "SIGN_FLIP", "forget gate with f - 1")
def forget_gate_sign(dout, x, h, c, wx, wh, b):
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[1] + dout[0] * o * (1 - tc**2)
    zi, zf, zo, zg = lstm_gates(dout[0], dc, c, i, f, o, g, tc)
    return lstm_back(np.concatenate([zi, -zf, zo, zg], axis=1), dc * f, x, h, wx, wh)


@right("lstm_step", "gates one by one, gradients added gate by gate")
def lstm_gate_by_gate(dout, x, h, c, wx, wh, b):
    H = h.shape[1]
    i, f, o, g, tc = lstm_parts(x, h, c, wx, wh, b)
    dc = dout[0] * o / np.cosh(f * c + i * g) ** 2 + dout[1]
    dx, dh, dwx, dwh, db = np.zeros_like(x), np.zeros_like(h), np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
    for gate, dz in enumerate(lstm_gates(dout[0], dc, c, i, f, o, g, tc)):
        part = slice(gate * H, (gate + 1) * H)
        dx += dz @ wx[:, part].T
        dh += dz @ wh[:, part].T
        dwx[:, part], dwh[:, part], db[part] = x.T @ dz, h.T @ dz, dz.sum(0)
    return [dx, dh, f * dc, dwx, dwh, db]


# ---------------------------------------------------------------- language model


def model(C, w1, b1, gamma, beta, w2, b2, X, ddof=1):
    e = np.concatenate([C[X[:, t]] for t in range(X.shape[1])], axis=1)
    z = e @ w1 + b1
    std = np.sqrt(z.var(0, ddof=ddof) + 1e-5)
    zh = (z - z.mean(0)) / std
    h = np.tanh(zh * gamma + beta)
    return e, z, std, zh, h, softmax(h @ w2 + b2)


def first_layers(dz, e, C, w1, X):
    de = (dz @ w1.T).reshape(len(X), X.shape[1], C.shape[1])
    dC = np.zeros_like(C)
    for n in range(X.shape[0]):
        for t in range(X.shape[1]):
            dC[X[n, t]] += de[n, t]
    return dC, e.T @ dz, dz.sum(0)


def norm_back(dzh, zh, std, count):
    return (dzh - dzh.mean(0) - zh * (dzh * zh).sum(0) / (count - 1)) / std


def model_backward(dout, C, w1, b1, gamma, beta, w2, b2, X, Y, *, slip=""):
    N = len(X)
    e, z, std, zh, h, p = model(C, w1, b1, gamma, beta, w2, b2, X, 0 if slip == "biased" else 1)
    d = p.copy()
    if slip == "diagonal":
        rows = np.arange(N)
        d = np.zeros_like(p)
        d[rows, Y] = p[rows, Y] - 1
    else:
        d[range(N), (Y + 1) % p.shape[1] if slip == "label" else Y] -= 1
    d = d * (1.0 if slip == "dout" else dout) / N
    dw2, db2 = (h.T @ d), d.sum(0)
    dh = d @ w2.T
    da = dh.copy() if slip == "no tanh" else dh * (1 - h * h)
    dgamma, dbeta = (da * (z if slip == "z" else zh)).sum(0), da.sum(0)
    dzh = da if slip == "no gamma" else da * gamma
    dz = norm_back(dzh, zh, std, N)
    if slip == "mean path":
        dz = (dzh - zh * (dzh * zh).sum(0) / (N - 1)) / std
    dC, dw1, db1 = first_layers(dz, e, C, w1, X)
    if slip == "last position":
        D = C.shape[1]
        dC = np.zeros_like(C)
        np.add.at(dC, X[:, -1], (dz @ w1.T)[:, -D:])
    if slip == "dgamma":
        dgamma, dbeta = dbeta, dgamma
    if slip == "db2":
        db2 = d.mean(0)
    return dC, dw1, db1, dgamma, dbeta, dw2, db2


for slip, label, note in [
    ("biased", "DDOF", "var(0) where the forward has ddof=1"),
    ("diagonal", "DIAG_JACOBIAN", "only the logit of the label gets a gradient"),
    ("label", "INDEXING", "the class after the label"),
    ("dout", "NO_UPSTREAM", "dout ignored"),
    ("no tanh", "DROPPED_LOCAL", "slope of tanh forgotten"),
    ("z", "PRE_POST", "dgamma of z, not of z normalised"),
    ("no gamma", "DROPPED_LOCAL", "gamma forgotten on the way back"),
    ("mean path", "MISSING_PATH", "path through the mean dropped"),
    ("last position", "MISSING_PATH", "only the last context position reaches C"),
    ("dgamma", "SWAPPED", "dgamma and dbeta exchanged"),
    ("db2", "EXTRA_MEAN", "db2 averaged once more"),
]:

    def slipped(*args, slip=slip):
        return model_backward(*args, slip=slip)

    slipped.__name__ = slip.replace(" ", "_")
    wrong("mlp_bn_lm", label, note)(slipped)

right("mlp_bn_lm", "layer by layer, loops for the embedding")(model_backward)


@right("mlp_bn_lm", "float32 everywhere at the end")
def model_float32(*args):
    return [gradient.astype(np.float32) for gradient in model_backward(*args)]
