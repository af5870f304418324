"""mlp_bn_lm: embedding, affine, batchnorm with variance over n - 1, tanh, affine, mean cross-entropy; all parameters at once."""

import numpy as np

from .corpus import normal, op, softmax, switched, wrong
from .normalisation import EPS
from .softmax import cross_entropy_forward


def make(rng, mode):
    N, V, T, D, H = (4, 5, 2, 3, 3) if mode != "strong" else (6, 5, 3, 2, 4)
    X = rng.integers(0, V, (N, T))
    if mode == "toy":
        N, X = 2, np.array([[0, 1], [2, 3]])
    Y = rng.integers(0, V, N)
    gamma, beta = (np.ones(H), np.zeros(H)) if mode == "toy" else (1 + 0.3 * normal(rng, H), 0.3 * normal(rng, H))
    return [normal(rng, V, D), normal(rng, T * D, H), 0.1 * normal(rng, H), gamma, beta, normal(rng, H, V), 0.1 * normal(rng, V), X, Y]


def _layers(C, w1, b1, gamma, beta, w2, b2, X):
    emb = C[X].reshape(len(X), -1)
    z = emb @ w1 + b1
    centred = z - z.mean(0)
    std = np.sqrt((centred**2).sum(0) / (len(X) - 1) + EPS)
    xhat = centred / std
    hpreact = xhat * gamma + beta
    h = np.tanh(hpreact)
    return emb, std, xhat, hpreact, h, h @ w2 + b2


def forward(C, w1, b1, gamma, beta, w2, b2, X, Y):
    return cross_entropy_forward(_layers(C, w1, b1, gamma, beta, w2, b2, X)[-1], Y)


@op("mlp_bn_lm", make, forward, diff=[0, 1, 2, 3, 4, 5, 6])
def language_model(dout, C, w1, b1, gamma, beta, w2, b2, X, Y, bug=""):
    N = len(X)
    emb, std, xhat, hpreact, h, logits = _layers(C, w1, b1, gamma, beta, w2, b2, X)
    dlogits = np.zeros_like(logits) if bug == "first path" else softmax(logits)
    dlogits[np.arange(N), Y] -= 1
    dlogits *= dout if bug == "no mean" else dout / N
    dw2, db2, dh = h.T @ dlogits, dlogits.sum(0), dlogits @ w2.T
    if bug == "db2":
        db2 = np.resize(dlogits.sum(1), db2.shape)
    dhpreact = dh * (1 - (hpreact if bug == "pre" else h) ** 2)
    dgamma, dbeta, dxhat = (dhpreact * xhat).sum(0), dhpreact.sum(0), dhpreact * gamma
    dz = _batchnorm_backward(dxhat, xhat, std, bug)
    dw1, db1, demb = emb.T @ dz, dz.sum(0), (dz @ w1.T).reshape((*X.shape, C.shape[1]))
    dC = np.zeros_like(C)
    if bug == "dC =":
        dC[X] = demb
    elif bug == "reversed":
        np.add.at(dC, X.T, demb.transpose(1, 0, 2)[::-1])
    else:
        np.add.at(dC, X, demb)
    return dC, dw1, db1, dgamma, dbeta, dw2, db2


def _batchnorm_backward(dxhat, xhat, std, bug):
    N = len(xhat)
    if bug == "constant":
        return dxhat / std
    if bug == "no variance":
        return (dxhat - dxhat.mean(0)) / std
    through_variance = xhat * (dxhat * xhat).sum(0) / (N if bug == "ddof" else N - 1)
    dcentred = -through_variance / std if bug == "dcentred =" else (dxhat - through_variance) / std
    return dcentred - dcentred.mean(0)


for bug, label, note in [
    ("no mean", "MISSING_MEAN", "1/n of the loss forgotten"),
    ("first path", "MISSING_PATH", "only the first of two paths through counts"),
    ("pre", "PRE_POST", "tanh derivative at hpreact"),
    ("ddof", "DDOF", "1/n where the forward used 1/(n-1)"),
    ("constant", "STATS_CONST", "batch statistics constant"),
    ("dcentred =", "OVERWRITE", "dbndiff second contribution overwrote the first"),
    ("no variance", "MISSING_PATH", "variance path dropped"),
    ("dC =", "OVERWRITE", "dC[ix] = instead of +="),
    ("reversed", "INDEXING", "context positions reversed when scattering into C"),
    ("db2", "WRONG_AXIS", "db2 summed over classes"),
]:
    wrong("mlp_bn_lm", label, note)(switched(language_model, bug))
