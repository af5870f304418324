"""conv2d, a correlation with stride and padding, and maxpool."""

import numpy as np

from .corpus import normal, op, right, switched, wrong


def make_conv(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 1, 4, 4), normal(rng, 1, 1, 2, 2), normal(rng, 1), 2, 0]
    if mode == "typical":
        return [normal(rng, 2, 2, 4, 4), normal(rng, 3, 2, 3, 3), normal(rng, 3), 1, 1]
    return [normal(rng, 2, 3, 5, 6), normal(rng, 2, 3, 3, 2), normal(rng, 2), 2, 1]


def padded(x, pad):
    return np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))


def conv_forward(x, w, b, stride, pad):
    xp = padded(x, pad)
    F, _, kh, kw = w.shape
    H, W = (xp.shape[2] - kh) // stride + 1, (xp.shape[3] - kw) // stride + 1
    out = np.empty((len(x), F, H, W))
    for i in range(H):
        for j in range(W):
            out[:, :, i, j] = np.einsum("ncab,fcab->nf", xp[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw], w) + b
    return out


@op("conv2d", make_conv, conv_forward, diff=[0, 1, 2])
def conv(dout, x, w, b, stride, pad, bug=""):
    C, kh, kw = w.shape[1:]
    xp = padded(x, pad)
    dxp, dw = np.zeros_like(xp), np.zeros_like(w)
    kernel = w[:, :, ::-1, ::-1] if bug == "flip" else w
    for i in range(dout.shape[2]):
        for j in range(dout.shape[3]):
            window = (slice(None), slice(None), slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw))
            back = np.einsum("nf,fcab->ncab", dout[:, :, i, j], kernel)
            dxp[window] += np.repeat(back[:, :1], C, 1) if bug == "channel" else back
            dw += np.einsum("nf,ncab->fcab", dout[:, :, i, j], xp[window])
    H, W = x.shape[2:]
    dx = dxp[:, :, :H, :W] if bug == "crop" else dxp[:, :, pad : pad + H, pad : pad + W]
    return dx, dw, dout.sum((0, 2, 3))


wrong("conv2d", "TRANSPOSED", "kernel flipped although the forward is a correlation")(switched(conv, "flip"))
wrong("conv2d", "INDEXING", "pad cropped from the start only")(switched(conv, "crop"))
wrong("conv2d", "INDEXING", "wrong channel index")(switched(conv, "channel"))


@wrong("conv2d", "MISSING_BROADCAST_SUM", "db summed over batch only")
def db_over_batch(dout, x, w, b, stride, pad):
    dx, dw, _db = conv(dout, x, w, b, stride, pad)
    return dx, dw, dout.sum(0)


@wrong("conv2d", "EXTRA_MEAN", "db averaged over space")
def db_averaged(dout, x, w, b, stride, pad):
    dx, dw, _db = conv(dout, x, w, b, stride, pad)
    return dx, dw, dout.mean((2, 3)).sum(0)


@right("conv2d", "im2col matmul, add.at col2im")
def conv_im2col(dout, x, w, b, stride, pad):
    F, C, kh, kw = w.shape
    xp = padded(x, pad)
    H, W = dout.shape[2:]
    i = np.arange(H)[:, None, None, None] * stride + np.arange(kh)[None, None, :, None]
    j = np.arange(W)[None, :, None, None] * stride + np.arange(kw)[None, None, None, :]
    i, j = np.broadcast_arrays(i, j)
    columns = xp[:, :, i, j]
    rows = dout.transpose(1, 0, 2, 3).reshape(F, -1)
    dw = (rows @ columns.transpose(0, 2, 3, 1, 4, 5).reshape(-1, C * kh * kw)).reshape(w.shape)
    dxp = np.zeros_like(xp)
    np.add.at(dxp, (slice(None), slice(None), i, j), np.einsum("nfij,fcab->ncijab", dout, w))
    return [dxp[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]], dw, rows.sum(1)]


@right("conv2d", "naive loops over kernel offsets, non-contiguous dx view")
def conv_offsets(dout, x, w, b, stride, pad):
    xp = padded(x, pad)
    dxp, dw = np.zeros_like(xp), np.zeros_like(w)
    H, W = dout.shape[2:]
    for u in range(w.shape[2]):
        for v in range(w.shape[3]):
            seen = (slice(None), slice(None), slice(u, u + H * stride, stride), slice(v, v + W * stride, stride))
            dxp[seen] += np.einsum("nfij,fc->ncij", dout, w[:, :, u, v])
            dw[:, :, u, v] = np.einsum("nfij,ncij->fc", dout, xp[seen])
    return dxp[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]], dw, np.einsum("nfij->f", dout)


def make_maxpool(rng, mode):
    if mode == "toy":
        return [normal(rng, 1, 1, 4, 4), 2, 2, 2]
    if mode == "typical":
        return [normal(rng, 2, 3, 4, 4), 2, 2, 2]
    if mode == "strong":
        return [normal(rng, 2, 2, 5, 6), 3, 2, 1]
    return [np.maximum(np.round(normal(rng, 2, 2, 4, 4)), 0), 2, 2, 2]


def maxpool_forward(x, kh, kw, stride):
    H, W = (x.shape[2] - kh) // stride + 1, (x.shape[3] - kw) // stride + 1
    out = np.empty((*x.shape[:2], H, W))
    for i in range(H):
        for j in range(W):
            out[:, :, i, j] = x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw].max((2, 3))
    return out


@op("maxpool", make_maxpool, maxpool_forward, diff=[0], modes=("toy", "typical", "strong", "extreme"))
def maxpool(dout, x, kh, kw, stride, bug=""):
    dx = np.zeros_like(x)
    for n, c, i, j in np.ndindex(dout.shape):
        top, left, upstream = i * stride, j * stride, dout[n, c, i, j]
        window = x[n, c, top : top + kh, left : left + kw]
        if bug in ("ties", "share"):
            at_max = window == window.max()
            dx[n, c, top : top + kh, left : left + kw] += at_max / (at_max.sum() if bug == "share" else 1) * upstream
            continue
        place = window.size - 1 - int(window.ravel()[::-1].argmax()) if bug == "last" else int(window.argmax())
        r, s = divmod(place, kh if bug == "height" else kw)
        dx[n, c, top + r % kh, left + s % kw] += 1 if bug == "ones" else upstream
    return (dx,)


wrong("maxpool", "WRONG_MASK", "mask x==max: ties all get the full gradient")(switched(maxpool, "ties"))
wrong("maxpool", "INDEXING", "argmax decoded with the height, not the width")(switched(maxpool, "height"))
wrong("maxpool", "NO_UPSTREAM", "puts 1 at the maximum")(switched(maxpool, "ones"))


@wrong("maxpool", "WRONG_AXIS", "argmax over channels too")
def over_channels(dout, x, kh, kw, stride):
    dx = np.zeros_like(x)
    for n, c, i, j in np.ndindex(dout.shape):
        window = x[n, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
        k, r, s = np.unravel_index(window.argmax(), window.shape)
        dx[n, k, i * stride + r, j * stride + s] += dout[n, c, i, j]
    return (dx,)


right("maxpool", "last argmax wins a tie (valid subgradient)")(switched(maxpool, "last"))
right("maxpool", "ties share equally (valid subgradient)")(switched(maxpool, "share"))
