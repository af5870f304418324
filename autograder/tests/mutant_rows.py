"""One wrong answer a rule, as a student would write it, beside a reference answer written in another way where that is natural."""

import math

import numpy as np

EPS = 1e-5
FORWARD = {}
"""{operation: (forward, make(rng) -> arguments by name)}"""


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def unbroadcast(g, shape):
    g = g.sum(tuple(range(g.ndim - len(shape))))
    return g.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def operation(make):
    def register(forward):
        FORWARD[forward.__name__] = forward, make
        return forward

    return register


def normal(**shapes):
    return lambda rng: {name: rng.standard_normal(shape) for name, shape in shapes.items()}


@operation(normal(x=(5, 3), w=(3, 2), b=2))
def affine(x, w, b):
    return x @ w + b


@operation(normal(x=(2, 3, 4), g=4, b=(3, 1)))
def scaled(x, g, b):
    return x * g + b


@operation(normal(x=(4, 3)))
def tanh(x):
    return np.tanh(x)


@operation(lambda rng: {"x": 3 * rng.standard_normal((4, 3))})
def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@operation(normal(x=(4, 3)))
def cubic(x):
    return (2 * x**3 - x) / 5


@operation(normal(x=(5, 3)))
def softmaxed(x):
    return softmax(x)


@operation(lambda rng: {"x": rng.standard_normal((4, 3)) + np.array([[0.0], [0.0], [1000.0], [0.0]])})
def softmax_of_large(x):
    return softmax(x)


@operation(lambda rng: {"x": np.array([[0.5, -0.3, 800.0, -800.0], [2.0, 0.0, 1.0, 30.0]]) + rng.uniform(0, 0.1, (2, 4))})
def sigmoid_of_large(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


@operation(lambda rng: {"x": rng.standard_normal((7, 3)), "y": np.array([0, 2, 1, 1, 0, 2, 2])})
def cross_entropy(x, y):
    return -np.log(softmax(x)[np.arange(7), y]).mean()


@operation(normal(x=(7, 3), g=3))
def batchnorm(x, g):
    return g * (x - x.mean(0)) / np.sqrt(x.var(0) + EPS)


@operation(normal(x=(7, 4)))
def layernorm(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPS)


@operation(lambda rng: {"w": rng.standard_normal((6, 2)), "ids": np.array([[0, 5, 2], [5, 5, 1], [0, 0, 2]])})
def embedding(w, ids):
    return w[ids]


@operation(lambda rng: {"x": rng.standard_normal((2, 3, 7)), "w": rng.standard_normal((2, 3, 3)), "stride": 2, "pad": 2})
def conv(x, w, stride, pad):
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad)))
    return np.stack([np.einsum("nca,fca->nf", xp[:, :, i * stride : i * stride + 3], w) for i in range(5)], -1)


@operation(lambda rng: {"x": rng.standard_normal((5, 6)), "kh": 3, "kw": 2})
def maxpool(x, kh, kw):
    return np.array([[x[i : i + kh, j : j + kw].max() for j in range(5)] for i in range(3)])


@operation(lambda rng: {"x": np.array([1.0, 0.5, 1.0, 1.0, -2.0, 0.0])})
def max_of_ties(x):
    return x.max()


@operation(lambda rng: {"x": rng.standard_normal((4, 5)), "mask": rng.random((4, 5)) < 0.7, "p": 0.3})
def dropout(x, mask, p):
    return x * mask / (1 - p)


@operation(normal(x=(4, 3)))
def relu(x):
    return np.maximum(x, 0)


@operation(normal(x=(5, 2), h=(5, 3), u=(2, 3), w=(3, 3)))
def rnn(x, h, u, w):
    return np.tanh(x @ u + h @ w)


@operation(normal(f=(4, 3), c=(4, 3), o=(4, 3)))
def cell(f, c, o):
    return f * c + o * np.tanh(f * c)


@operation(normal(x=(4, 6)))
def gated(x):
    return 1 / (1 + np.exp(-x[:, :3])) * np.tanh(x[:, 3:])


@operation(normal(x=(4, 3)))
def logsumexp(x):
    return np.log(np.exp(x).sum(-1))


@operation(normal(x=(3, 3)))
def logsumexp_square(x):
    return np.log(np.exp(x).sum(-1))


@operation(normal(x=(4, 5)))
def averaged(x):
    return x.mean()


@operation(normal(x=(4, 5), s=()))
def shifted(x, s):
    return x + s


@operation(normal(x=6))
def recurrence(x):
    s = [x[0]]
    for t in range(1, 6):
        s.append(math.tanh(s[-1] + x[t]))
    return s[-1]


@operation(normal(q=(4, 3), k=(4, 3)))
def scores(q, k):
    return q @ k.T / math.sqrt(3)


@operation(normal(v=3))
def expression(v):
    a, b, c = v
    m = a * b + a
    return m * m * c + math.tanh(m) + b**3


@operation(normal(x=(4, 3), y=(4, 3)))
def multiplied(x, y):
    return x * y


@operation(normal(x=(4, 3)))
def normalised(x):
    return x / np.sqrt((x * x).sum(-1, keepdims=True))


@operation(lambda rng: {"x": rng.uniform(0.5, 2, (4, 3)), "n": 3})
def powers(x, n):
    return x**n


