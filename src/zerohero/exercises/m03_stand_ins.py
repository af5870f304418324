"""What takes the place of a layer the student wrote earlier, so that the network and its training are judged by themselves.

The forward passes are those the lesson states. Slopes are measured: a tiny imaginary step is added to what goes in, and the
slope is read off the imaginary part of what comes out.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .m02_stand_ins import STEP

Parameters = Mapping[str, np.ndarray]
"""{"w1": (D, H), "b1": (H,), "w2": (H, C), "b2": (C,)}."""


def affine_forward(x, w, b):
    return np.inner(x, w.T) + b


def affine_backward(dout, x, w, b):
    """Of a batch (N, D), which is all the network asks for."""
    return np.inner(dout, w), np.inner(x.T, dout.T), np.einsum("nm->m", dout)


def relu_forward(x):
    return np.where(np.real(x) > 0, x, 0.0 * x)


def relu_backward(dout, x):
    return dout * (np.imag(relu_forward(x + 1j * STEP)) / STEP)


def row_losses(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """-ln(probability of the label) of each row, (..., N); real or complex logits (..., N, C)."""
    shift = np.real(logits).max(-1)
    return shift + np.log(np.exp(logits - shift[..., None]).sum(-1)) - logits[..., np.arange(labels.size), labels]


def softmax_ce_forward(logits, labels):
    return float(row_losses(logits, labels).mean())


def softmax_ce_backward(dout, logits, labels):
    stepped = logits + 1j * STEP * np.eye(logits.shape[1])[:, None]  # (C, N, C): all rows at once, one column after the other
    return dout * np.imag(row_losses(stepped, labels)).T / (STEP * labels.size)


def scores(parameters: Parameters, images: np.ndarray) -> np.ndarray:
    """The logits (N, C) of the two-layer network."""
    return affine_forward(relu_forward(affine_forward(images, parameters["w1"], parameters["b1"])), parameters["w2"], parameters["b2"])


def two_layer_loss(parameters, images, labels):
    before = affine_forward(images, parameters["w1"], parameters["b1"])
    hidden = relu_forward(before)
    logits = affine_forward(hidden, parameters["w2"], parameters["b2"])
    back, w2, b2 = affine_backward(softmax_ce_backward(1.0, logits, labels), hidden, parameters["w2"], parameters["b2"])
    _, w1, b1 = affine_backward(relu_backward(back, before), images, parameters["w1"], parameters["b1"])
    return softmax_ce_forward(logits, labels), {"w1": w1, "b1": b1, "w2": w2, "b2": b2}


LAYERS: dict[str, Any] = {
    function.__name__: function for function in (affine_forward, affine_backward, relu_forward, relu_backward, softmax_ce_forward, softmax_ce_backward)
}
