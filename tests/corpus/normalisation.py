"""batchnorm with batch statistics, over axis 0, and layernorm over the last axis."""

import numpy as np

from .corpus import normal, op, right, wrong

EPS = 1e-5
ROW = {"axis": -1, "keepdims": True}


def make_batchnorm(rng, mode):
    if mode == "toy":
        return [normal(rng, 3, 3), np.ones(3), np.zeros(3)]
    if mode == "typical":
        return [normal(rng, 4, 5), normal(rng, 5), normal(rng, 5)]
    x = 3 * normal(rng, 7, 4) + 5
    x[:, 1] *= 0.01
    return [x, normal(rng, 4), normal(rng, 4)]


def batchnorm_forward(x, g, b):
    return g * (x - x.mean(0)) / np.sqrt(x.var(0) + EPS) + b


def _columns(x):
    """(x normalised, its standard deviation), per column."""
    std = np.sqrt(x.var(0) + EPS)
    return (x - x.mean(0)) / std, std


@op("batchnorm", make_batchnorm, batchnorm_forward, diff=[0, 1, 2])
def batchnorm(dout, x, g, b):
    h, std = _columns(x)
    dh = dout * g
    return (dh - dh.mean(0) - h * (dh * h).mean(0)) / std, (dout * h).sum(0), dout.sum(0)


@wrong("batchnorm", "DDOF", "N-1 in the variance term")
def variance_over_n_minus_1(dout, x, g, b):
    _dx, dg, db = batchnorm(dout, x, g, b)
    h, std = _columns(x)
    return (dout * g - (dout * g).mean(0) - h * (dout * g * h).sum(0) / (len(x) - 1)) / std, dg, db


@wrong("batchnorm", "MISSING_MEAN", "1/N forgotten in the mean term")
def mean_term_summed(dout, x, g, b):
    _dx, dg, db = batchnorm(dout, x, g, b)
    h, std = _columns(x)
    return (dout * g - (dout * g).sum(0) - h * (dout * g * h).mean(0)) / std, dg, db


@wrong("batchnorm", "PRE_POST", "dgamma = sum(dout*x), x not normalised")
def dgamma_of_x(dout, x, g, b):
    dx, _dg, db = batchnorm(dout, x, g, b)
    return dx, (dout * x).sum(0), db


@wrong("batchnorm", "WRONG_AXIS", "dgamma summed over axis 1")
def dgamma_over_features(dout, x, g, b):
    dx, _dg, db = batchnorm(dout, x, g, b)
    return dx, np.resize((dout * _columns(x)[0]).sum(1), g.shape), db


@wrong("batchnorm", "EXTRA_MEAN", "dbeta = mean")
def dbeta_averaged(dout, x, g, b):
    dx, dg, _db = batchnorm(dout, x, g, b)
    return dx, dg, dout.mean(0)


@right("batchnorm", "centering matrix (I-11T/N), per-feature Jacobian")
def batchnorm_jacobian(dout, x, g, b):
    _dx, dg, db = batchnorm(dout, x, g, b)
    h, std = _columns(x)
    N = len(x)
    columns = [((np.eye(N) - 1 / N - np.outer(h[:, j], h[:, j]) / N) / std[j] * g[j]) @ dout[:, j] for j in range(x.shape[1])]
    return np.stack(columns, 1), dg, db


@right("batchnorm", "in place on its own buffers, transposed view out")
def batchnorm_in_place(dout, x, g, b):
    xt = np.array(x.T)
    xt -= xt.mean(1, keepdims=True)
    std = np.sqrt((xt * xt).mean(1, keepdims=True) + EPS)
    xt /= std
    dh = np.array(dout.T) * g[:, None]
    m = (dh * xt).mean(1, keepdims=True)
    dh -= dh.mean(1, keepdims=True)
    dh -= xt * m
    dh /= std
    return [dh.T, np.einsum("dn,nd->d", xt, dout), dout.sum(0)]


def make_layernorm(rng, mode):
    if mode == "toy":
        return [normal(rng, 3, 3), np.ones(3), np.zeros(3)]
    if mode == "typical":
        return [normal(rng, 4, 5), normal(rng, 5), normal(rng, 5)]
    x = normal(rng, 2, 3, 6)
    x[0, 1] *= 0.003
    return [x, normal(rng, 6), normal(rng, 6)]


def _rows(x, axis=-1):
    """(x normalised, its standard deviation), along the axis."""
    std = np.sqrt(x.var(axis, keepdims=True) + EPS)
    return (x - x.mean(axis, keepdims=True)) / std, std


def layernorm_forward(x, g, b):
    return g * _rows(x)[0] + b


@op("layernorm", make_layernorm, layernorm_forward, diff=[0, 1, 2])
def layernorm(dout, x, g, b):
    h, std = _rows(x)
    dh = dout * g
    batch = tuple(range(x.ndim - 1))
    return (dh - dh.mean(**ROW) - h * (dh * h).mean(**ROW)) / std, (dout * h).sum(batch), dout.sum(batch)


@wrong("layernorm", "STATS_CONST", "statistics treated as constants")
def statistics_constant(dout, x, g, b):
    _dx, dg, db = layernorm(dout, x, g, b)
    return dout * g / _rows(x)[1], dg, db


@wrong("layernorm", "WRONG_AXIS", "normalises over axis 0 (batchnorm formula)")
def layernorm_over_batch(dout, x, g, b):
    _dx, dg, db = layernorm(dout, x, g, b)
    h, std = _rows(x, 0)
    dh = dout * g
    return (dh - dh.mean(0) - h * (dh * h).mean(0)) / std, dg, db


@wrong("layernorm", "WRONG_CONSTANT", "means divided by shape[0], not by D")
def divided_by_batch(dout, x, g, b):
    _dx, dg, db = layernorm(dout, x, g, b)
    h, std = _rows(x)
    return (dout * g - (dout * g).sum(**ROW) / len(x) - h * (dout * g * h).sum(**ROW) / len(x)) / std, dg, db


@wrong("layernorm", "MISSING_BROADCAST_SUM", "dgamma summed over axis 0 only (3-D input)")
def dgamma_over_first_axis(dout, x, g, b):
    dx, _dg, db = layernorm(dout, x, g, b)
    return dx, (dout * _rows(x)[0]).sum(0), db


@wrong("layernorm", "FORMULA", "eps outside the root: 1/(std+eps) (tiny unless the row is nearly constant)")
def eps_outside_root(dout, x, g, b):
    _dx, dg, db = layernorm(dout, x, g, b)
    std = x.std(-1, keepdims=True) + EPS
    centred = x - x.mean(**ROW)
    return (dout * g - (dout * g).mean(**ROW) - centred / std * (dout * g * centred / std).mean(**ROW)) / std, dg, db


@wrong("layernorm", "MISSING_PATH", "variance path dropped")
def variance_path_dropped(dout, x, g, b):
    _dx, dg, db = layernorm(dout, x, g, b)
    return (dout * g - (dout * g).mean(**ROW)) / _rows(x)[1], dg, db


@right("layernorm", "rsqrt, sums rescaled")
def layernorm_rsqrt(dout, x, g, b):
    _dx, dg, db = layernorm(dout, x, g, b)
    h, std = _rows(x)
    inner = np.einsum("...d,...d->...", dout * g, h)[..., None]
    return (1 / std) * (dout * g) - h / std * inner / x.shape[-1] - (dout * g).mean(**ROW) / std, dg, db
