"""m03: broadcasting and four layers, each forward and backward, on arrays."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..exercise import Case
from ..gradcheck.arguments import numbers
from ..gradcheck.design import Array, Labels, design, signature
from . import m03_stand_ins as layers
from .kinds import function_exercise, gradient_exercise
from .m02_stand_ins import patched

# ---------------------------------------------------------------- broadcasting


SHOWN = [
    ("the same shape", (3, 5), (3, 5)),
    ("an axis in front", (3, 5), (5,)),
    ("an axis of size one", (3, 5), (3, 1)),
    ("an axis of size one", (3, 5), (1, 5)),
    ("several axes", (2, 3, 5), (3, 1)),
    ("several axes", (3, 5, 2), (1, 5, 1)),
    ("several axes", (3, 5), (1, 1)),
    ("a single number", (3, 5), ()),
    ("size one before and after", (3, 1, 5), (3, 1, 5)),
    ("size one before and after", (3, 1, 5), (1, 5)),
]


def unbroadcast_case(group: str, rng: np.random.RandomState, stretched: tuple[int, ...], shape: tuple[int, ...]) -> Case:
    """dout of the shape ``stretched``, to be brought back to ``shape``."""
    return Case(group, {"dout": numbers(rng, stretched), "shape": list(shape)})


def _handed_back(inputs):
    """Each number of dout goes to the element of the operand that it was computed from."""
    total, stretched = np.zeros(inputs["shape"]), inputs["dout"].shape
    source = np.broadcast_to(np.arange(total.size).reshape(total.shape), stretched)
    for at in np.ndindex(stretched):
        total.flat[source[at]] += inputs["dout"][at]
    return total


unbroadcast = function_exercise(
    "m03-unbroadcast",
    "The gradient of something stretched",
    "unbroadcast(dout, shape)",
    cases=lambda rng: [unbroadcast_case(group, rng, stretched, shape) for group, stretched, shape in SHOWN],
    truth=_handed_back,
    prepare=lambda inputs: {"dout": inputs["dout"], "shape": tuple(inputs["shape"])},
    result="gradient",
    hints=(
        "A number that was used several times collects one gradient for each use, and gradients add up. So the axes along which it was repeated have to be summed away.",
        "Two kinds of axes: those in front that `shape` does not have (sum them away), and those where `shape` says 1 and dout has more (sum them, and keep the 1).",
        "First sum over axis 0 until dout has as many axes as `shape`. Then, for each axis where `shape` holds a 1, sum over that axis with keepdims=True.",
    ),
)


# ---------------------------------------------------------------- the layers


def _forward_exercise(id, title, takes, forward, inputs, hints):
    """An exercise on a forward pass; its inputs come from the designer, as those of the backward pass do."""

    def cases(rng):
        return [Case(one.group, one.arguments) for one in design(inputs, forward, rng)]

    def name(all_cases, outputs):
        return digits_lost([(forward(**case.inputs), output["value"]["value"]) for case, output in zip(all_cases, outputs, strict=True)])

    return function_exercise(id, title, takes, cases, hints, truth=lambda given: forward(**given), result="output", name=name)


def digits_lost(pairs: Sequence[tuple[Any, Any]]) -> tuple[str, str] | None:
    """DTYPE, when every array that was given is float32 or float16 and what that leaves of the truth."""
    for true, given in pairs:
        if not (isinstance(given, np.ndarray) and given.dtype.kind == "f" and given.dtype.itemsize < 8 and given.shape == np.shape(true)):
            return None
        coarse = float(np.finfo(given.dtype).eps)
        if not np.allclose(given, true, rtol=16 * coarse, atol=16 * coarse * float(np.max(np.abs(true), initial=1.0))):
            return None
    return "DTYPE", "the numbers are right, but kept in a type that rounds them: return float64"


AFFINE = signature(x=Array("... D"), w=Array("D M"), b=Array("M"))

affine_forward = _forward_exercise(
    "m03-affine-forward",
    "A layer of weighted sums",
    "affine_forward(x, w, b)",
    layers.affine_forward,
    AFFINE,
    (
        "Every output is a sum of products, as in a neuron: one number of x times one weight, over all D of them, plus a bias.",
        "Rows times columns: the last axis of x meets the first axis of w. The matrix product does this for all rows and all leading axes at once.",
        "The operator for a matrix product is @; b of shape (M,) is stretched over all rows by itself.",
    ),
)

affine_backward = gradient_exercise(
    "m03-affine-backward",
    "Back through weighted sums",
    "affine_backward(dout, x, w, b)",
    layers.affine_forward,
    AFFINE,
    (
        "Each gradient has the shape of what it belongs to. An x meets all M outputs of its row, a weight meets all rows, a bias is stretched over all rows.",
        "The slope of an output towards x is w, towards w it is x. Write (N, M), (M, D) -> (N, D) and (D, N), (N, M) -> (D, M): which arrays, which of them transposed?",
        "For x with more than two axes, bring x to (-1, D) and dout to (-1, M) first: all rows are alike for w and b. For dx no reshaping is needed.",
    ),
)

relu_forward = _forward_exercise(
    "m03-relu-forward",
    "Cut off what is negative",
    "relu_forward(x)",
    layers.relu_forward,
    signature(x=Array("...", zeros=True)),
    (
        "Each number for itself: positive ones stay, negative ones become 0.",
        "It is the larger of the number and 0. NumPy has a function that takes the larger of two for whole arrays.",
        "np.maximum takes two arguments, an array and a number or another array; np.max takes the largest of one array, which is not what you want.",
    ),
)

relu_backward = gradient_exercise(
    "m03-relu-backward",
    "What gets through a relu",
    "relu_backward(dout, x)",
    layers.relu_forward,
    signature(x=Array("...", zeros=True)),
    (
        "relu either passes a number on or blocks it. The gradient goes back exactly where the number went through.",
        "The slope is 1 where x is positive and 0 where it is negative. What counts is x, not dout.",
        "Comparing x with 0 gives an array of True and False, which count as 1 and 0 when they are multiplied.",
    ),
)


def _sigmoid(x):
    return 0.5 + 0.5 * np.tanh(0.5 * x)


SIGMOID = signature(x=Array("...", huge=1000))

sigmoid_forward = _forward_exercise(
    "m03-sigmoid-forward",
    "Between 0 and 1",
    "sigmoid_forward(x)",
    _sigmoid,
    SIGMOID,
    (
        "exp of a large positive number overflows, exp of a large negative one is 0. So only ever take exp of something that is not positive.",
        "There are two ways to write it: 1 / (1 + exp(-x)), which is safe for x >= 0, and exp(x) / (1 + exp(x)), which is safe for x < 0.",
        "small = exp(-|x|) is safe for every x. Both ways can be written with it; np.where picks the right one for each number.",
    ),
)

_slope_of_sigmoid = gradient_exercise(
    "m03-sigmoid-backward",
    "The slope of a sigmoid",
    "sigmoid_backward(dout, x)",
    _sigmoid,
    SIGMOID,
    (
        "As for tanh, the slope is easiest to write with what came out: call it s. It is flat where s is near 0 and where s is near 1.",
        "It is steepest in the middle, at s = 0.5, where the slope is 0.25. Which product of two numbers is 0 at both ends and 0.25 there?",
        "Take s from your sigmoid_forward, which is safe for large numbers, and multiply it by what is missing to 1, and by dout.",
    ),
)


def _with_a_right_sigmoid(backward, inputs):
    """A mistake in sigmoid_forward costs that exercise only."""
    with patched(backward, sigmoid_forward=_sigmoid):
        return _slope_of_sigmoid.probe(backward, inputs)


sigmoid_backward = replace(_slope_of_sigmoid, probe=_with_a_right_sigmoid)


def cross_entropy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Mean of -ln(probability of the label), to the last digits where the probability is nearly 1, so that slopes can be measured there too."""
    chosen = np.take_along_axis(logits, labels[:, None], 1)
    return float(np.logaddexp.reduce(logits - chosen, axis=1).mean())


