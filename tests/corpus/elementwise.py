"""relu, sigmoid, tanh, gelu in its tanh form, and inverted dropout with a given mask."""

import math

import numpy as np

from .corpus import normal, op, right, sigmoid, wrong


def make(rng, mode):
    shape = {"toy": (3,), "typical": (4, 5)}.get(mode, (2, 3, 4))
    return [normal(rng, *shape)]


def make_relu(rng, mode):
    if mode != "extreme":
        return make(rng, mode)
    x = normal(rng, 4, 5)
    x[0, 0] = x[1, 2] = x[3, 4] = 0.0
    return [x]


def relu_forward(x):
    return np.maximum(x, 0)


@op("relu", make_relu, relu_forward, diff=[0], modes=("toy", "typical", "strong", "extreme"))
def relu(dout, x):
    return (dout * (x > 0),)


@wrong("relu", "WRONG_MASK", "mask inverted")
def relu_inverted(dout, x):
    return (dout * (x <= 0),)


@wrong("relu", "NO_UPSTREAM", "returns the mask only")
def relu_mask(dout, x):
    return ((x > 0).astype(float),)


@wrong("relu", "DROPPED_LOCAL", "returns dout")
def relu_passed_on(dout, x):
    return (dout.copy(),)


@wrong("relu", "MUTATES", "dout[x<=0]=0 in place and returned")
def relu_in_place(dout, x):
    dout[x <= 0] = 0
    return (dout,)


@right("relu", "x>=0 (another valid subgradient at 0)")
def relu_one_at_zero(dout, x):
    return (dout * (x >= 0),)


def make_sigmoid(rng, mode):
    if mode != "extreme":
        return make(rng, mode)
    x = normal(rng, 3, 4)
    x[0, 0], x[1, 1], x[2, 2] = -800.0, 800.0, -30.0
    return [x]


def sigmoid_forward(x):
    return sigmoid(x)


@op("sigmoid", make_sigmoid, sigmoid_forward, diff=[0], modes=("toy", "typical", "strong", "extreme"))
def sigmoid_backward(dout, x):
    return (dout * sigmoid(x) * sigmoid(-x),)


@wrong("sigmoid", "PRE_POST", "sigmoid_prime applied to the output (sigmoid twice)")
def sigmoid_twice(dout, x):
    s = sigmoid(sigmoid(x))
    return (dout * s * (1 - s),)


@wrong("sigmoid", "NO_UPSTREAM", "s(1-s) without dout")
def sigmoid_local(dout, x):
    return (sigmoid(x) * (1 - sigmoid(x)),)


@right("sigmoid", "float32")
def sigmoid_float32(dout, x):
    return (np.float32(dout * sigmoid(x) * (1 - sigmoid(x))),)


def tanh_forward(x):
    return np.tanh(x)


@op("tanh", make, tanh_forward, diff=[0])
def tanh(dout, x):
    return (dout * (1 - np.tanh(x) ** 2),)


@wrong("tanh", "PRE_POST", "1-tanh(tanh(x))**2")
def tanh_twice(dout, x):
    return (dout * (1 - np.tanh(np.tanh(x)) ** 2),)


@wrong("tanh", "DROPPED_LOCAL", "returns dout")
def tanh_passed_on(dout, x):
    return (dout * 1.0,)


@right("tanh", "1/cosh**2")
def tanh_cosh(dout, x):
    return (dout / np.cosh(x) ** 2,)


@right("tanh", "4 s(2x)(1-s(2x))")
def tanh_by_sigmoid(dout, x):
    return [4 * dout * sigmoid(2 * x) * sigmoid(-2 * x)]


SCALE, CUBE = math.sqrt(2 / math.pi), 0.044715


def _inner(x):
    return SCALE * (x + CUBE * x**3)


def gelu_forward(x):
    return 0.5 * x * (1 + np.tanh(_inner(x)))


@op("gelu", make, gelu_forward, diff=[0])
def gelu(dout, x):
    t = np.tanh(_inner(x))
    return (dout * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * SCALE * (1 + 3 * CUBE * x * x)),)


@wrong("gelu", "MISSING_PATH", "product rule: only 0.5(1+t)")
def gelu_first_term(dout, x):
    t = np.tanh(_inner(x))
    return (dout * (0.5 * (1 + t)),)


@wrong("gelu", "WRONG_CONSTANT", "factor 3 of x**3 forgotten")
def gelu_no_three(dout, x):
    t = np.tanh(_inner(x))
    return (dout * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * SCALE * (1 + CUBE * x * x)),)


@wrong("gelu", "SIGN_FLIP", "product-rule term subtracted (wrong sign for x<0)")
def gelu_subtracted(dout, x):
    t = np.tanh(_inner(x))
    return (dout * (0.5 * (1 + t) - 0.5 * x * (1 - t * t) * SCALE * (1 + 3 * CUBE * x * x)),)


@wrong("gelu", "DROPPED_LOCAL", "inner derivative of the tanh argument forgotten")
def gelu_no_inner(dout, x):
    t = np.tanh(_inner(x))
    return (dout * (0.5 * (1 + t) + 0.5 * x * (1 - t * t)),)


@right("gelu", "sigmoid form x*s(2u)")
def gelu_by_sigmoid(dout, x):
    u = 2 * SCALE * (x + CUBE * x**3)
    return [dout * (sigmoid(u) + x * sigmoid(u) * sigmoid(-u) * 2 * SCALE * (1 + 3 * CUBE * x**2))]


@right("gelu", "1/cosh**2 for the tanh derivative")
def gelu_cosh(dout, x):
    u = _inner(x)
    return (dout * (0.5 + 0.5 * np.tanh(u) + 0.5 * x * SCALE * (1 + 3 * CUBE * x**2) / np.cosh(u) ** 2),)


def make_dropout(rng, mode):
    if mode == "toy":
        return [normal(rng, 3, 3), (rng.random((3, 3)) > 0.5) * 1.0, 0.5]
    x = normal(rng, 4, 5)
    return [np.maximum(x, 0) if mode == "extreme" else x, (rng.random((4, 5)) > 0.3) * 1.0, 0.3]


def dropout_forward(x, mask, p):
    return x * mask / (1 - p)


@op("dropout", make_dropout, dropout_forward, diff=[0], modes=("toy", "typical", "strong", "extreme"))
def dropout(dout, x, mask, p):
    return (dout * mask / (1 - p),)


@wrong("dropout", "WRONG_CONSTANT", "mask without 1/(1-p)")
def dropout_not_scaled(dout, x, mask, p):
    return (dout * mask,)


@wrong("dropout", "WRONG_CONSTANT", "1/p instead of 1/(1-p) (same when p=.5)")
def dropout_by_p(dout, x, mask, p):
    return (dout * mask / p,)


@wrong("dropout", "DROPPED_LOCAL", "scale but no mask")
def dropout_no_mask(dout, x, mask, p):
    return (dout / (1 - p),)
