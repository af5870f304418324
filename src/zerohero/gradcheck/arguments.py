"""The kinds of arguments an operation may take, and how values for them are drawn.

Numbers keep away from 0 and from each other, so that no kink is near. Arrays are contiguous and may be written into: they
must come out of plain data as they went in, and an answer that writes into its arguments is told so by name, which a
read-only array would prevent.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MARGIN = 0.05
"""Numbers are at least this far from 0."""


@dataclass(frozen=True)
class Plan:
    """What one case is to be like, before any number is drawn."""

    group: str
    sizes: Mapping[str, Any]
    """{"N": 5, "...": (3, 7)}; also "stride" and "padding"."""
    special: str = ""
    """"zeros", "ties", "huge", "nearly_equal" or "repeats": which property of the arguments the group is about."""
    part: int = 0
    """Which of several cases of one special kind."""


@dataclass(frozen=True)
class Array:
    """A float64 array that has a gradient.

    axes : sizes by name, "N D"; one name is one size in all arguments. A number is itself, "(4 H)" a product, "..." any
           leading axes, "" none at all.

    The rest says what is special about its values; each gives a group of its own, but for ``scale`` and ``positive``.
    """

    axes: str
    scale: float = 1.0
    """Typical size of a number."""
    positive: bool = False
    zeros: bool = False
    """Exact zeros: relu, abs."""
    ties: bool = False
    """Equal numbers beside each other: max."""
    huge: float = 0.0
    """Rows of this size, typically 1000: one number far above the rest, all far from 0, far apart. For whatever holds exp."""
    nearly_equal: bool = False
    """Rows and columns of small variance: normalisation."""
    empty: bool = False
    """The first axis may have size 0."""

    def draw(self, plan: Plan, rng: np.random.RandomState) -> np.ndarray:
        x = numbers(rng, shape_of(self.axes, plan.sizes))
        x = np.abs(x) if self.positive else x
        if plan.special in SPECIAL and getattr(self, plan.special):
            return SPECIAL[plan.special](x, self, plan.part, rng)
        return np.asarray(x if self.scale == 1 else self.scale * x)


@dataclass(frozen=True)
class Ids:
    """An int64 array of numbers from 0 to below - 1 that pick rows: distinct when there is room, and in a group of their own repeated."""

    axes: str
    below: str

    def draw(self, plan, rng):
        shape, below = shape_of(self.axes, plan.sizes), plan.sizes[self.below]
        count = math.prod(shape)
        if plan.special == "repeats" and count > 1:
            few = rng.permutation(below)[: max(1, min(below - 1, count // 2))]  # one row at least is never picked
            picked = few[np.concatenate([np.arange(len(few)), rng.randint(len(few), size=count - len(few))])]
        else:
            picked = np.concatenate([rng.permutation(below) for _ in range(-(-count // below))])[:count] if count else np.empty(0)
        return rng.permutation(picked).reshape(shape).astype(np.int64)


@dataclass(frozen=True)
class Labels:
    """An int64 array of classes from 0 to below - 1; the first and the last class are among them when there is room."""

    axes: str
    below: str

    def draw(self, plan, rng):
        shape, below = shape_of(self.axes, plan.sizes), plan.sizes[self.below]
        labels = rng.randint(below, size=math.prod(shape))
        labels[:2] = [0, below - 1][: len(labels[:2])]
        return rng.permutation(labels).reshape(shape).astype(np.int64)


@dataclass(frozen=True)
class Mask:
    """A float64 array of 0.0 and 1.0, both of which occur when there is room. It has no gradient."""

    axes: str

    def draw(self, plan, rng):
        shape = shape_of(self.axes, plan.sizes)
        mask = (rng.uniform(size=math.prod(shape)) < 0.7).astype(np.float64)
        mask[:2] = [1.0, 0.0][: len(mask[:2])]
        return rng.permutation(mask).reshape(shape)


@dataclass(frozen=True)
class Size:
    """The int that a name of the axes stands for."""

    name: str

    def draw(self, plan, rng):
        return plan.sizes[self.name]


@dataclass(frozen=True)
class Stride:
    """The int by which windows of the sizes ``kernel``, "A B", move over axes ``over``, "H W".

    The sizes of ``over`` are chosen so that the windows fit: side by side, overlapping, and with a padding when the signature has one.
    """

    kernel: str
    over: str

    def draw(self, plan, rng):
        return plan.sizes["stride"]


@dataclass(frozen=True)
class Padding:
    """The int number of zeros that the operation puts before and after each axis under the windows."""

    def draw(self, plan, rng):
        return plan.sizes["padding"]


@dataclass(frozen=True)
class Probability:
    """A float between 0.15 and 0.85 that is not near 0.5, where p and 1 - p are the same."""

    def draw(self, plan, rng):
        return round(float(rng.choice([rng.uniform(0.15, 0.4), rng.uniform(0.6, 0.85)])), 3)


@dataclass(frozen=True)
class Integer:
    """An int from low to high, both included."""

    low: int
    high: int

    def draw(self, plan, rng):
        return int(rng.randint(self.low, self.high + 1))


@dataclass(frozen=True)
class Choice:
    """One of some values, whatever they are."""

    values: Sequence[Any]

    def draw(self, plan, rng):
        return self.values[int(rng.randint(len(self.values)))]


Argument = Array | Ids | Labels | Mask | Size | Stride | Padding | Probability | Integer | Choice


# ---------------------------------------------------------------- shapes


def tokens(axes):
    return re.findall(r"\([^()]*\)|[^\s()]+", axes)


def names_in(axes):
    """Names in the order they stand: "N (T D) 4 ..." -> ["N", "T", "D"]."""
    return [token for token in re.findall(r"\w+", axes) if not token.isdigit()]


def shape_of(axes: str, sizes: Mapping[str, Any]) -> tuple[int, ...]:
    """("N (4 H) ...", {"N": 3, "H": 5, "...": (2, 7)}) -> (3, 20, 2, 7)."""
    shape: list[int] = []
    for token in tokens(axes):
        if token == "...":
            shape += sizes["..."]
        elif token.startswith("("):
            shape.append(math.prod(shape_of(token[1:-1], sizes)))
        else:
            shape.append(int(token) if token.isdigit() else sizes[token])
    return tuple(shape)


# ---------------------------------------------------------------- numbers


def numbers(rng: np.random.RandomState, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Random numbers of about size 1 to four decimals, float64: none within MARGIN of 0, no two alike."""
    n = math.prod(shape)
    x = rng.standard_normal(n)
    apart = min(0.02, 4.0 / max(n, 1)) * (np.arange(n) - n // 2)  # what is added in the order of size keeps neighbours apart
    x[np.argsort(x)] += apart
    return np.round(x + np.where(x < 0, -MARGIN, MARGIN), 4).reshape(shape)


def signed(rng: np.random.RandomState, low: float = 0.3, high: float = 3.0) -> float:
    """One number of either sign, of a size between low and high, to three decimals."""
    return round(float(rng.uniform(low, high) * rng.choice([-1.0, 1.0])), 3)


def upstream_number(rng: np.random.RandomState) -> float:
    """The upstream gradient of one number: of either sign, of a size between 1.2 and 3.5, so never 1 and never 0."""
    return signed(rng, 1.2, 3.5)


def upstream(rng: np.random.RandomState, out: Any, sign: int = 0) -> Any:
    """A random upstream gradient for an output: of both signs, or of the one given."""
    if isinstance(out, (tuple, list)):
        return tuple(upstream(rng, one, sign) for one in out)
    dout = numbers(rng, np.shape(out)) if np.ndim(out) else upstream_number(rng)
    return sign * abs(dout) if sign else dout


def _with_zeros(x, array, part, rng):
    at = rng.permutation(x.size)[: max(1, x.size // 4)]
    x.ravel()[at] = 0.0
    return array.scale * x


def _with_ties(x, array, part, rng):
    x = rng.randint(0 if array.positive else -1, 3, x.shape).astype(np.float64)
    pairs = x.shape[-1] // 2 if x.ndim else 0
    x[..., 1 : 2 * pairs : 2] = x[..., 0 : 2 * pairs : 2]
    return array.scale * x


def _huge(x, array, part, rng):
    """Row by row one of five kinds; two parts together have all of them, for three rows too."""
    rows = x.reshape(-1, x.shape[-1]) if x.ndim > 1 else x.reshape(-1, 1)
    for number, row in enumerate(rows):
        kind = (number + 3 * part) % 5
        if kind == 0:
            row[rng.randint(row.size)] = array.huge  # saturated
        elif kind == 1:
            row += 0.99 * array.huge  # far from 0, close to each other
        elif kind == 2:
            row -= 0.99 * array.huge
        elif kind == 3:
            row *= 0.4 * array.huge  # far apart
    return np.abs(x) if array.positive else x


def _nearly_equal(x, array, part, rng):
    x = np.abs(x) if array.positive else x
    if part:
        return array.scale * (5 + 3 * x * np.where(np.arange(x.shape[-1]) % 2, 0.01, 1.0))  # some columns
    rows = x.reshape(-1, x.shape[-1])
    return array.scale * (rows * np.where(np.arange(len(rows)) % 2, 0.003, 1.0)[:, None]).reshape(x.shape)


SPECIAL = {"zeros": _with_zeros, "ties": _with_ties, "huge": _huge, "nearly_equal": _nearly_equal}
