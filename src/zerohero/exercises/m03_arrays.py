"""m03, first half: layers of arrays, forward and backward, up to a network that is trained on digits."""

import numpy as np

from ..exercise import Case
from ..gradcheck.arguments import numbers
from .kinds import function_exercise

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