@operation(normal(x=(4, 3), v=(3, 2)))
def mixed(x, v):
    return softmax(x) @ v


@operation(normal(x=(4, 3)))
def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@operation(normal(x=(4, 3)))
def softplus(x):
    return np.log1p(np.exp(x))


@operation(normal(x=(4, 3)))
def leaky(x):
    return np.where(x > 0, x, 0.1 * x)


@operation(lambda rng: {"x": rng.standard_normal((4, 5)) * (rng.random((4, 5)) < 0.5), "mask": rng.random((4, 5)) < 0.7, "p": 0.3})
def dropout_of_zeros(x, mask, p):
    return x * mask / (1 - p)


@operation(lambda rng: {"x": rng.standard_normal((7, 8)), "kh": 2, "kw": 3, "stride": 1})
def strided(x, kh, kw, stride):
    return np.array([[x[i * stride : i * stride + kh, j * stride : j * stride + kw].max() for j in range(2)] for i in range(2)])


@operation(lambda rng: {"x": rng.standard_normal((6, 6)), "w": rng.standard_normal((3, 2))})
def taps(x, w):
    return np.array([[(x[i : i + 3, j : j + 2] * w).sum() for j in range(3)] for i in range(3)])


@operation(normal(x=(2, 4, 3)))
def pool_of_channels(x):
    return np.array([[x[c, i : i + 2].max() for i in range(3)] for c in range(2)])


@operation(normal(a=(4, 2), b=(4, 3)))
def joined(a, b):
    return np.concatenate([a, b], 1)


@operation(normal(x=(4, 3)))
def running(x):
    return np.cumsum(x, 1)


ENGINE = """
class Value:
    def __init__(self, data, children=()):
        self.data, self.grad, self.children, self._backward = data, 0.0, children, lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))
        def step():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = step
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = step
        return out

    def __pow__(self, n):
        out = Value(self.data ** n, (self,))
        def step():
            self.grad += n * self.data ** (n - 1) * out.grad
        out._backward = step
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))
        def step():
            self.grad += (1 - out.data ** 2) * out.grad
        out._backward = step
        return out

    def backward(self):
        topo, visited = [], set()
        def build(node):
            if node not in visited:
                visited.add(node)
                for child in node.children:
                    build(child)
                topo.append(node)
        build(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()

def backward(dout, v):
    a, b, c = leaves = [Value(x) for x in v]
    m = a * b + a
    out = (m * m * c + m.tanh() + b ** 3) * Value(dout)
    out.backward()
    return np.array([leaf.grad for leaf in leaves])
"""
PRODUCT = "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad"
OVERWRITTEN = PRODUCT.replace("+=", "=")
ADDING = ENGINE.replace(PRODUCT, "self.take(other.data * out.grad)\n            other.take(self.data * out.grad)").replace(
    "    def __add__", "    def take(self, grad):\n        self.grad += grad\n\n    def __add__"
)


def engine(old, new, source=ENGINE):
    assert old in source
    return source.replace(old, new)


