"""One step of a tanh RNN, and one step of an LSTM with two outputs, next_h and next_c: dout is a tuple of two."""

import numpy as np

from .corpus import normal, op, right, sigmoid, switched, wrong


def make_rnn(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 3), np.zeros((1, 3)), normal(rng, 3, 3), normal(rng, 3, 3), normal(rng, 3)]
    N, D, H = (4, 5, 3) if mode == "typical" else (3, 2, 4)
    return [normal(rng, N, D), normal(rng, N, H), normal(rng, D, H), normal(rng, H, H), normal(rng, H)]


def rnn_forward(x, h, wx, wh, b):
    return np.tanh(x @ wx + h @ wh + b)


@op("rnn_step", make_rnn, rnn_forward, diff=[0, 1, 2, 3, 4])
def rnn(dout, x, h, wx, wh, b, bug=""):
    a = x @ wx + h @ wh + b
    next_h = np.tanh(a)
    da = dout if bug == "no tanh" else dout * (1 - (a if bug == "pre" else next_h) ** 2)
    return (
        da @ wx.T,
        da @ (wh if bug == "wh" else wh.T),
        x.T @ da,
        (next_h if bug == "next_h" else h).T @ da,
        da.mean(0) if bug == "mean" else da.sum(0),
    )


for bug, label, note in [
    ("no tanh", "DROPPED_LOCAL", "tanh derivative forgotten"),
    ("pre", "PRE_POST", "tanh derivative at the pre-activation"),
    ("wh", "TRANSPOSED", "dprev_h = da@Wh"),
    ("next_h", "INDEXING", "dWh uses next_h, not prev_h (time off by one)"),
    ("mean", "EXTRA_MEAN", "db averaged over the batch"),
]:
    wrong("rnn_step", label, note)(switched(rnn, bug))


@right("rnn_step", "stacked [x,h] matmul")
def rnn_stacked(dout, x, h, wx, wh, b):
    D = x.shape[1]
    da = dout / np.cosh(x @ wx + h @ wh + b) ** 2
    dinput = da @ np.vstack([wx, wh]).T
    dweights = np.hstack([x, h]).T @ da
    return [dinput[:, :D], dinput[:, D:], dweights[:D], dweights[D:], da.sum(0)]


def make_lstm(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 2), np.zeros((1, 2)), np.zeros((1, 2)), normal(rng, 2, 8), normal(rng, 2, 8), np.zeros(8)]
    N, D, H = (3, 4, 2) if mode == "typical" else (2, 3, 3)
    return [normal(rng, N, D), normal(rng, N, H), normal(rng, N, H), normal(rng, D, 4 * H), normal(rng, H, 4 * H), normal(rng, 4 * H)]


def _gates(x, h, c, wx, wh, b):
    a = x @ wx + h @ wh + b
    H = h.shape[1]
    i, f, o = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H]), sigmoid(a[:, 2 * H : 3 * H])
    g = np.tanh(a[:, 3 * H :])
    return i, f, o, g, f * c + i * g


def lstm_forward(x, h, c, wx, wh, b):
    _, _, o, _, next_c = _gates(x, h, c, wx, wh, b)
    return o * np.tanh(next_c), next_c


@op("lstm_step", make_lstm, lstm_forward, diff=[0, 1, 2, 3, 4, 5])
def lstm(dout, x, h, c, wx, wh, b, bug=""):
    dnext_h, dnext_c = dout
    i, f, o, g, next_c = _gates(x, h, c, wx, wh, b)
    t = np.tanh(c if bug == "tanh of prev_c" else next_c)
    through_h = dnext_h * o * (1 - t * t)
    if bug == "in place":
        dnext_c += through_h
        dc = dnext_c
    else:
        dc = dnext_c if bug == "not through h" else through_h if bug == "dc =" else dnext_c + through_h
    df = dc * c * (sigmoid(f) if bug == "sigmoid of f" else f * (1 - f))
    di = dc * g * i * (1 - i)
    do = dnext_h * t * o * (1 - o)
    dg = dc * i * (1 - g * g)
    da = np.hstack([df, di, do, dg] if bug == "i and f" else [di, df, do, dg])
    return da @ wx.T, da @ wh.T, dc * (i if bug == "dc * i" else f), x.T @ da, h.T @ da, da.sum(0)


for bug, label, note in [
    ("not through h", "MISSING_PATH", "dc ignores the path through next_h"),
    ("dc =", "OVERWRITE", "dc = ... instead of += (incoming dc lost)"),
    ("sigmoid of f", "PRE_POST", "forget gate: sigmoid(f)*df instead of f(1-f)"),
    ("i and f", "SWAPPED", "input and forget gate gradients swapped"),
    ("tanh of prev_c", "INDEXING", "tanh(prev_c) instead of tanh(next_c)"),
    ("dc * i", "FORMULA", "dprev_c = dc*i"),
    ("in place", "MUTATES", "dnext_c += ... in place"),
]:
    wrong("lstm_step", label, note)(switched(lstm, bug))