SOFTMAX_CE = signature(logits=Array("N C", ties=True, huge=1000), labels=Labels("N", below="C"))

softmax_ce_forward = _forward_exercise(
    "m03-softmax-ce-forward",
    "How surprised is the network?",
    "softmax_ce_forward(logits, labels)",
    cross_entropy,
    SOFTMAX_CE,
    (
        "Of each row only one probability counts, that of its label. The loss is the mean of -ln of these.",
        "Take the largest logit of each row away from its row: the probabilities stay as they are, and no exp can overflow any more.",
        "Do not take ln of a probability that may have become 0. ln(e^a / sum) = a - ln(sum), and this has no 0 in it. logits[np.arange(N), labels] picks one number a row.",
    ),
)

softmax_ce_backward = gradient_exercise(
    "m03-softmax-ce-backward",
    "What each logit should have been",
    "softmax_ce_backward(dout, logits, labels)",
    cross_entropy,
    SOFTMAX_CE,
    (
        "For one row the loss is ln(sum of e^logits) - logit of the label. Differentiate the two parts by themselves.",
        "The slope of the first part towards a logit is that logit's probability. The second part has the slope -1 at the label, and 0 elsewhere.",
        "Three more things: the mean over N rows, the upstream gradient dout, and probabilities that do not overflow: take the largest logit of each row away first.",
    ),
)