BN = """
n = len(x)
std = np.sqrt(x.var(0) + EPS)
xhat = (x - x.mean(0)) / std
dxhat = dout * g
return (dxhat - dxhat.sum(0) / n - xhat * (dxhat * xhat).sum(0) / n) / std, (dout * xhat).sum(0)
"""
BN_WRONG = "std = np.sqrt(x.var(0) + EPS); h = (x - x.mean(0)) / std; e = dout * g; n = len(x); dg = (dout * h).sum(0)\nreturn {}, dg"
LN = """
D = x.shape[-1]
std = np.sqrt(x.var(-1, keepdims=True) + EPS)
xhat = (x - x.mean(-1, keepdims=True)) / std
return (dout - dout.sum(-1, keepdims=True) / D - xhat * (dout * xhat).sum(-1, keepdims=True) / D) / std
"""
CONV = """
xp = np.pad(x, ((0, 0), (0, 0), (pad, pad)))
dxp, dw = np.zeros_like(xp), np.zeros_like(w)
L, K = x.shape[2], w.shape[2]
for i in range(dout.shape[2]):
    dw += np.einsum("nf,nca->fca", dout[:, :, i], xp[:, :, i * stride : i * stride + K])
    dxp[:, :, i * stride : i * stride + K] += np.einsum("nf,fca->nca", dout[:, :, i], w)
return dxp[:, :, pad : pad + L], dw
"""
CONV_LOOPS = """
N, C, L = x.shape
F, _, K = w.shape
xp = np.pad(x, ((0, 0), (0, 0), (pad, pad)))
dxp, dw = np.zeros_like(xp), np.zeros_like(w)
for n in range(N):
    for f in range(F):
        for i in range(dout.shape[2]):
            for c in range(C):
                for a in range(K):
                    dw[f, c, a] += dout[n, f, i] * xp[n, c, i * stride + a]
                    dxp[n, c, i * stride + a] += dout[n, f, i] * w[f, c, a]
return dxp[:, :, pad : pad + L], dw
"""
POOL = """
dx = np.zeros_like(x)
for i in range(dout.shape[0]):
    for j in range(dout.shape[1]):
        r, s = divmod(x[i : i + kh, j : j + kw].argmax(), kw)
        dx[i + r, j + s] += dout[i, j]
return dx
"""
STRIDED = """
dx = np.zeros_like(x)
for i in range(dout.shape[0]):
    for j in range(dout.shape[1]):
        top, left = i * stride, j * stride
        window = x[top : top + kh, left : left + kw]
        dx[top : top + kh, left : left + kw] += dout[i, j] * (window == window.max())
return dx
"""
TAPS = """
dx, dw = np.zeros_like(x), np.zeros_like(w)
for i in range(3):
    for j in range(3):
        for r in range(3):
            for s in range(2):
                dw[r, s] += dout[i, j] * x[i + r, j + s]
                dx[i + r, j + s] += dout[i, j] * w[r, s]
return dx, dw
"""
CHANNELS = """
dx = np.zeros_like(x)
for c in range(2):
    for i in range(3):
        window = x[c, i : i + 2, :]
        row, col = np.unravel_index(np.argmax(window), window.shape)
        dx[c, i + row, col] += dout[c, i]
return dx
"""
NORMALISED = "n = np.linalg.norm(x, axis=-1, keepdims=True); return dout / n - x * (dout * x).sum(-1, keepdims=True) / n**3"
MIXED = "s = softmax(x); ds = dout @ v.T; dx = s * (ds - (ds * s).sum(-1, keepdims=True)); return dx, s.T @ dout"
GELU = (
    "c = math.sqrt(2 / math.pi); t = np.tanh(c * (x + 0.044715 * x**3)); return dout * (0.5 * (1 + t) + 0.5 * x * (1 - t**2) * c * (1 + 3 * 0.044715 * x**2))"
)
CE = "n = len(x); p = softmax(x); p[np.arange(n), y] -= 1; p /= n; return dout * p"
SOFTMAX = "s = softmax(x); return s * (dout - (dout * s).sum(-1, keepdims=True))"
SOFTMAX_LONG = "e = np.exp(x - x.max(-1, keepdims=True)); s = e / e.sum(-1, keepdims=True); return s * (dout - (dout * s).sum(-1, keepdims=True))"
AFFINE = "return dout @ w.T, x.T @ dout, dout.sum(0)"
SCALED = "return dout * g, (dout * x).sum((0, 1)), dout.sum((0, 2)).reshape(b.shape)"
EMBED = "dw = np.zeros_like(w); np.add.at(dw, ids, dout); return dw"
RNN = "n = np.tanh(x @ u + h @ w); da = dout * (1 - n**2); return da @ u.T, da @ w.T, x.T @ da, h.T @ da"
GATED = "i = 1 / (1 + np.exp(-x[:, :3])); g = np.tanh(x[:, 3:]); di = dout * g * i * (1 - i); dg = dout * i * (1 - g**2); return np.hstack([di, dg])"
GATED_SLICES = "i = 1 / (1 + np.exp(-x[:, :3])); g = np.tanh(x[:, 3:]); dx = np.zeros_like(x)\ndx[:, :3] = dout * g * i * (1 - i); dx[:, 3:] = dout * i * (1 - g**2)\nreturn dx"
CUBIC = "return dout * (6 * x**2 - 1) / 5"
TANH = "t = np.tanh(x); return dout * (1 - t**2)"
SIGMOID = "s = 1 / (1 + np.exp(-x)); return dout * s * (1 - s)"
CELL = "n = f * c; t = np.tanh(n); dn = dout + dout * o * (1 - t**2); return dn * c, dn * f, dout * t"
RECURRENCE = """
s = [x[0]]
for t in range(1, len(x)):
    s.append(math.tanh(s[t - 1] + x[t]))
dx, ds = np.zeros(len(x)), dout
for t in reversed(range(1, len(x))):
    da = ds * (1 - s[t] ** 2)
    dx[t] = da
    ds = da
dx[0] = ds
return dx
"""

