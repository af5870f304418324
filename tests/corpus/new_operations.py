"""Further operations, with wrong and right backward passes and one textbook reference each.

Nothing that names mistakes was made with these cases in mind.
"""

import math
from functools import partial

import numpy as np

from . import corpus
from .corpus import Case, Op, normal, sigmoid
from .references import Reference

OPS: dict[str, Op] = {}
WRONG: list[Case] = []
RIGHT: list[Case] = []
REFERENCES: dict[str, tuple[Reference, ...]] = {}
wrong, right = partial(corpus.wrong, into=WRONG), partial(corpus.right, into=RIGHT)


def op(name, make, forward, diff, modes=("typical", "strong")):
    """Register the decorated function as the textbook reference of a new operation."""

    def register(reference):
        REFERENCES[name] = (Reference(reference),)
        return corpus.op(name, make, forward, diff, modes, into=OPS)(reference)

    return register


def make_x(rng, mode):
    x = normal(rng, *((5, 3) if mode == "typical" else (2, 3, 7)))
    if mode == "extreme":
        x.flat[:4] = 0.0, 800.0, -800.0, 40.0
    return [x]


# ---------------------------------------------------------------- softplus: log(1 + exp(x))


def softplus_forward(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@op("softplus", make_x, softplus_forward, diff=[0], modes=("typical", "strong", "extreme"))
def softplus(dout, x):
    e = np.exp(-np.abs(x))
    s = np.where(x >= 0, 1 / (1 + e), e / (1 + e))
    dx = dout * s
    return (dx,)


@wrong("softplus", "UNSTABLE", "exp(x) / (1 + exp(x))")
def softplus_overflows(dout, x):
    return (dout * np.exp(x) / (1 + np.exp(x)),)


@wrong("softplus", "NO_UPSTREAM", "sigmoid(x)")
def softplus_slope(dout, x):
    return (sigmoid(x),)


@wrong("softplus", "DROPPED_LOCAL", "dout")
def softplus_passed_on(dout, x):
    return (dout + 0.0,)


@wrong("softplus", "PRE_POST", "sigmoid of the output")
def softplus_of_output(dout, x):
    return (dout * sigmoid(softplus_forward(x)),)


@right("softplus", "1 - exp(-out)")
def softplus_by_output(dout, x):
    return (dout * np.where(x > -30, -np.expm1(-softplus_forward(x)), sigmoid(x)),)


@right("softplus", "half a tanh, float32")
def softplus_by_tanh(dout, x):
    return [(dout * (0.5 + 0.5 * np.tanh(x / 2))).astype(np.float32)]


# ---------------------------------------------------------------- leaky relu


def make_leaky(rng, mode):
    x = normal(rng, *((5, 3) if mode == "typical" else (2, 3, 7)))
    if mode == "extreme":
        x.flat[::4] = 0.0
    return [x, 0.1]


def leaky_forward(x, slope):
    return np.where(x > 0, x, slope * x)


@op("leaky_relu", make_leaky, leaky_forward, diff=[0], modes=("typical", "strong", "extreme"))
def leaky_relu(dout, x, slope):
    local = np.where(x > 0, 1.0, slope)
    dx = dout * local
    return (dx,)


@wrong("leaky_relu", "WRONG_MASK", "branches exchanged")
def leaky_inverted(dout, x, slope):
    return (dout * np.where(x > 0, slope, 1.0),)


@wrong("leaky_relu", "MISSING_PATH", "plain relu: nothing for negative numbers")
def leaky_as_relu(dout, x, slope):
    return (dout * (x > 0),)


@wrong("leaky_relu", "SIGN_FLIP", "minus the slope")
def leaky_minus(dout, x, slope):
    return (np.where(x > 0, dout, -slope * dout),)


@wrong("leaky_relu", "MUTATES", "dout[x < 0] *= slope in place")
def leaky_in_place(dout, x, slope):
    dout[x < 0] *= slope
    return (dout,)


@right("leaky_relu", "x >= 0")
def leaky_one_at_zero(dout, x, slope):
    return (dout * ((x >= 0) + slope * (x < 0)),)


@right("leaky_relu", "own copy, in place")
def leaky_copy(dout, x, slope):
    dx = np.array(dout)
    np.multiply(dx, slope, out=dx, where=x < 0)
    return [dx]


# ---------------------------------------------------------------- swish: x * sigmoid(x)


def swish_forward(x):
    return x * sigmoid(x)


@op("swish", make_x, swish_forward, diff=[0])
def swish(dout, x):
    s = 1 / (1 + np.exp(-x))
    local = s + x * s * (1 - s)
    dx = dout * local
    return (dx,)


@wrong("swish", "MISSING_PATH", "only sigmoid(x)")
def swish_first_term(dout, x):
    return (dout * sigmoid(x),)


@wrong("swish", "SIGN_FLIP", "second term subtracted")
def swish_minus(dout, x):
    s = sigmoid(x)
    return (dout * s * (1 - x * (1 - s)),)


@wrong("swish", "DROPPED_LOCAL", "slope of the sigmoid left out: s + x")
def swish_no_slope(dout, x):
    return ((sigmoid(x) + x) * dout,)


@right("swish", "out + s(1 - out)")
def swish_by_output(dout, x):
    s = sigmoid(x)
    return (dout * (x * s + s * (1 - x * s)),)


@right("swish", "nested lists")
def swish_list(dout, x):
    s = sigmoid(x)
    return ((dout * s * (1 + x * (1 - s))).tolist(),)


# ---------------------------------------------------------------- rmsnorm over the last axis


def make_rms(rng, mode):
    x = normal(rng, *((5, 3) if mode == "typical" else (2, 3, 7)))
    return [x, 1 + 0.5 * normal(rng, x.shape[-1])]


def rms_forward(x, gamma):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gamma


@op("rmsnorm", make_rms, rms_forward, diff=[0, 1])
def rmsnorm(dout, x, gamma):
    D = x.shape[-1]
    ms = (x**2).mean(axis=-1, keepdims=True)
    rms = np.sqrt(ms + 1e-5)
    xhat = x / rms
    dgamma = (dout * xhat).sum(axis=tuple(range(x.ndim - 1)))
    dxhat = dout * gamma
    drms = -(dxhat * x).sum(axis=-1, keepdims=True) / rms**2
    dms = drms * 0.5 / rms
    dx = dxhat / rms + dms * 2 * x / D
    return dx, dgamma


@wrong("rmsnorm", "STATS_CONST", "the root mean square as a constant")
def rms_constant(dout, x, gamma):
    r = np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)
    return dout * gamma / r, (dout * x / r).reshape(-1, x.shape[-1]).sum(0)


