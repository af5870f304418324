"""Textbook backward passes, written out as a lesson would: what a bank of mutants is made from.

Each operation has the staged form, one named intermediate per line, and the compact forms that are well known. Every
function stands alone: ``Reference.source`` and NumPy are all that is needed to run it.
"""

# ruff: noqa: RUF059  shapes are written out in full, as in a lesson

import inspect
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .scalar_engine import expression


class Reference(NamedTuple):
    function: Callable[..., Any]
    """function(dout, *args) -> one gradient per differentiable argument."""
    needs: tuple[type, ...] = ()
    """Classes that belong to the source."""

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def source(self) -> str:
        sources = map(inspect.getsource, (*self.needs, self.function))
        return "\n\n".join(re.sub(r"\A(@.*\n)+", "", source) for source in sources)

    @property
    def names(self) -> dict[str, Any]:
        """What the source takes from outside."""
        return {"np": np, "math": math, "expression": expression}


# ---------------------------------------------------------------- scalar engine


class ValueOfClosures:
    def __init__(self, data, children=()):
        self.data = data
        self.grad = 0.0
        self.children = children
        self._backward = lambda: None

    def __add__(self, other):
        out = ValueOfClosures(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __sub__(self, other):
        out = ValueOfClosures(self.data - other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += -out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = ValueOfClosures(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __truediv__(self, other):
        out = ValueOfClosures(self.data / other.data, (self, other))

        def _backward():
            self.grad += 1 / other.data * out.grad
            other.grad += -self.data / other.data**2 * out.grad

        out._backward = _backward
        return out

    def pow(self, n):
        out = ValueOfClosures(self.data**n, (self,))

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def exp(self):
        out = ValueOfClosures(math.exp(self.data), (self,))

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = ValueOfClosures(math.tanh(self.data), (self,))

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = ValueOfClosures(max(self.data, 0.0), (self,))

        def _backward():
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def backward(self, grad=1.0):
        topo = []
        visited = set()

        def build_topo(node):
            if node not in visited:
                visited.add(node)
                for child in node.children:
                    build_topo(child)
                topo.append(node)

        build_topo(self)
        self.grad = grad
        for node in reversed(topo):
            node._backward()


def scalar_closures(dout, v, graph):
    leaves = [ValueOfClosures(x) for x in v]
    out = expression(leaves, graph)
    out.backward(float(dout))
    return (np.array([leaf.grad for leaf in leaves]),)


class ValueOfLocals:
    def __init__(self, data, children=(), local_grads=()):
        self.data = data
        self.grad = 0.0
        self.children = children
        self.local_grads = local_grads

    def __add__(self, other):
        return ValueOfLocals(self.data + other.data, (self, other), (1.0, 1.0))

    def __sub__(self, other):
        return ValueOfLocals(self.data - other.data, (self, other), (1.0, -1.0))

    def __mul__(self, other):
        return ValueOfLocals(self.data * other.data, (self, other), (other.data, self.data))

    def __truediv__(self, other):
        return ValueOfLocals(self.data / other.data, (self, other), (1 / other.data, -self.data / other.data**2))

    def pow(self, n):
        return ValueOfLocals(self.data**n, (self,), (n * self.data ** (n - 1),))

    def exp(self):
        e = math.exp(self.data)
        return ValueOfLocals(e, (self,), (e,))

    def tanh(self):
        t = math.tanh(self.data)
        return ValueOfLocals(t, (self,), (1 - t**2,))

    def relu(self):
        return ValueOfLocals(max(self.data, 0.0), (self,), (float(self.data > 0),))

    def backward(self, grad=1.0):
        topo = []
        visited = set()

        def build_topo(node):
            if node not in visited:
                visited.add(node)
                for child in node.children:
                    build_topo(child)
                topo.append(node)

        build_topo(self)
        self.grad = grad
        for node in reversed(topo):
            for child, local_grad in zip(node.children, node.local_grads, strict=True):
                child.grad += local_grad * node.grad


def scalar_local_derivatives(dout, v, graph):
    leaves = [ValueOfLocals(x) for x in v]
    out = expression(leaves, graph)
    out.backward(float(dout))
    return (np.array([leaf.grad for leaf in leaves]),)


# ---------------------------------------------------------------- broadcast, affine


def broadcast_by_axes(dout, x, g, b):
    out = x * g + b
    dx = dout * g
    leading = tuple(range(out.ndim - 1))
    dg = (dout * x).sum(axis=leading)
    db = dout
    while db.ndim > b.ndim:
        db = db.sum(axis=0)
    for axis in range(b.ndim):
        if b.shape[axis] == 1:
            db = db.sum(axis=axis, keepdims=True)
    return dx, dg, db


def broadcast_unbroadcast(dout, x, g, b):
    def unbroadcast(grad, shape):
        grad = grad.sum(axis=tuple(range(grad.ndim - len(shape))))
        stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
        return grad.sum(axis=stretched, keepdims=True)

    dx = unbroadcast(dout * g, x.shape)
    dg = unbroadcast(dout * x, g.shape)
    db = unbroadcast(dout, b.shape)
    return dx, dg, db


def affine_staged(dout, x, w, b):
    N = x.shape[0]
    rows = x.reshape(N, -1)
    drows = dout @ w.T
    dx = drows.reshape(x.shape)
    dw = rows.T @ dout
    db = dout.sum(axis=0)
    return dx, dw, db


def affine_loop(dout, x, w, b):
    N = x.shape[0]
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    db = np.zeros_like(b)
    for n in range(N):
        row = x[n].ravel()
        dx[n] = (w @ dout[n]).reshape(x[n].shape)
        dw += np.outer(row, dout[n])
        db += dout[n]
    return dx, dw, db


# ---------------------------------------------------------------- elementwise


def relu_mask(dout, x):
    mask = x > 0
    dx = dout * mask
    return (dx,)


def relu_assigned(dout, x):
    dx = np.array(dout)
    dx[x <= 0] = 0
    return (dx,)


def relu_where(dout, x):
    out = np.maximum(x, 0)
    dx = np.where(out > 0, dout, 0.0)
    return (dx,)


def sigmoid_of_output(dout, x):
    e = np.exp(-np.abs(x))
    s = np.where(x >= 0, 1 / (1 + e), e / (1 + e))
    local = s * (1 - s)
    dx = dout * local
    return (dx,)


def sigmoid_by_tanh(dout, x):
    s = 0.5 * (1 + np.tanh(0.5 * x))
    dx = dout * s * (1 - s)
    return (dx,)


def tanh_of_output(dout, x):
    t = np.tanh(x)
    local = 1 - t**2
    dx = dout * local
    return (dx,)


def tanh_of_input(dout, x):
    dx = dout / np.cosh(x) ** 2
    return (dx,)


def gelu_staged(dout, x):
    c = np.sqrt(2 / np.pi)
    u = c * (x + 0.044715 * x**3)
    t = np.tanh(u)
    du = c * (1 + 3 * 0.044715 * x**2)
    dt = (1 - t**2) * du
    local = 0.5 * (1 + t) + 0.5 * x * dt
    dx = dout * local
    return (dx,)


def gelu_backward_through(dout, x):
    c = np.sqrt(2 / np.pi)
    u = c * (x + 0.044715 * x**3)
    t = np.tanh(u)
    dx = dout * 0.5 * (1 + t)
    dt = dout * 0.5 * x
    du = dt * (1 - t**2)
    dx = dx + du * c
    dx = dx + du * c * 0.044715 * 3 * x**2
    return (dx,)


def dropout_scaled(dout, x, mask, p):
    scale = 1 / (1 - p)
    dx = dout * mask * scale
    return (dx,)


# ---------------------------------------------------------------- softmax, cross-entropy, logsumexp


def softmax_staged(dout, x):
    shifted = x - x.max(axis=-1, keepdims=True)
    e = np.exp(shifted)
    probs = e / e.sum(axis=-1, keepdims=True)
    inner = (dout * probs).sum(axis=-1, keepdims=True)
    dx = probs * (dout - inner)
    return (dx,)


def softmax_through_exp(dout, x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    total = e.sum(axis=-1, keepdims=True)
    de = dout / total
    dtotal = -(dout * e).sum(axis=-1, keepdims=True) / total**2
    de = de + dtotal
    dx = de * e
    return (dx,)


def softmax_jacobian(dout, x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    probs = e / e.sum(axis=-1, keepdims=True)
    dx = np.zeros_like(x)
    for index in np.ndindex(x.shape[:-1]):
        p = probs[index]
        jacobian = np.diag(p) - np.outer(p, p)
        dx[index] = jacobian @ dout[index]
    return (dx,)


def cross_entropy_staged(dout, logits, y):
    N = logits.shape[0]
    shifted = logits - logits.max(axis=1, keepdims=True)
    counts = np.exp(shifted)
    probs = counts / counts.sum(axis=1, keepdims=True)
    dlogits = probs.copy()
    dlogits[np.arange(N), y] -= 1
    dlogits = dlogits / N
    return (dout * dlogits,)


def cross_entropy_one_hot(dout, logits, y):
    N, C = logits.shape
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    probs = e / e.sum(axis=1, keepdims=True)
    one_hot = np.eye(C)[y]
    dlogits = dout * (probs - one_hot) / N
    return (dlogits,)


def cross_entropy_through_logprobs(dout, logits, y):
    N = logits.shape[0]
    shifted = logits - logits.max(axis=1, keepdims=True)
    logsum = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    logprobs = shifted - logsum
    dlogprobs = np.zeros_like(logits)
    dlogprobs[np.arange(N), y] = -dout / N
    dlogits = dlogprobs - np.exp(logprobs) * dlogprobs.sum(axis=1, keepdims=True)
    return (dlogits,)


def logsumexp_staged(dout, x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    probs = e / e.sum(axis=-1, keepdims=True)
    dx = dout[..., None] * probs
    return (dx,)


def logsumexp_of_output(dout, x):
    m = x.max(axis=-1, keepdims=True)
    out = m + np.log(np.exp(x - m).sum(axis=-1, keepdims=True))
    dx = np.expand_dims(dout, -1) * np.exp(x - out)
    return (dx,)


# ---------------------------------------------------------------- normalisation


def batchnorm_staged(dout, x, gamma, beta):
    N, D = x.shape
    mean = x.mean(axis=0)
    xmu = x - mean
    var = (xmu**2).mean(axis=0)
    std = np.sqrt(var + 1e-5)
    xhat = xmu / std
    dbeta = dout.sum(axis=0)
    dgamma = (dout * xhat).sum(axis=0)
    dxhat = dout * gamma
    dvar = (dxhat * xmu).sum(axis=0) * -0.5 / std**3
    dmean = -(dxhat / std).sum(axis=0) + dvar * (-2 * xmu).mean(axis=0)
    dx = dxhat / std + dvar * 2 * xmu / N + dmean / N
    return dx, dgamma, dbeta


def batchnorm_compact(dout, x, gamma, beta):
    N, D = x.shape
    std = np.sqrt(x.var(axis=0) + 1e-5)
    xhat = (x - x.mean(axis=0)) / std
    dbeta = dout.sum(axis=0)
    dgamma = (dout * xhat).sum(axis=0)
    dxhat = dout * gamma
    dx = (N * dxhat - dxhat.sum(axis=0) - xhat * (dxhat * xhat).sum(axis=0)) / (N * std)
    return dx, dgamma, dbeta


def batchnorm_means(dout, x, gamma, beta):
    std = np.sqrt(x.var(axis=0) + 1e-5)
    xhat = (x - x.mean(axis=0)) / std
    dxhat = dout * gamma
    dx = (dxhat - dxhat.mean(axis=0) - xhat * (dxhat * xhat).mean(axis=0)) / std
    return dx, (dout * xhat).sum(axis=0), dout.sum(axis=0)


def layernorm_staged(dout, x, gamma, beta):
    D = x.shape[-1]
    batch = tuple(range(x.ndim - 1))
    mean = x.mean(axis=-1, keepdims=True)
    xmu = x - mean
    var = (xmu**2).mean(axis=-1, keepdims=True)
    std = np.sqrt(var + 1e-5)
    xhat = xmu / std
    dbeta = dout.sum(axis=batch)
    dgamma = (dout * xhat).sum(axis=batch)
    dxhat = dout * gamma
    dvar = (dxhat * xmu).sum(axis=-1, keepdims=True) * -0.5 / std**3
    dmean = -(dxhat / std).sum(axis=-1, keepdims=True) + dvar * (-2 * xmu).mean(axis=-1, keepdims=True)
    dx = dxhat / std + dvar * 2 * xmu / D + dmean / D
    return dx, dgamma, dbeta


def layernorm_compact(dout, x, gamma, beta):
    D = x.shape[-1]
    batch = tuple(range(x.ndim - 1))
    std = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    xhat = (x - x.mean(axis=-1, keepdims=True)) / std
    dbeta = dout.sum(axis=batch)
    dgamma = (dout * xhat).sum(axis=batch)
    dxhat = dout * gamma
    dx = (dxhat - dxhat.sum(axis=-1, keepdims=True) / D - xhat * (dxhat * xhat).sum(axis=-1, keepdims=True) / D) / std
    return dx, dgamma, dbeta


# ---------------------------------------------------------------- embedding


def embedding_add_at(dout, w, ids):
    dw = np.zeros_like(w)
    np.add.at(dw, ids, dout)
    return (dw,)


def embedding_loop(dout, w, ids):
    D = w.shape[1]
    flat_ids = ids.reshape(-1)
    rows = dout.reshape(-1, D)
    dw = np.zeros_like(w)
    for n in range(len(flat_ids)):
        dw[flat_ids[n]] += rows[n]
    return (dw,)


def embedding_one_hot(dout, w, ids):
    V, D = w.shape
    one_hot = np.eye(V)[ids.reshape(-1)]
    dw = one_hot.T @ dout.reshape(-1, D)
    return (dw,)


# ---------------------------------------------------------------- convolution, pooling


def conv_loop(dout, x, w, b, stride, pad):
    N, C, H, W = x.shape
    F, _, kh, kw = w.shape
    _, _, Hout, Wout = dout.shape
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dxp = np.zeros_like(xp)
    dw = np.zeros_like(w)
    db = dout.sum(axis=(0, 2, 3))
    for n in range(N):
        for f in range(F):
            for i in range(Hout):
                for j in range(Wout):
                    top = i * stride
                    left = j * stride
                    window = xp[n, :, top : top + kh, left : left + kw]
                    dw[f] += window * dout[n, f, i, j]
                    dxp[n, :, top : top + kh, left : left + kw] += w[f] * dout[n, f, i, j]
    dx = dxp[:, :, pad : pad + H, pad : pad + W]
    return dx, dw, db


def conv_windows(dout, x, w, b, stride, pad):
    N, C, H, W = x.shape
    F, _, kh, kw = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dxp = np.zeros_like(xp)
    dw = np.zeros_like(w)
    db = np.zeros(F)
    for i in range(dout.shape[2]):
        for j in range(dout.shape[3]):
            rows = slice(i * stride, i * stride + kh)
            cols = slice(j * stride, j * stride + kw)
            d = dout[:, :, i, j]
            dw += np.einsum("nf,ncab->fcab", d, xp[:, :, rows, cols])
            dxp[:, :, rows, cols] += np.einsum("nf,fcab->ncab", d, w)
            db += d.sum(axis=0)
    dx = dxp[:, :, pad : H + pad, pad : W + pad]
    return dx, dw, db


def conv_elements(dout, x, w, b, stride, pad):
    N, C, H, W = x.shape
    F, _, kh, kw = w.shape
    _, _, Hout, Wout = dout.shape
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dxp = np.zeros_like(xp)
    dw = np.zeros_like(w)
    for i in range(Hout):
        for j in range(Wout):
            for r in range(kh):
                for s in range(kw):
                    dw[:, :, r, s] += dout[:, :, i, j].T @ xp[:, :, i * stride + r, j * stride + s]
                    dxp[:, :, i * stride + r, j * stride + s] += dout[:, :, i, j] @ w[:, :, r, s]
    return dxp[:, :, pad : pad + H, pad : pad + W], dw, dout.sum(axis=(0, 2, 3))


def maxpool_argmax(dout, x, kh, kw, stride):
    N, C, Hout, Wout = dout.shape
    dx = np.zeros_like(x)
    for n in range(N):
        for c in range(C):
            for i in range(Hout):
                for j in range(Wout):
                    top = i * stride
                    left = j * stride
                    window = x[n, c, top : top + kh, left : left + kw]
                    row, col = divmod(window.argmax(), kw)
                    dx[n, c, top + row, left + col] += dout[n, c, i, j]
    return (dx,)


def maxpool_unravel(dout, x, kh, kw, stride):
    dx = np.zeros_like(x)
    for n, c, i, j in np.ndindex(dout.shape):
        window = x[n, c, i * stride : i * stride + kh, j * stride : j * stride + kw]
        row, col = np.unravel_index(np.argmax(window), window.shape)
        dx[n, c, i * stride + row, j * stride + col] += dout[n, c, i, j]
    return (dx,)


def maxpool_mask(dout, x, kh, kw, stride):
    dx = np.zeros_like(x)
    for n, c, i, j in np.ndindex(dout.shape):
        window = x[n, c, i * stride : i * stride + kh, j * stride : j * stride + kw]
        mask = np.arange(window.size).reshape(window.shape) == window.argmax()
        dx[n, c, i * stride : i * stride + kh, j * stride : j * stride + kw] += mask * dout[n, c, i, j]
    return (dx,)


# ---------------------------------------------------------------- attention


def attention_staged(dout, q, k, v):
    d = q.shape[-1]
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    dv = weights.swapaxes(-1, -2) @ dout
    dweights = dout @ v.swapaxes(-1, -2)
    inner = (dweights * weights).sum(axis=-1, keepdims=True)
    dscores = weights * (dweights - inner)
    dscores = dscores / math.sqrt(d)
    dq = dscores @ k
    dk = dscores.swapaxes(-1, -2) @ q
    return dq, dk, dv


def attention_einsum(dout, q, k, v):
    scale = q.shape[-1] ** -0.5
    scores = np.einsum("bid,bjd->bij", q, k) * scale
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    dv = np.einsum("bij,bie->bje", weights, dout)
    dweights = np.einsum("bie,bje->bij", dout, v)
    dscores = weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True)) * scale
    dq = np.einsum("bij,bjd->bid", dscores, k)
    dk = np.einsum("bij,bid->bjd", dscores, q)
    return dq, dk, dv


# ---------------------------------------------------------------- recurrent


def rnn_staged(dout, x, h, wx, wh, b):
    a = x @ wx + h @ wh + b
    next_h = np.tanh(a)
    da = dout * (1 - next_h**2)
    dx = da @ wx.T
    dh = da @ wh.T
    dwx = x.T @ da
    dwh = h.T @ da
    db = da.sum(axis=0)
    return dx, dh, dwx, dwh, db


def lstm_staged(dout, x, h, c, wx, wh, b):
    dnext_h, dnext_c = dout
    H = h.shape[1]
    a = x @ wx + h @ wh + b
    i = 1 / (1 + np.exp(-a[:, :H]))
    f = 1 / (1 + np.exp(-a[:, H : 2 * H]))
    o = 1 / (1 + np.exp(-a[:, 2 * H : 3 * H]))
    g = np.tanh(a[:, 3 * H :])
    next_c = f * c + i * g
    tanh_c = np.tanh(next_c)
    do = dnext_h * tanh_c
    dtanh_c = dnext_h * o
    dc = dnext_c + dtanh_c * (1 - tanh_c**2)
    df = dc * c
    dprev_c = dc * f
    di = dc * g
    dg = dc * i
    dai = di * i * (1 - i)
    daf = df * f * (1 - f)
    dao = do * o * (1 - o)
    dag = dg * (1 - g**2)
    da = np.hstack([dai, daf, dao, dag])
    dx = da @ wx.T
    dprev_h = da @ wh.T
    dwx = x.T @ da
    dwh = h.T @ da
    db = da.sum(axis=0)
    return dx, dprev_h, dprev_c, dwx, dwh, db


def lstm_slices(dout, x, h, c, wx, wh, b):
    dnext_h, dnext_c = dout
    H = h.shape[1]
    a = x @ wx + h @ wh + b
    gates = 1 / (1 + np.exp(-a[:, : 3 * H]))
    i, f, o = gates[:, :H], gates[:, H : 2 * H], gates[:, 2 * H :]
    g = np.tanh(a[:, 3 * H :])
    next_c = f * c + i * g
    dc = dnext_c.copy()
    dc += dnext_h * o * (1 - np.tanh(next_c) ** 2)
    da = np.zeros_like(a)
    da[:, :H] = dc * g * i * (1 - i)
    da[:, H : 2 * H] = dc * c * f * (1 - f)
    da[:, 2 * H : 3 * H] = dnext_h * np.tanh(next_c) * o * (1 - o)
    da[:, 3 * H :] = dc * i * (1 - g**2)
    return da @ wx.T, da @ wh.T, dc * f, x.T @ da, h.T @ da, da.sum(axis=0)


# ---------------------------------------------------------------- a whole network


def language_model_staged(dout, C, w1, b1, gamma, beta, w2, b2, X, Y):
    N = X.shape[0]
    emb = C[X]
    embcat = emb.reshape(N, -1)
    hprebn = embcat @ w1 + b1
    bnmean = hprebn.mean(axis=0)
    bndiff = hprebn - bnmean
    bnvar = (bndiff**2).sum(axis=0) / (N - 1)
    bnvar_inv = (bnvar + 1e-5) ** -0.5
    bnraw = bndiff * bnvar_inv
    hpreact = gamma * bnraw + beta
    h = np.tanh(hpreact)
    logits = h @ w2 + b2
    norm_logits = logits - logits.max(axis=1, keepdims=True)
    counts = np.exp(norm_logits)
    counts_sum = counts.sum(axis=1, keepdims=True)
    counts_sum_inv = counts_sum**-1
    probs = counts * counts_sum_inv
    logprobs = np.log(probs)

    dlogprobs = np.zeros_like(logprobs)
    dlogprobs[np.arange(N), Y] = -dout / N
    dprobs = dlogprobs / probs
    dcounts_sum_inv = (counts * dprobs).sum(axis=1, keepdims=True)
    dcounts = counts_sum_inv * dprobs
    dcounts_sum = -(counts_sum**-2) * dcounts_sum_inv
    dcounts += dcounts_sum
    dlogits = counts * dcounts
    dh = dlogits @ w2.T
    dw2 = h.T @ dlogits
    db2 = dlogits.sum(axis=0)
    dhpreact = (1 - h**2) * dh
    dgamma = (bnraw * dhpreact).sum(axis=0)
    dbnraw = gamma * dhpreact
    dbeta = dhpreact.sum(axis=0)
    dbndiff = bnvar_inv * dbnraw
    dbnvar_inv = (bndiff * dbnraw).sum(axis=0)
    dbnvar = -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
    dbndiff += 2 * bndiff / (N - 1) * dbnvar
    dhprebn = dbndiff.copy()
    dbnmean = -dbndiff.sum(axis=0)
    dhprebn += dbnmean / N
    dembcat = dhprebn @ w1.T
    dw1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(axis=0)
    demb = dembcat.reshape(emb.shape)
    dC = np.zeros_like(C)
    for n in range(X.shape[0]):
        for t in range(X.shape[1]):
            dC[X[n, t]] += demb[n, t]
    return dC, dw1, db1, dgamma, dbeta, dw2, db2


def language_model_by_layers(dout, C, w1, b1, gamma, beta, w2, b2, X, Y):
    N = X.shape[0]
    embcat = C[X].reshape(N, -1)
    hprebn = embcat @ w1 + b1
    std = np.sqrt(hprebn.var(axis=0, ddof=1) + 1e-5)
    xhat = (hprebn - hprebn.mean(axis=0)) / std
    hpreact = gamma * xhat + beta
    h = np.tanh(hpreact)
    logits = h @ w2 + b2
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    probs = e / e.sum(axis=1, keepdims=True)

    dlogits = probs.copy()
    dlogits[np.arange(N), Y] -= 1
    dlogits *= dout / N
    dh = dlogits @ w2.T
    dw2 = h.T @ dlogits
    db2 = dlogits.sum(axis=0)
    dhpreact = dh * (1 - h**2)
    dgamma = (dhpreact * xhat).sum(axis=0)
    dbeta = dhpreact.sum(axis=0)
    dxhat = dhpreact * gamma
    dhprebn = (dxhat - dxhat.mean(axis=0) - xhat * (dxhat * xhat).sum(axis=0) / (N - 1)) / std
    dw1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(axis=0)
    demb = (dhprebn @ w1.T).reshape(N, X.shape[1], -1)
    dC = np.zeros_like(C)
    np.add.at(dC, X, demb)
    return dC, dw1, db1, dgamma, dbeta, dw2, db2


REFERENCES: dict[str, tuple[Reference, ...]] = {
    "scalar": (Reference(scalar_closures, (ValueOfClosures,)), Reference(scalar_local_derivatives, (ValueOfLocals,))),
    "broadcast": (Reference(broadcast_by_axes), Reference(broadcast_unbroadcast)),
    "affine": (Reference(affine_staged), Reference(affine_loop)),
    "relu": (Reference(relu_mask), Reference(relu_assigned), Reference(relu_where)),
    "sigmoid": (Reference(sigmoid_of_output), Reference(sigmoid_by_tanh)),
    "tanh": (Reference(tanh_of_output), Reference(tanh_of_input)),
    "gelu": (Reference(gelu_staged), Reference(gelu_backward_through)),
    "dropout": (Reference(dropout_scaled),),
    "softmax": (Reference(softmax_staged), Reference(softmax_through_exp), Reference(softmax_jacobian)),
    "softmax_ce": (Reference(cross_entropy_staged), Reference(cross_entropy_one_hot), Reference(cross_entropy_through_logprobs)),
    "logsumexp": (Reference(logsumexp_staged), Reference(logsumexp_of_output)),
    "batchnorm": (Reference(batchnorm_staged), Reference(batchnorm_compact), Reference(batchnorm_means)),
    "layernorm": (Reference(layernorm_staged), Reference(layernorm_compact)),
    "embedding": (Reference(embedding_add_at), Reference(embedding_loop), Reference(embedding_one_hot)),
    "conv2d": (Reference(conv_loop), Reference(conv_windows), Reference(conv_elements)),
    "maxpool": (Reference(maxpool_argmax), Reference(maxpool_unravel), Reference(maxpool_mask)),
    "attention": (Reference(attention_staged), Reference(attention_einsum)),
    "rnn_step": (Reference(rnn_staged),),
    "lstm_step": (Reference(lstm_staged), Reference(lstm_slices)),
    "mlp_bn_lm": (Reference(language_model_staged), Reference(language_model_by_layers)),
}