# rule, operation, reference, wrong answer, kind
ROWS = [
    ("factor_dropped", "dropout", "return dout * mask / (1 - p)", "return dout * mask", "WRONG_CONSTANT"),
    ("factor_dropped", "dropout", "return dout * mask / (1 - p)", "return dout / (1 - p)", "DROPPED_LOCAL"),
    ("factor_dropped", "cross_entropy", "p = softmax(x); p[np.arange(7), y] -= 1; return dout * p / len(x)", "return dout * (softmax(x) - np.eye(3)[y])", "MISSING_MEAN"),
    ("factor_dropped", "tanh", TANH, "return 1 - np.tanh(x) ** 2", "NO_UPSTREAM"),
    ("factor_dropped", "sigmoid", SIGMOID, "return dout / (1 + np.exp(-x))", "FORMULA"),
    ("all_local_factors_dropped", "sigmoid", SIGMOID, "return dout.copy()", "DROPPED_LOCAL"),
    ("only_the_local_derivative", "affine", AFFINE, "return np.ones((5, 2)) @ w.T, x.T @ dout, dout.sum(0)", "NO_UPSTREAM"),
    ("factor_twice", "scores", "c = 1 / math.sqrt(3); return dout @ k * c, dout.T @ q * c", "return dout @ k / 3, dout.T @ q / 3", "WRONG_CONSTANT"),
    ("factor_on_the_other_side", "averaged", "n = x.size; return dout * np.ones_like(x) / n", "return dout * np.ones_like(x) * x.size", "WRONG_CONSTANT"),
    ("precedence", "scores", "return (dout @ k) / (2 * math.sqrt(3)) * 2, dout.T @ q / math.sqrt(3)", "return dout @ k / 2 * math.sqrt(3) * 2, dout.T @ q / math.sqrt(3)", "FORMULA"),
    ("term_dropped", "softmaxed", SOFTMAX, "return dout * softmax(x)", "MISSING_PATH"),
    ("term_dropped", "softmax_of_large", SOFTMAX_LONG, "s = np.exp(x) / np.exp(x).sum(-1, keepdims=True); return s * (dout - (dout * s).sum(-1, keepdims=True))", "UNSTABLE"),
    ("term_dropped", "rnn", "n = np.tanh(x @ u + h @ w); dx = dout; dx = dx + dout * 0; da = dx * (1 - n**2); return da @ u.T, da @ w.T, x.T @ da, h.T @ da",
     "da = np.zeros_like(dout); return da @ u.T, da @ w.T, x.T @ da, h.T @ da", "MISSING_PATH"),
    ("statistics_constant", "batchnorm", BN, BN_WRONG.format("e / std"), "STATS_CONST"),
    ("only_one_term", "batchnorm", BN, BN_WRONG.format("-h * (e * h).mean(0) / std"), "OVERWRITE"),
    ("term_twice", "batchnorm", BN, BN_WRONG.format("(e - e.mean(0) - 2 * h * (e * h).mean(0)) / std"), "DOUBLE_COUNT"),
    ("sign", "tanh", TANH, "return dout * (1 + np.tanh(x) ** 2)", "SIGN_FLIP"),
    ("sign_of_a_result", "affine", AFFINE, "return dout @ w.T, -(x.T @ dout), dout.sum(0)", "SIGN_FLIP"),
    ("exponent", "cubic", CUBIC, "return dout * (6 * x**3 - 1) / 5", "FORMULA"),
    ("square_written_as_product", "tanh", "t = np.tanh(x); return dout * (1 - t * t)", "return dout * (1 - np.tanh(x))", "FORMULA"),
    ("constants", "cubic", CUBIC, "return dout * (3 * x**2 - 1) / 5", "WRONG_CONSTANT"),
    ("result_is_the_upstream_gradient", "softmaxed", SOFTMAX, "return 1 * dout", "DROPPED_LOCAL"),
    ("result_is_zero", "affine", AFFINE, "return dout @ w.T, np.zeros((3, 2)), dout.sum(0)", "MISSING_PATH"),
    ("result_scaled", "affine", AFFINE, "return dout @ w.T, 2 * x.T @ dout, dout.sum(0)", "WRONG_CONSTANT"),
    ("chance_of_the_other", "dropout", "return dout * mask / (1 - p)", "return dout * mask / p", "WRONG_CONSTANT"),
    ("root", "layernorm", LN, LN.replace("np.sqrt(x.var(-1, keepdims=True) + EPS)", "x.std(-1, keepdims=True) + EPS"), "FORMULA"),
    ("root", "scores", "c = 1 / math.sqrt(3); return dout @ k * c, dout.T @ q * c", "return dout @ k / 3, dout.T @ q / 3", "WRONG_CONSTANT"),
    ("sum_for_mean", "affine", AFFINE, "return dout @ w.T, x.T @ dout, dout.mean(0)", "EXTRA_MEAN"),
    ("sum_for_mean", "batchnorm", BN.replace(".sum(0) / n", ".mean(0)"), BN_WRONG.format("(e - e.sum(0) - h * (e * h).mean(0)) / std"), "MISSING_MEAN"),
    ("partly_averaged", "scaled", SCALED, "return dout * g, (dout * x).mean(0).sum(0), dout.sum((0, 2)).reshape(b.shape)", "EXTRA_MEAN"),
    ("another_axis", "affine", AFFINE, "return dout @ w.T, x.T @ dout, np.resize(dout.sum(1), 2)", "WRONG_AXIS"),
    ("another_axis", "affine", AFFINE, "return dout @ w.T, x.T @ dout, dout.sum()", "WRONG_AXIS"),
    ("another_axis_throughout", "layernorm", LN,
     "h = (x - x.mean(0)) / np.sqrt(x.var(0) + EPS); return (dout - dout.mean(0) - h * (dout * h).mean(0)) / np.sqrt(x.var(0) + EPS)", "WRONG_AXIS"),
    ("axis_given_where_all_are_due", "shifted", "return dout, np.sum(dout)", "return dout, dout.sum(0)", "MISSING_BROADCAST_SUM"),
    ("fewer_axes", "affine", AFFINE, "return dout @ w.T, x.T @ dout, dout", "MISSING_BROADCAST_SUM"),
    ("fewer_axes", "scaled", SCALED, "return dout * g, (dout * x).sum(0), dout.sum((0, 2)).reshape(b.shape)", "MISSING_BROADCAST_SUM"),
    ("unbroadcast_dropped", "scaled", "return dout * g, unbroadcast(dout * x, g.shape), unbroadcast(dout, b.shape)", "return dout * g, (dout * x).sum((0, 1)), dout.sum(0)", "MISSING_BROADCAST_SUM"),
    ("softmax_over_another_axis", "softmaxed", SOFTMAX, "s = softmax(x, 0); return s * (dout - (dout * s).sum(-1, keepdims=True))", "WRONG_AXIS"),
    ("axis_of_a_helper", "logsumexp", "return dout[:, None] * softmax(x, axis=-1)", "return dout[:, None] * softmax(x, axis=0)", "WRONG_AXIS"),
    ("axis_not_restored", "logsumexp_square", "return dout[..., None] * softmax(x)", "return dout * softmax(x)", "WRONG_AXIS"),
    ("one_degree_of_freedom", "batchnorm", BN, BN_WRONG.format("(e - e.mean(0) - h * (e * h).sum(0) / (n - 1)) / std"), "DDOF"),
    ("one_degree_of_freedom", "batchnorm", BN.replace(".sum(0) / n", ".mean(0)"), BN_WRONG.format("(e - e.mean(0) - h * (e * h).sum(0) / (n - 1)) / std"), "DDOF"),
    ("another_divisor", "layernorm", LN, LN.replace("D = x.shape[-1]", "D = len(x)"), "WRONG_CONSTANT"),
    ("keepdims", "affine", AFFINE, "return dout @ w.T, x.T @ dout, dout.sum(0, keepdims=True)", "SHAPE"),
    ("not_reshaped", "scaled", SCALED, "return dout * g, (dout * x).sum((0, 1)), dout.sum((0, 2))", "SHAPE"),
    ("transpose", "rnn", RNN, "da = dout * (1 - np.tanh(x @ u + h @ w) ** 2); return da @ u.T, da @ w, x.T @ da, h.T @ da", "TRANSPOSED"),
    ("result_transposed", "rnn", RNN, "da = dout * (1 - np.tanh(x @ u + h @ w) ** 2); return da @ u.T, da @ w.T, x.T @ da, da.T @ h", "TRANSPOSED"),
    ("kernel_flipped", "conv", CONV, CONV.replace("dout[:, :, i], w)", "dout[:, :, i], w[:, :, ::-1])"), "TRANSPOSED"),
    ("another_tensor", "rnn", "next_h = np.tanh(x @ u + h @ w); da = dout * (1 - next_h**2); return da @ u.T, da @ w.T, x.T @ da, h.T @ da",
     "n = np.tanh(x @ u + h @ w); da = dout * (1 - n**2); return da @ u.T, da @ w.T, x.T @ da, n.T @ da", "INDEXING"),
    ("another_tensor", "batchnorm", BN, BN.replace("(dout * xhat).sum(0)\n", "(dout * x).sum(0)\n"), "PRE_POST"),
    ("activation_of_the_wrong_thing", "tanh", "return dout * (1 - np.tanh(x) ** 2)", "return dout * (1 - x**2)", "PRE_POST"),
    ("saved_data_of_a_value", "expression", ENGINE, engine("1 - out.data ** 2", "1 - self.data ** 2"), "PRE_POST"),
    ("saved_data_of_a_value", "expression", ENGINE, engine("self.grad += other.data * out.grad\n            other.grad += self.data", "self.grad += self.data * out.grad\n            other.grad += other.data"), "SWAPPED"),
    ("derivative_of_the_derivative", "gated", GATED, GATED.replace("i * (1 - i)", "(1 / (1 + np.exp(-i)))"), "PRE_POST"),
    ("forward_steps_again", "sigmoid", "e = np.exp(-x); s = 1 / (1 + e); return dout * s * (1 - s)", SIGMOID.replace("; return", "; s = 1 / (1 + np.exp(-s)); return"), "PRE_POST"),
    ("softmax_elementwise", "softmaxed", SOFTMAX, "s = softmax(x); return dout * s * (1 - s)", "DIAG_JACOBIAN"),
    ("softmax_elementwise", "softmaxed", "s = softmax(x); return s * dout - s * (s * dout).sum(-1, keepdims=True)", "s = softmax(x); return dout * s * (1 - s)", "DIAG_JACOBIAN"),
    ("no_maximum_subtracted", "softmax_of_large", SOFTMAX, "s = np.exp(x) / np.exp(x).sum(-1, keepdims=True); return s * (dout - (dout * s).sum(-1, keepdims=True))", "UNSTABLE"),
    ("naive_formula", "sigmoid_of_large", "s = sigmoid(x); return dout * s * sigmoid(-x)", "s = np.exp(x) / (1 + np.exp(x)); return dout * s * (np.exp(-x) / (1 + np.exp(-x)))", "UNSTABLE"),
    ("gradient_of_another_step", "rnn", RNN, RNN.replace("h.T @ da", "h.T @ dout"), "DROPPED_LOCAL"),
    ("gradient_of_another_step", "cell", CELL, CELL.replace("return dn * c", "return dout * c"), "MISSING_PATH"),
    ("gradient_of_another_step", "rnn", "n = np.tanh(x @ u + h @ w); s = 1 - n**2; da = dout * s; return da @ u.T, da @ w.T, x.T @ da, h.T @ (dout * s)",
     "s = 1 - np.tanh(x @ u + h @ w) ** 2; da = dout * s; return da @ u.T, da @ w.T, x.T @ da, h.T @ (da * s)", "FORMULA"),
    ("slope_of_another_activation", "gated", GATED, GATED.replace("i * (1 - i)", "(1 - i**2)"), "FORMULA"),
    ("slope_of_another_activation", "gated", GATED, GATED.replace("(1 - g**2)", "g * (1 - g)"), "FORMULA"),
    ("mask_inverted", "relu", "return dout * (x > 0)", "return np.where(x > 0, 0, dout)", "WRONG_MASK"),
    ("mask_with_ties", "maxpool", "dx = np.zeros_like(x)\nfor i in range(3):\n    for j in range(5):\n        a = x[i : i + kh, j : j + kw]; dx[i : i + kh, j : j + kw] += (a > np.sort(a.ravel())[-2]) * dout[i, j]\nreturn dx",
     "dx = np.zeros_like(x)\nfor i in range(3):\n    for j in range(5):\n        a = x[i : i + kh, j : j + kw]; dx[i : i + kh, j : j + kw] += (a >= np.sort(a.ravel())[-2]) * dout[i, j]\nreturn dx", "WRONG_MASK"),
    ("mask_of_another_tensor", "relu", "return dout * (x > 0)", "return np.maximum(dout, 0)", "WRONG_MASK"),
    ("mask_dropped", "relu", "return np.where(x > 0, dout, 0)", "return dout.copy()", "DROPPED_LOCAL"),
    ("mask_dropped", "relu", "dx = dout.copy(); dx[x <= 0] = 0; return dx", "return dout.copy()", "DROPPED_LOCAL"),
    ("all_that_are_largest", "max_of_ties", "dx = np.zeros_like(x); a = x[0:6].argmax(); dx[a] += dout; return dx", "return dout * (x == x.max())", "WRONG_MASK"),
    ("assigned", "expression", ENGINE, engine(PRODUCT, OVERWRITTEN), "OVERWRITE"),
    ("accumulating_call_assigned", "embedding", EMBED, "dw = np.zeros_like(w); dw[ids] = dout; return dw", "OVERWRITE"),
    ("accumulating_call_assigned", "embedding", EMBED, "dw = np.zeros_like(w); np.add.at(dw, ids, dout); return dw / np.maximum(np.bincount(ids.ravel(), minlength=6), 1)[:, None]", "EXTRA_MEAN"),
    ("repeated_rows_by_matrix_product", "embedding", "return np.eye(6)[ids.ravel()].T @ dout.reshape(-1, 2)",
     "dw = np.zeros_like(w); np.add.at(dw, ids, dout); return dw / np.maximum(np.bincount(ids.ravel(), minlength=6), 1)[:, None]", "EXTRA_MEAN"),
    ("contribution_dropped", "cross_entropy", CE, "return dout * softmax(x) / 7", "MISSING_PATH"),
    ("contribution_dropped", "cross_entropy", CE, "return dout * (softmax(x) - np.eye(3)[y])", "MISSING_MEAN"),
    ("contribution_twice", "expression", ENGINE, engine("            other.grad += self.data * out.grad", "            other.grad += self.data * out.grad\n            other.grad += self.data * out.grad"), "DOUBLE_COUNT"),
    ("last_pass_of_a_loop_only", "affine", "dw = 0\nfor a, c in zip(x, dout):\n    dw += np.outer(a, c)\nreturn dout @ w.T, dw, dout.sum(0)", "return dout @ w.T, np.outer(x[-1], dout[-1]), dout.sum(0)", "OVERWRITE"),
    ("result_not_averaged", "affine", AFFINE, "return dout @ w.T, x.T @ dout / len(x), dout.sum(0)", "EXTRA_MEAN"),
    ("index_off_by_one", "cross_entropy", CE, CE.replace("y]", "y - 1]"), "INDEXING"),
    ("index_plus_or_minus_dropped", "recurrence", RECURRENCE.replace("s[t] **", "s[t + 1 - 1] **"), RECURRENCE.replace("s[t] **", "s[t - 1] **"), "INDEXING"),
    ("slice_shifted", "conv", CONV, CONV.replace("pad : pad + L", ":L"), "INDEXING"),
    ("only_one_of_an_axis", "conv", CONV_LOOPS, CONV_LOOPS.replace("dxp[n, c, i", "dxp[n, 0, i"), "INDEXING"),
    ("loop_variables_swapped", "maxpool", POOL, POOL.replace("dout[i, j]", "dout[j % 3, i]"), None),
    ("channel_of_all", "conv", CONV, CONV.replace('np.einsum("nf,fca->nca", dout[:, :, i], w)', 'np.einsum("nf,fca->nca", dout[:, :, i], w)[:, :1]'), "INDEXING"),
    ("sizes_mixed_up", "maxpool", POOL.replace("dx[i + r, j + s]", "dx[(i + r) % 5, (j + s) % 6]"), POOL.replace(".argmax(), kw)", ".argmax(), kh)").replace("dx[i + r, j + s]", "dx[(i + r) % 5, (j + s) % 6]"), "INDEXING"),
    ("loop_too_short", "maxpool", POOL, POOL.replace("range(dout.shape[0])", "range(1, dout.shape[0])"), "INDEXING"),
    ("loop_not_reversed", "expression", ENGINE, engine("reversed(topo)", "topo"), "MISSING_PATH"),
    ("one_of_several_rows", "cross_entropy", CE, CE.replace("np.arange(n), y]", ":, y]"), "INDEXING"),
    ("returned_in_another_order", "affine", AFFINE, "return dout @ w.T, dout.sum(0), x.T @ dout", "SWAPPED"),
    ("parts_put_together_in_another_order", "gated", GATED, GATED.replace("[di, dg]", "[dg, di]"), "SWAPPED"),
    ("right_sides_swapped", "gated", GATED, GATED.replace("di = dout", "TEMP = dout").replace("dg = dout", "di = dout").replace("TEMP", "dg"), "SWAPPED"),
    ("stored_slices_swapped", "gated", GATED_SLICES, GATED.replace("[di, dg]", "[dg, di]"), "SWAPPED"),
    ("too_few_digits", "affine", "dw = np.zeros_like(w)\nfor a, c in zip(x, dout):\n    dw[...] = dw + np.outer(a, c)\nreturn dout @ w.T, dw, dout.sum(0)",
     "dw = np.zeros(w.shape, dtype=int)\nfor a, c in zip(x, dout):\n    dw[...] = dw + np.outer(a, c)\nreturn dout @ w.T, dw.astype(float), dout.sum(0)", "DTYPE"),
    ("digits_of_the_terms_lost", "affine", AFFINE, "dw = np.zeros(w.shape, dtype=int)\nfor a, c in zip(x, dout): dw += np.outer(a, c).astype(int)\nreturn dout @ w.T, dw.astype(float), dout.sum(0)", "DTYPE"),
    ("no_visited_set", "expression", ENGINE, engine("if node not in visited:", "if True:"), "DOUBLE_COUNT"),
    ("listed_before_its_inputs", "expression", ENGINE, engine("                for child in node.children:\n                    build(child)\n                topo.append(node)", "                topo.append(node)\n                for child in node.children:\n                    build(child)"), "MISSING_PATH"),
    ("no_order", "expression", ENGINE, engine("        for node in reversed(topo):\n            node._backward()", "        def go(one):\n            one._backward()\n            for child in one.children:\n                go(child)\n        go(self)"), "DOUBLE_COUNT"),
    ("start_of_the_gradient", "expression", ENGINE, engine("        self.grad = 1.0\n        for", "        for"), "WRONG_CONSTANT"),
    ("call_of_accumulate", "expression", ADDING, engine(PRODUCT, OVERWRITTEN), "OVERWRITE"),
    ("operand_of_ones", "affine", AFFINE, "return dout @ w.T, np.tile(dout.sum(0), (3, 1)), dout.sum(0)", "DROPPED_LOCAL"),
    ("power_of_a_divisor", "normalised", NORMALISED, NORMALISED.replace("n**3", "n**2"), "FORMULA"),
    ("term_dropped", "normalised", NORMALISED, "return dout / np.linalg.norm(x, axis=-1, keepdims=True)", "STATS_CONST"),
    ("exponent_of_a_square", "powers", "return n * x ** (n - 1) * dout", "return 2 * x ** (n - 1) * dout", "WRONG_CONSTANT"),
    ("step_skipped", "mixed", MIXED, "return dout @ v.T, softmax(x).T @ dout", "DROPPED_LOCAL"),
    ("constants", "gelu", GELU, GELU.replace("3 * 0.044715", "3 * 0.44715"), "WRONG_CONSTANT"),
    ("constants", "gelu", GELU, GELU.replace("3 * 0.044715", "3 * 0.04715"), "WRONG_CONSTANT"),
    ("slope_of_the_sibling_form", "gelu", GELU, "return dout * ((1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))", "FORMULA"),
    ("slope_at_the_output", "softplus", "return dout * sigmoid(x)", "return dout / (1 + np.exp(-np.log1p(np.exp(x))))", "PRE_POST"),
    ("value_where_the_slope_is_due", "relu", "return dout * (x > 0)", "return dout * np.maximum(x, 0)", "FORMULA"),
    ("value_where_the_slope_is_due", "tanh", TANH, "return dout * np.tanh(x)", "FORMULA"),
    ("only_the_label", "cross_entropy", CE, "p = softmax(x); r = np.arange(7); d = np.zeros_like(x); d[r, y] = dout * (p[r, y] - 1) / 7; return d", "DIAG_JACOBIAN"),
    ("another_threshold", "relu", "return dout * (x > 0)", "return dout * (x > 1)", "WRONG_MASK"),
    ("mask_read_off_the_output", "dropout_of_zeros", "return dout * mask / (1 - p)", "return dout * (x * mask != 0) / (1 - p)", "WRONG_MASK"),
    ("one_side_of_a_kink", "leaky", "return np.where(x > 0, dout, 0.1 * dout)", "return dout * (x > 0)", "MISSING_PATH"),
    ("one_side_of_a_kink", "leaky", "return dout * np.where(x > 0, 1, 0.1)", "return dout * np.where(x > 0, 1, -0.1)", "SIGN_FLIP"),
    ("one_side_of_a_kink", "leaky", "d = dout.copy(); d[x < 0] *= 0.1; return d", "return dout * (x > 0)", "MISSING_PATH"),
    ("pooling_of_another_kind", "maxpool", POOL, POOL.replace("argmax", "argmin"), "WRONG_MASK"),
    ("pooling_of_another_kind", "maxpool", POOL,
     "dx = np.zeros_like(x)\nfor i in range(3):\n    for j in range(5):\n        dx[i : i + kh, j : j + kw] += dout[i, j] / (kh * kw)\nreturn dx", "FORMULA"),
    ("pooling_of_another_kind", "maxpool", POOL, POOL.replace("dout[i, j]", "dout[i, j] / (kh * kw)"), "EXTRA_MEAN"),
    ("accumulating_call_assigned", "embedding", EMBED,
     "dw, seen = np.zeros_like(w), set()\nfor i, d in zip(ids.ravel(), dout.reshape(-1, 2)):\n    if i not in seen:\n        dw[i] = d\n    seen.add(i)\nreturn dw", "MISSING_PATH"),
    ("index_off_by_one", "cross_entropy", CE, CE.replace("y]", "(y + 1) % 3]"), "INDEXING"),
    ("slice_shifted", "conv", CONV, CONV.replace("[:, :, pad : pad + L]", ""), "INDEXING"),
    ("loop_variables_swapped_where_places_are_worked_out", "strided", STRIDED, STRIDED.replace("i * stride, j * stride", "j * stride, i * stride"), "INDEXING"),
    ("windows_side_by_side", "strided", STRIDED, STRIDED.replace("i * stride, j * stride", "i * kh, j * kw"), "INDEXING"),
    ("window_turned", "taps", TAPS, TAPS.replace("dx[i + r, j + s]", "dx[i + s, j + r]"), "INDEXING"),
    ("place_of_the_maximum", "maxpool", POOL, POOL.replace("divmod(x[i : i + kh, j : j + kw].argmax(), kw)", "(k := x[i : i + kh, j : j + kw].argmax()) // kh, k % kw"), "INDEXING"),
    ("place_of_the_maximum", "maxpool", POOL, POOL.replace("x[i : i + kh, j : j + kw].argmax()", "x[i : i + kh, j : j + kw][::-1, ::-1].argmax()"), "INDEXING"),
    ("maximum_over_one_axis_more", "pool_of_channels", CHANNELS,
     "dx = np.zeros_like(x)\nfor c in range(2):\n    for i in range(3):\n        a = x[:, i : i + 2, :]; dx[:, i : i + 2, :] += (a == a.max()) * dout[c, i]\nreturn dx", "WRONG_AXIS"),
    ("split_at_another_place", "joined", "a, b = np.split(np.tanh(dout), [2], 1); return a, b", "return np.tanh(dout[:, :3]), np.tanh(dout[:, 3:])", None),
    ("split_at_another_place", "joined", "return dout[:, :2], dout[:, 2:]", "d = np.roll(dout, -1, 1); return d[:, :2], d[:, 2:]", "INDEXING"),
    ("running_sum_from_the_other_end", "running", "return np.cumsum(dout[:, ::-1], 1)[:, ::-1]", "return dout.cumsum(1)", "INDEXING"),
    ("running_sum_from_the_other_end", "running", "return np.cumsum(dout[:, ::-1], 1)[:, ::-1]", "return dout[::-1].cumsum(0)[::-1]", "WRONG_AXIS"),
    ("part_left_out", "gated", GATED, GATED.replace("[di, dg]", "[di, 0 * dg]"), "MISSING_PATH"),
    ("part_left_out", "gated", GATED_SLICES, GATED.replace("[di, dg]", "[di, 0 * dg]"), "MISSING_PATH"),
    ("breadth_first", "expression", ENGINE, engine("        for node in reversed(topo):\n            node._backward()",
     "        stack, seen = [self], {self}\n        while stack:\n            node = stack.pop()\n            node._backward()\n"
     "            stack += [c for c in node.children if c not in seen]\n            seen.update(node.children)"), "MISSING_PATH"),
    ("assigned_in_another_order", "expression", ENGINE, ENGINE.replace("+= ", "= ").replace("in node.children", "in reversed(node.children)"), "OVERWRITE"),
    ("factor_of_a_gradient_twice", "softmaxed", "s = softmax(x); inner = (dout * s).sum(-1, keepdims=True); return s * (dout - inner)", "s = softmax(x); return s * s * (dout - (dout * s).sum(-1, keepdims=True))", "FORMULA"),
    ("slopes_of_activations_dropped", "gated", GATED, "i, g = 1 / (1 + np.exp(-x[:, :3])), np.tanh(x[:, 3:]); return np.hstack([dout * g, dout * i])", "DROPPED_LOCAL"),
    ("square_of_a_difference", "tanh", TANH, "return dout * (1 - np.tanh(x)) ** 2", "FORMULA"),
    ("square_of_a_difference", "sigmoid", SIGMOID, "return dout / (1 + np.exp(-x)) ** 2", "FORMULA"),
    ("slope_of_the_other_operand", "multiplied", "return dout * y, dout * x", "return dout * x, dout * y", "SWAPPED"),
    ("constants", "cross_entropy", CE, CE.replace("-= 1", "-= 2"), "WRONG_CONSTANT"),
]  # fmt: skip