@wrong("rmsnorm", "MISSING_MEAN", "1/D of the mean square forgotten")
def rms_not_averaged(dout, x, gamma):
    r = np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)
    d = dout * gamma
    return d / r - x * (d * x).sum(-1, keepdims=True) / r**3, (dout * x / r).reshape(-1, x.shape[-1]).sum(0)


@wrong("rmsnorm", "MISSING_BROADCAST_SUM", "dgamma not summed over all batch axes")
def rms_gamma_not_summed(dout, x, gamma):
    r = np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)
    d = dout * gamma
    return d / r - x * (d * x).mean(-1, keepdims=True) / r**3, (dout * x / r).sum(0)


@wrong("rmsnorm", "PRE_POST", "dgamma of x, not of x normalised")
def rms_gamma_of_x(dout, x, gamma):
    r = np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)
    d = dout * gamma
    return d / r - x * (d * x).mean(-1, keepdims=True) / r**3, (dout * x).reshape(-1, x.shape[-1]).sum(0)


@right("rmsnorm", "normalised form")
def rms_normalised(dout, x, gamma):
    r = np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)
    n, d = x / r, dout * gamma
    return (d - n * np.mean(d * n, -1, keepdims=True)) / r, np.einsum("nd,nd->d", dout.reshape(-1, len(gamma)), n.reshape(-1, len(gamma)))


@right("rmsnorm", "row by row")
def rms_rows(dout, x, gamma):
    dx, dgamma = np.zeros_like(x), np.zeros_like(gamma)
    for k in np.ndindex(x.shape[:-1]):
        r = math.sqrt(x[k] @ x[k] / len(x[k]) + 1e-5)
        d = dout[k] * gamma
        dx[k] = d / r - x[k] * (d @ x[k]) / (len(x[k]) * r**3)
        dgamma += dout[k] * x[k] / r
    return dx, dgamma


# ---------------------------------------------------------------- rows scaled to length 1


def l2_forward(x):
    return x / np.sqrt((x * x).sum(-1, keepdims=True))


@op("l2_normalise", make_x, l2_forward, diff=[0])
def l2_normalise(dout, x):
    norm = np.sqrt((x**2).sum(axis=-1, keepdims=True))
    y = x / norm
    inner = (dout * y).sum(axis=-1, keepdims=True)
    dx = (dout - y * inner) / norm
    return (dx,)


