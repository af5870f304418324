"""softmax and logsumexp over the last axis, and the mean cross-entropy of logits."""

import numpy as np

from .corpus import normal, op, right, softmax, wrong

MODES = ("toy", "typical", "strong", "extreme")


def large_logits(rng):
    x = normal(rng, 4, 5) * np.array([1, 1, 300, 1])[:, None]
    x[2, 0], x[3] = 1000.0, x[3] + 990.0
    return x


def make_softmax(rng, mode):
    shapes = {"toy": (1, 3), "typical": (4, 3), "strong": (2, 3, 5)}
    return [normal(rng, *shapes[mode]) if mode in shapes else large_logits(rng)]


def softmax_forward(x):
    return softmax(x)


@op("softmax", make_softmax, softmax_forward, diff=[0], modes=MODES)
def softmax_backward(dout, x):
    s = softmax(x)
    return (s * (dout - (dout * s).sum(-1, keepdims=True)),)


@wrong("softmax", "DROPPED_LOCAL", "copies dout through")
def softmax_passed_on(dout, x):
    return (dout.copy(),)


@wrong("softmax", "SIGN_FLIP", "s*(sum - dout)")
def softmax_negated(dout, x):
    return (-softmax_backward(dout, x)[0],)


@wrong("softmax", "PRE_POST", "uses input where the output is due")
def softmax_of_input(dout, x):
    return (softmax(x) * (dout - (dout * x).sum(-1, keepdims=True)),)


@wrong("softmax", "UNSTABLE", "exp without max subtraction")
def softmax_overflows(dout, x):
    s = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    return (s * (dout - (dout * s).sum(-1, keepdims=True)),)


@right("softmax", "einsum form")
def softmax_einsum(dout, x):
    return [softmax(x) * dout - np.einsum("...i,...i,...j->...j", softmax(x), dout, softmax(x))]


def make_cross_entropy(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 3), np.array([1])]
    if mode == "typical":
        return [normal(rng, 4, 3), np.array([0, 2, 1, 2])]
    if mode == "strong":
        return [normal(rng, 5, 7), np.array([3, 3, 0, 6, 1])]
    return [large_logits(rng), np.array([0, 4, 2, 2])]


def cross_entropy_forward(z, y):
    m = z.max(1, keepdims=True)
    return np.mean(np.log(np.exp(z - m).sum(1)) + m[:, 0] - z[np.arange(len(y)), y])


@op("softmax_ce", make_cross_entropy, cross_entropy_forward, diff=[0], modes=MODES)
def cross_entropy(dout, z, y):
    p = softmax(z)
    p[np.arange(len(y)), y] -= 1
    return (dout * p / len(y),)


@wrong("softmax_ce", "MISSING_MEAN", "no /N")
def not_averaged(dout, z, y):
    return (cross_entropy(dout, z, y)[0] * len(y),)


@wrong("softmax_ce", "SIGN_FLIP", "onehot - p")
def onehot_minus_p(dout, z, y):
    return (-cross_entropy(dout, z, y)[0],)


@wrong("softmax_ce", "MISSING_PATH", "forgot to subtract 1 at the label")
def label_forgotten(dout, z, y):
    return (dout * softmax(z) / len(y),)


@wrong("softmax_ce", "INDEXING", "label off by one (1-based)")
def label_off_by_one(dout, z, y):
    p = softmax(z)
    p[np.arange(len(y)), y - 1] -= 1
    return (dout * p / len(y),)


@wrong("softmax_ce", "UNSTABLE", "no max subtraction")
def cross_entropy_overflows(dout, z, y):
    e = np.exp(z)
    p = e / e.sum(1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return (dout * p / len(y),)


@wrong("softmax_ce", "NO_UPSTREAM", "ignores the upstream scalar (invisible when it is 1)")
def dout_ignored(dout, z, y):
    return (cross_entropy(1.0, z, y)[0],)


@right("softmax_ce", "one-hot matrix")
def cross_entropy_onehot(dout, z, y):
    return [dout * (softmax(z) - np.eye(z.shape[1])[y]) / len(y)]


def make_logsumexp(rng, mode):
    if mode == "extreme":
        x = normal(rng, 3, 4)
        x[1, 2] = 1000.0
        x[2] += 990.0
        return [x]
    return [normal(rng, *{"toy": (3, 3), "typical": (4, 3), "strong": (2, 3, 5)}[mode])]


def logsumexp_forward(x):
    m = x.max(-1, keepdims=True)
    return np.log(np.exp(x - m).sum(-1)) + m[..., 0]


@op("logsumexp", make_logsumexp, logsumexp_forward, diff=[0], modes=MODES)
def logsumexp(dout, x):
    return (dout[..., None] * softmax(x),)


@wrong("logsumexp", "UNSTABLE", "exp(x)/sum exp(x)")
def logsumexp_overflows(dout, x):
    return (dout[..., None] * np.exp(x) / np.exp(x).sum(-1, keepdims=True),)


@wrong("logsumexp", "WRONG_AXIS", "dout broadcast along the wrong axis (runs when square)")
def dout_along_wrong_axis(dout, x):
    return (dout * softmax(x),)


@right("logsumexp", "exp(x - lse)")
def logsumexp_difference(dout, x):
    return [dout[..., None] * np.exp(x - logsumexp_forward(x)[..., None])]


@right("logsumexp", "with the max path: two terms that cancel")
def logsumexp_max_path(dout, x):
    at_max = (x == x.max(-1, keepdims=True)) * 1.0
    return (dout[..., None] * (softmax(x) - softmax(x).sum(-1, keepdims=True) * at_max + at_max),)
