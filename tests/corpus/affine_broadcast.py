"""broadcast: x * g + b with g and b stretched. affine: x @ w + b, with all axes of x but the first taken as one."""

import numpy as np

from .corpus import normal, op, right, wrong


def make_broadcast(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 3), normal(rng, 3), normal(rng, 1, 1)]
    if mode == "typical":
        return [normal(rng, 4, 3), normal(rng, 3), normal(rng, 4, 1)]
    return [normal(rng, 2, 3, 4), normal(rng, 4), normal(rng, 3, 1)]


def unbroadcast(grad, shape):
    """Sum over the axes along which an operand of this shape was stretched."""
    if grad.ndim > len(shape):
        grad = grad.sum(tuple(range(grad.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and grad.shape[i] != 1)
    return grad.sum(axes, keepdims=True) if axes else grad


def broadcast_forward(x, g, b):
    return x * g + b


@op("broadcast", make_broadcast, broadcast_forward, diff=[0, 1, 2])
def broadcast(dout, x, g, b):
    return dout * g, unbroadcast(dout * x, g.shape), unbroadcast(dout, b.shape)


@wrong("broadcast", "MISSING_BROADCAST_SUM", "no reduction at all")
def not_reduced(dout, x, g, b):
    return dout * g, dout * x, dout


@wrong("broadcast", "MISSING_BROADCAST_SUM", "size-1 axes not reduced")
def size_one_axes_kept(dout, x, g, b):
    return dout * g, unbroadcast(dout * x, g.shape), dout.sum(tuple(range(dout.ndim - 2))) if dout.ndim > 2 else dout


@wrong("broadcast", "SHAPE", "keepdims leaves (1,..,D) for a (D,) operand")
def keepdims_left(dout, x, g, b):
    return dout * g, (dout * x).sum(tuple(range(dout.ndim - 1)), keepdims=True), unbroadcast(dout, b.shape)


@wrong("broadcast", "EXTRA_MEAN", "np.mean over the broadcast axis")
def averaged(dout, x, g, b):
    return dout * g, (dout * x).mean(tuple(range(dout.ndim - 1))), unbroadcast(dout, b.shape)


@wrong("broadcast", "WRONG_AXIS", "sums everything to a scalar that later broadcasts")
def summed_to_one_number(dout, x, g, b):
    return dout * g, np.sum(dout * x), unbroadcast(dout, b.shape)


@right("broadcast", "python loops, tuple out")
def broadcast_loop(dout, x, g, b):
    rows = (dout * x).reshape(-1, x.shape[-1])
    return dout * g, sum(rows[i] for i in range(len(rows))), unbroadcast(dout.copy(), b.shape)


def make_affine(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 3), normal(rng, 3, 3), normal(rng, 3)]
    if mode == "typical":
        return [normal(rng, 4, 5), normal(rng, 5, 3), normal(rng, 3)]
    return [normal(rng, 4, 2, 3), normal(rng, 6, 5), normal(rng, 5)]


def flat(x):
    return x.reshape(x.shape[0], -1)


def affine_forward(x, w, b):
    return flat(x) @ w + b


@op("affine", make_affine, affine_forward, diff=[0, 1, 2])
def affine(dout, x, w, b):
    return (dout @ w.T).reshape(x.shape), flat(x).T @ dout, dout.sum(0)


@wrong("affine", "TRANSPOSED", "dW transposed (reshaped to fit)")
def dw_transposed(dout, x, w, b):
    dx, _dw, db = affine(dout, x, w, b)
    return dx, (dout.T @ flat(x)).reshape(w.shape), db


@wrong("affine", "MISSING_BROADCAST_SUM", "db = dout")
def db_is_dout(dout, x, w, b):
    dx, dw, _db = affine(dout, x, w, b)
    return dx, dw, dout


@wrong("affine", "WRONG_AXIS", "db = np.sum(dout), one number for all")
def db_one_number(dout, x, w, b):
    dx, dw, _db = affine(dout, x, w, b)
    return dx, dw, np.sum(dout)


@wrong("affine", "WRONG_AXIS", "db summed over features")
def db_over_features(dout, x, w, b):
    dx, dw, _db = affine(dout, x, w, b)
    return dx, dw, np.resize(dout.sum(1), b.shape)


@wrong("affine", "EXTRA_MEAN", "dW has 1/m twice (loss gradient already averaged)")
def dw_averaged(dout, x, w, b):
    dx, dw, db = affine(dout, x, w, b)
    return dx, dw / len(x), db


@wrong("affine", "WRONG_CONSTANT", "db 4/m instead of 1/m")
def db_times_four(dout, x, w, b):
    dx, dw, db = affine(dout, x, w, b)
    return dx, dw, 4 * db


@wrong("affine", "SHAPE", "dx not reshaped back to x.shape")
def dx_flat(dout, x, w, b):
    _dx, dw, db = affine(dout, x, w, b)
    return dout @ w.T, dw, db


@wrong("affine", "SWAPPED", "returns (dx, db, dW)")
def dw_and_db_swapped(dout, x, w, b):
    dx, dw, db = affine(dout, x, w, b)
    return dx, db, dw


@wrong("affine", "NO_UPSTREAM", "dx = ones @ W.T")
def dx_of_ones(dout, x, w, b):
    _dx, dw, db = affine(dout, x, w, b)
    return (np.ones_like(dout) @ w.T).reshape(x.shape), dw, db


@wrong("affine", "DTYPE", "gradient accumulated in an integer buffer")
def dw_integer(dout, x, w, b):
    dw = np.zeros(w.shape, dtype=int)
    for i in range(len(x)):
        dw += np.outer(flat(x)[i], dout[i]).astype(int)
    return affine(dout, x, w, b)[0], dw, dout.sum(0)


@wrong("affine", "MUTATES", "scales dout in place (dout /= N) then undoes it in dW only on the first use")
def dout_scaled(dout, x, w, b):
    gradients = affine(dout, x, w, b)
    dout /= len(x) + 1
    return gradients


@right("affine", "einsum, list")
def affine_einsum(dout, x, w, b):
    return [np.einsum("nm,dm->nd", dout, w).reshape(x.shape), np.einsum("nd,nm->dm", flat(x), dout), np.einsum("nm->m", dout)]


@right("affine", "outer-product loop")
def affine_outer(dout, x, w, b):
    return (w @ dout.T).T.reshape(x.shape), sum(np.outer(a, c) for a, c in zip(flat(x), dout, strict=True)), np.ones(len(dout)) @ dout


@right("affine", "float32 result")
def affine_float32(dout, x, w, b):
    return tuple(np.float32(gradient) for gradient in affine(dout, x, w, b))