@wrong("l2_normalise", "STATS_CONST", "the norm as a constant")
def l2_constant(dout, x):
    return (dout / np.linalg.norm(x, axis=-1, keepdims=True),)


@wrong("l2_normalise", "WRONG_AXIS", "norm over the first axis")
def l2_first_axis(dout, x):
    n = np.linalg.norm(x, axis=0, keepdims=True)
    return (dout / n - x * (dout * x).sum(0, keepdims=True) / n**3,)


@wrong("l2_normalise", "FORMULA", "norm squared where its cube is due")
def l2_power(dout, x):
    n = np.linalg.norm(x, axis=-1, keepdims=True)
    return (dout / n - x * (dout * x).sum(-1, keepdims=True) / n**2,)


@right("l2_normalise", "projector per row")
def l2_projector(dout, x):
    dx = np.empty_like(x)
    for k in np.ndindex(x.shape[:-1]):
        n = np.linalg.norm(x[k])
        dx[k] = (np.eye(len(x[k])) - np.outer(x[k], x[k]) / n**2) @ dout[k] / n
    return (dx,)


@right("l2_normalise", "cube of the norm")
def l2_cube(dout, x):
    n2 = (x * x).sum(-1, keepdims=True)
    return [(dout * n2 - x * (dout * x).sum(-1, keepdims=True)) / n2**1.5]


# ---------------------------------------------------------------- mean squared error


def make_mse(rng, mode):
    shape = (5, 3) if mode == "typical" else (7, 2, 3)
    return [normal(rng, *shape), normal(rng, *shape)]


def mse_forward(pred, target):
    return np.mean((pred - target) ** 2)


@op("mse", make_mse, mse_forward, diff=[0, 1])
def mse(dout, pred, target):
    n = pred.size
    diff = pred - target
    dpred = dout * 2 * diff / n
    dtarget = -dpred
    return dpred, dtarget


@wrong("mse", "WRONG_CONSTANT", "factor 2 forgotten")
def mse_no_two(dout, pred, target):
    g = dout * (pred - target) / pred.size
    return g, -g


@wrong("mse", "MISSING_MEAN", "not divided by the number of elements")
def mse_summed(dout, pred, target):
    g = 2 * dout * (pred - target)
    return g, -g


@wrong("mse", "SIGN_FLIP", "target gets the same sign")
def mse_same_sign(dout, pred, target):
    g = 2 * dout * (pred - target) / pred.size
    return g, g.copy()


@wrong("mse", "NO_UPSTREAM", "dout taken as 1")
def mse_without_dout(dout, pred, target):
    g = 2 * (pred - target) / pred.size
    return g, -g


@right("mse", "through the difference")
def mse_by_steps(dout, pred, target):
    diff = np.subtract(pred, target)
    diff *= float(dout) * 2.0 / diff.size
    return diff, np.negative(diff)


@right("mse", "float32 and a nested list")
def mse_list(dout, pred, target):
    g = 2 * dout / pred.size * (pred - target)
    return [g.astype(np.float32), (-g).tolist()]


# ---------------------------------------------------------------- huber loss, summed


def make_huber(rng, mode):
    x = 2 * normal(rng, *((5, 3) if mode == "typical" else (2, 3, 7)))
    return [x, 1.0]


def huber_forward(x, delta):
    return np.sum(np.where(np.abs(x) <= delta, 0.5 * x * x, delta * (np.abs(x) - 0.5 * delta)))


@op("huber", make_huber, huber_forward, diff=[0])
def huber(dout, x, delta):
    inside = np.abs(x) <= delta
    dx = dout * np.where(inside, x, delta * np.sign(x))
    return (dx,)


@wrong("huber", "WRONG_MASK", "branches exchanged")
def huber_inverted(dout, x, delta):
    return (dout * np.where(np.abs(x) > delta, x, delta * np.sign(x)),)


@wrong("huber", "FORMULA", "no sign outside: always +delta")
def huber_no_sign(dout, x, delta):
    return (dout * np.where(np.abs(x) <= delta, x, delta),)


@wrong("huber", "NO_UPSTREAM", "clipped x")
def huber_slope(dout, x, delta):
    return (np.clip(x, -delta, delta),)


@wrong("huber", "EXTRA_MEAN", "divided by the number of elements")
def huber_mean(dout, x, delta):
    return (dout * np.clip(x, -delta, delta) / x.size,)


@right("huber", "clip")
def huber_clip(dout, x, delta):
    return (dout * np.clip(x, -delta, delta),)


