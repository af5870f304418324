"""attention: one head, scaled dot products, no mask, over a batch."""

import math

import numpy as np

from .corpus import normal, op, right, softmax, switched, wrong


def make(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 2, 2), normal(rng, 1, 2, 2), normal(rng, 1, 2, 2)]
    if mode == "typical":
        return [normal(rng, 2, 3, 4), normal(rng, 2, 3, 4), normal(rng, 2, 3, 4)]
    if mode == "strong":
        return [normal(rng, 2, 3, 4), normal(rng, 2, 5, 4), normal(rng, 2, 5, 6)]
    q, k, v = 60 * normal(rng, 1, 3, 4), 60 * normal(rng, 1, 3, 4), normal(rng, 1, 3, 2)
    k[0, 0] = 60 * np.sign(q[0, 0])  # one key points where its query does: that logit is far above 709, where exp overflows
    return [q, k, v]


def transposed(a):
    return a.swapaxes(-1, -2)


def forward(q, k, v):
    return softmax(q @ transposed(k) / math.sqrt(q.shape[-1])) @ v


@op("attention", make, forward, diff=[0, 1, 2], modes=("toy", "typical", "strong", "extreme"))
def attention(dout, q, k, v, bug=""):
    scale = 1 / math.sqrt(q.shape[-1])
    scores = q @ transposed(k) * scale
    if bug == "overflow":
        e = np.exp(scores)
        weights = e / e.sum(-1, keepdims=True)
    else:
        weights = softmax(scores, -2 if bug == "axis" else -1)
    dweights = dout @ transposed(v)
    if bug == "diagonal":
        dscores = dweights * weights * (1 - weights)
    elif bug == "half":
        dscores = dweights * weights
    else:
        dscores = weights * (dweights - (dweights * weights).sum(-1, keepdims=True))
    outer = {"no scale": 1, "scale twice": scale * scale}.get(bug, scale)
    dq = dscores @ k * outer
    dk = (dscores if bug == "dk" else transposed(dscores)) @ q * outer
    dv = (weights if bug == "dv" else transposed(weights)) @ dout
    return dq, dk, np.zeros_like(v) if bug == "no dv" else dv


for bug, label, note in [
    ("no scale", "WRONG_CONSTANT", "1/sqrt(d) forgotten"),
    ("scale twice", "WRONG_CONSTANT", "scale applied twice"),
    ("diagonal", "DIAG_JACOBIAN", "softmax treated elementwise"),
    ("half", "MISSING_PATH", "row-sum term of the softmax dropped"),
    ("dk", "TRANSPOSED", "dK = dS@Q instead of dS.T@Q"),
    ("dv", "TRANSPOSED", "dV = A@dout"),
    ("axis", "WRONG_AXIS", "softmax over queries"),
    ("no dv", "MISSING_PATH", "no gradient for V"),
    ("overflow", "UNSTABLE", "no max subtraction"),
]:
    wrong("attention", label, note)(switched(attention, bug))


@right("attention", "einsum, full softmax Jacobian")
def attention_jacobian(dout, q, k, v):
    scale = 1 / math.sqrt(q.shape[-1])
    weights = softmax(np.einsum("nid,njd->nij", q, k) * scale)
    dweights = np.einsum("nie,nje->nij", dout, v)
    jacobian = weights[..., None] * np.eye(weights.shape[-1]) - weights[..., None] * weights[..., None, :]
    dscores = np.einsum("nijk,nik->nij", jacobian, dweights) * scale
    return [np.einsum("nij,njd->nid", dscores, k), np.einsum("nij,nid->njd", dscores, q), np.einsum("nij,nie->nje", weights, dout)]


@right("attention", "flash-style: row statistic D=sum(dO*O) instead of sum(dA*A)")
def attention_flash(dout, q, k, v):
    scale = 1 / math.sqrt(q.shape[-1])
    weights = softmax(q @ transposed(k) * scale)
    out = weights @ v
    dscores = weights * (dout @ transposed(v) - (dout * out).sum(-1, keepdims=True)) * scale
    return dscores @ k, transposed(dscores) @ q, transposed(weights) @ dout
