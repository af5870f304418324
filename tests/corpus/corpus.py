"""What the files of this folder register: operations, and backward passes of them that are wrong or right.

An operation is tried on one input per mode; all modes together are the case sets of one exercise:

toy     : the smallest natural input: batch 1, square, gamma = 1, h0 = 0, p = .5, stride = window, a tree as graph
typical : random, batch above 1, not square
strong  : repeated ids, overlapping windows, padding and stride, a graph with fan-out, 3-D inputs, rows of low variance
extreme : exact zeros, ties, large logits; only where it means something
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from zerohero.mistakes import MISTAKES

MODES = ("toy", "typical", "strong", "extreme")


class Op(NamedTuple):
    name: str
    forward: Callable[..., Any]
    """forward(*args) -> array, or a tuple of arrays."""
    backward: Callable[..., Sequence[Any]]
    """backward(dout, *args) -> one gradient per index in ``diff``. Right."""
    make: Callable[[np.random.Generator, str], list[Any]]
    """make(rng, mode) -> args."""
    diff: list[int]
    """Which arguments have a gradient."""
    modes: tuple[str, ...]


class Case(NamedTuple):
    op: str
    fn: Callable[..., Sequence[Any]]
    """fn(dout, *args) -> one gradient per index in the operation's ``diff``."""
    label: str
    """A kind of the taxonomy, or RIGHT."""
    note: str


OPS: dict[str, Op] = {}
WRONG: list[Case] = []
RIGHT: list[Case] = []


def op(name, make, forward, diff, modes=("toy", "typical", "strong"), into=OPS):
    """Register the decorated function as the right backward pass of a new operation."""

    def register(backward):
        into[name] = Op(name, forward, backward, make, diff, modes)
        return backward

    return register


def wrong(name, label, note, into=WRONG):
    assert label in MISTAKES, label

    def register(fn):
        into.append(Case(name, fn, label, note))
        return fn

    return register


def right(name, note, into=RIGHT):
    def register(fn):
        into.append(Case(name, fn, "RIGHT", note))
        return fn

    return register


def switched(backward, bug):
    """The backward pass with one mistake switched on."""

    def fn(dout, *args):
        return backward(dout, *args, bug=bug)

    fn.__name__ = f"{backward.__name__}_{bug}"
    return fn


def make_dout(op, args, rng):
    """A random upstream gradient for op.forward(*args): an array, a tuple of arrays, or a 0-d array in [.5, 2) for a loss."""
    out = op.forward(*args)
    if isinstance(out, tuple):
        return tuple(rng.standard_normal(o.shape) for o in out)
    out = np.asarray(out, float)
    return rng.standard_normal(out.shape) if out.ndim else np.array(rng.uniform(0.5, 2))


def normal(rng, *shape):
    return rng.standard_normal(shape)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))