@right("huber", "numbers one by one")
def huber_loop(dout, x, delta):
    dx = np.zeros_like(x)
    for k, v in np.ndenumerate(x):
        dx[k] = float(dout) * (v if abs(v) <= delta else math.copysign(delta, v))
    return [dx]


# ---------------------------------------------------------------- cosine similarity of rows


def make_cosine(rng, mode):
    shape = (5, 3) if mode == "typical" else (2, 3, 7)
    return [normal(rng, *shape), normal(rng, *shape)]


def cosine_forward(a, b):
    return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))


@op("cosine", make_cosine, cosine_forward, diff=[0, 1])
def cosine(dout, a, b):
    d = dout[..., None]
    na = np.sqrt((a**2).sum(axis=-1, keepdims=True))
    nb = np.sqrt((b**2).sum(axis=-1, keepdims=True))
    cos = (a * b).sum(axis=-1, keepdims=True) / (na * nb)
    da = d * (b / (na * nb) - cos * a / na**2)
    db = d * (a / (na * nb) - cos * b / nb**2)
    return da, db


@wrong("cosine", "STATS_CONST", "the norms as constants")
def cosine_constant(dout, a, b):
    n = np.linalg.norm(a, axis=-1, keepdims=True) * np.linalg.norm(b, axis=-1, keepdims=True)
    return dout[..., None] * b / n, dout[..., None] * a / n


@wrong("cosine", "SWAPPED", "da and db exchanged")
def cosine_swapped(dout, a, b):
    da, db = cosine(dout, a, b)
    return db, da


@wrong("cosine", "SIGN_FLIP", "second term added")
def cosine_plus(dout, a, b):
    d, na, nb = dout[..., None], np.linalg.norm(a, axis=-1, keepdims=True), np.linalg.norm(b, axis=-1, keepdims=True)
    c = (a * b).sum(-1, keepdims=True) / na / nb
    return d * (b / (na * nb) + c * a / na**2), d * (a / (na * nb) + c * b / nb**2)


@right("cosine", "through unit vectors")
def cosine_units(dout, a, b):
    na, nb = np.linalg.norm(a, axis=-1, keepdims=True), np.linalg.norm(b, axis=-1, keepdims=True)
    ua, ub = a / na, b / nb
    c = (ua * ub).sum(-1, keepdims=True)
    return dout[..., None] * (ub - c * ua) / na, dout[..., None] * (ua - c * ub) / nb


@right("cosine", "row by row")
def cosine_rows(dout, a, b):
    da, db = np.empty_like(a), np.empty_like(b)
    for k in np.ndindex(dout.shape):
        na, nb, ab = a[k] @ a[k], b[k] @ b[k], a[k] @ b[k]
        da[k] = dout[k] * (b[k] * na - ab * a[k]) / (na**1.5 * nb**0.5)
        db[k] = dout[k] * (a[k] * nb - ab * b[k]) / (nb**1.5 * na**0.5)
    return [da, db]


# ---------------------------------------------------------------- gather: one element per row


def make_gather(rng, mode):
    if mode == "typical":
        return [normal(rng, 5, 3), np.array([2, 0, 1, 1, 2])]
    return [normal(rng, 7, 5), np.array([[0, 4, 4], [1, 1, 1], [3, 2, 3], [0, 0, 1], [4, 2, 0], [2, 2, 3], [1, 4, 1]])]


def gather_forward(x, ids):
    return np.take_along_axis(x, ids.reshape(len(x), -1), axis=1)


@op("gather", make_gather, gather_forward, diff=[0])
def gather(dout, x, ids):
    N = x.shape[0]
    cols = ids.reshape(N, -1)
    dx = np.zeros_like(x)
    for n in range(N):
        for k in range(cols.shape[1]):
            dx[n, cols[n, k]] += dout[n, k]
    return (dx,)


@wrong("gather", "OVERWRITE", "put_along_axis: the last of equal ids stays")
def gather_put(dout, x, ids):
    dx = np.zeros_like(x)
    np.put_along_axis(dx, ids.reshape(len(x), -1), dout, axis=1)
    return (dx,)


@wrong("gather", "INDEXING", "column one too low")
def gather_off_by_one(dout, x, ids):
    dx = np.zeros_like(x)
    np.add.at(dx, (np.arange(len(x))[:, None], ids.reshape(len(x), -1) - 1), dout)
    return (dx,)


@wrong("gather", "NO_UPSTREAM", "counts")
def gather_counts(dout, x, ids):
    dx = np.zeros_like(x)
    np.add.at(dx, (np.arange(len(x))[:, None], ids.reshape(len(x), -1)), 1.0)
    return (dx,)


