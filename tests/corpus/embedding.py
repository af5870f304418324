"""embedding: rows of a table looked up by an array of ids."""

import numpy as np

from .corpus import normal, op, right, wrong


def make(rng, mode):
    if mode == "toy":
        return [normal(rng, 3, 3), np.array([2, 0])]
    if mode == "typical":
        return [normal(rng, 6, 3), np.array([[0, 5, 2], [1, 3, 4]])]
    return [normal(rng, 6, 3), np.array([[0, 5, 2], [5, 5, 1], [0, 0, 2], [3, 5, 4]])]


def forward(w, ids):
    return w[ids]


@op("embedding", make, forward, diff=[0])
def embedding(dout, w, ids):
    dw = np.zeros_like(w)
    np.add.at(dw, ids, dout)
    return (dw,)


@wrong("embedding", "OVERWRITE", "dW[idx] = dout")
def assigned(dout, w, ids):
    dw = np.zeros_like(w)
    dw[ids] = dout
    return (dw,)


@wrong("embedding", "OVERWRITE", "dW[idx] += dout (buffered, loses repeats)")
def buffered(dout, w, ids):
    dw = np.zeros_like(w)
    dw[ids] += dout
    return (dw,)


@wrong("embedding", "MISSING_PATH", "only the last context position")
def last_position(dout, w, ids):
    dw = np.zeros_like(w)
    np.add.at(dw, ids[..., -1], dout[..., -1, :])
    return (dw,)


@wrong("embedding", "EXTRA_MEAN", "averages repeated rows instead of summing")
def repeats_averaged(dout, w, ids):
    dw = np.zeros_like(w)
    np.add.at(dw, ids, dout)
    counts = np.bincount(ids.ravel(), minlength=len(w))
    return (dw / np.maximum(counts, 1)[:, None],)


@right("embedding", "one-hot matmul")
def onehot(dout, w, ids):
    return [np.eye(len(w))[ids.ravel()].T @ dout.reshape(-1, w.shape[1])]


@right("embedding", "python loop")
def loop(dout, w, ids):
    dw = np.zeros_like(w)
    for index in np.ndindex(ids.shape):
        dw[ids[index]] += dout[index]
    return (dw,)


@right("embedding", "bincount per column")
def bincount(dout, w, ids):
    return (np.stack([np.bincount(ids.ravel(), dout[..., c].ravel(), len(w)) for c in range(w.shape[1])], 1),)