@right("gather", "one-hot")
def gather_onehot(dout, x, ids):
    return (np.einsum("nk,nkc->nc", dout, np.eye(x.shape[1])[ids.reshape(len(x), -1)]),)


@right("gather", "bincount per row")
def gather_bincount(dout, x, ids):
    return [[np.bincount(row, d, x.shape[1]) for row, d in zip(ids.reshape(len(x), -1), dout, strict=True)]]


# ---------------------------------------------------------------- concatenation of two arrays, then products of its halves


def make_concat(rng, mode):
    return [normal(rng, 5, 2), normal(rng, 5, 4)] if mode == "typical" else [normal(rng, 2, 3, 5), normal(rng, 2, 3, 3)]


def concat_forward(a, b):
    left, right = np.split(np.concatenate([a, b], axis=-1), 2, axis=-1)
    return left * right


@op("concat_split", make_concat, concat_forward, diff=[0, 1])
def concat_split(dout, a, b):
    joined = np.concatenate([a, b], axis=-1)
    half = joined.shape[-1] // 2
    left = joined[..., :half]
    right = joined[..., half:]
    dleft = dout * right
    dright = dout * left
    djoined = np.concatenate([dleft, dright], axis=-1)
    da = djoined[..., : a.shape[-1]]
    db = djoined[..., a.shape[-1] :]
    return da, db


@wrong("concat_split", "SWAPPED", "halves exchanged on the way back")
def concat_halves(dout, a, b):
    left, right = np.split(np.concatenate([a, b], -1), 2, -1)
    d = np.concatenate([dout * left, dout * right], -1)
    return d[..., : a.shape[-1]], d[..., a.shape[-1] :]


@wrong("concat_split", "INDEXING", "cut one place too late")
def concat_cut_late(dout, a, b):
    left, right = np.split(np.concatenate([a, b], -1), 2, -1)
    d = np.concatenate([dout * right, dout * left], -1)
    n = a.shape[-1]
    return d[..., 1 : n + 1], np.concatenate([d[..., n + 1 :], d[..., :1]], -1)


@wrong("concat_split", "MISSING_PATH", "the right half gets nothing")
def concat_right_detached(dout, a, b):
    left, right = np.split(np.concatenate([a, b], -1), 2, -1)
    d = np.concatenate([dout * right, 0 * left], -1)
    return d[..., : a.shape[-1]], d[..., a.shape[-1] :]


@right("concat_split", "buffer of zeros, views")
def concat_buffer(dout, a, b):
    joined = np.concatenate([a, b], -1)
    d, half = np.zeros_like(joined), joined.shape[-1] // 2
    d[..., :half] += dout * joined[..., half:]
    d[..., half:] += dout * joined[..., :half]
    return np.split(d, [a.shape[-1]], axis=-1)


@right("concat_split", "rolled and repeated, read-only")
def concat_rolled(dout, a, b):
    joined = np.concatenate([a, b], -1)
    d = np.roll(joined, joined.shape[-1] // 2, axis=-1) * np.concatenate([dout, dout], -1)
    d.flags.writeable = False
    return d[..., : a.shape[-1]], d[..., a.shape[-1] :]


# ---------------------------------------------------------------- cumulative sum along the last axis


def cumsum_forward(x):
    return np.cumsum(x, axis=-1)


@op("cumsum", make_x, cumsum_forward, diff=[0])
def cumsum(dout, x):
    backwards = dout[..., ::-1]
    sums = np.cumsum(backwards, axis=-1)
    dx = sums[..., ::-1]
    return (dx,)


@wrong("cumsum", "INDEXING", "summed from the front")
def cumsum_from_front(dout, x):
    return (np.cumsum(dout, axis=-1),)


@wrong("cumsum", "DROPPED_LOCAL", "dout passed on")
def cumsum_passed_on(dout, x):
    return (dout.copy(),)


@wrong("cumsum", "WRONG_AXIS", "along the first axis")
def cumsum_first_axis(dout, x):
    return (np.cumsum(dout[::-1], axis=0)[::-1],)


@right("cumsum", "triangular matrix")
def cumsum_matrix(dout, x):
    return (dout @ np.tril(np.ones((x.shape[-1], x.shape[-1]))),)


@right("cumsum", "total minus what came before")
def cumsum_total(dout, x):
    return [dout.sum(-1, keepdims=True) - np.cumsum(dout, -1) + dout]
