"""The numbers of one layer at one step, told in a few dozen bytes: histogram, mean, spread, and how much of it is saturated or dead.

Neither the array nor anything it hangs on is kept. The bins of a histogram are as wide as a power of two and begin at multiples of
their width, so histograms of any two arrays can be brought to the same bins without an error.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import WrongObject
from .arrays import numbers_of

KINDS = ("tanh", "sigmoid", "relu")
FINE = 9  # bins on each side of 0, as a power of two
TAIL = 0.0025  # of the values at each end may lie outside the picture
BELOW_1 = math.nextafter(1.0, 0.0)  # a tanh that is rounded to 1 belongs to the last bin, as in numpy.histogram, not to one of its own
NEAR, FAR = 0.97, 0.03
"""Where a tanh counts as saturated, as in makemore's third part: its slope 1 - 0.97 ** 2 is 0.06. A sigmoid does at the same place of
its range, 0.03 from either end."""


@dataclass(frozen=True)
class Histogram:
    """How many values lie in each bin: counts[i] of them in [(first + i) * width, (first + i + 1) * width)."""

    width: float
    """A power of two."""
    first: int
    counts: np.ndarray
    """int64[bins]"""

    @classmethod
    def of(cls, values: np.ndarray) -> "Histogram":
        """values: finite floats of any shape."""
        largest = float(np.max(np.abs(values), initial=0.0))
        width = 2.0 ** max(-1000, math.frexp(largest)[1] - FINE)
        bins = np.floor(np.ravel(values) / width).astype(np.int64)
        first = int(bins.min()) if bins.size else 0
        return cls(width, first, np.bincount(bins - first).astype(np.int64))

    def wider(self, width: float) -> "Histogram":
        """The same values in bins of ``width``, a power of two that is not smaller than now."""
        each = 2 ** min(62, math.frexp(width)[1] - math.frexp(self.width)[1])  # as int64 holds it; bins are numbered up to 2 ** FINE
        bins = (np.arange(len(self.counts)) + self.first) // each
        first = int(bins[0]) if len(bins) else 0
        counts = np.zeros(int(bins[-1]) - first + 1 if len(bins) else 0, np.int64)
        np.add.at(counts, bins - first, self.counts)
        return Histogram(width, first, counts)

    def bulk(self) -> tuple[float, float] | None:
        """From where to where the values lie, but for TAIL of them at each end; None without values."""
        total = int(self.counts.sum())
        if not total:
            return None
        below = np.cumsum(self.counts)
        low = int(np.searchsorted(below, TAIL * total, side="right"))
        high = int(np.searchsorted(below, (1 - TAIL) * total, side="left"))
        return (self.first + low) * self.width, (self.first + high + 1) * self.width


@dataclass(frozen=True)
class LayerValues:
    """What is kept of the array of one layer."""

    kind: str
    """"tanh", "sigmoid", "relu", or "" where nothing is known of it."""
    histogram: Histogram
    size: int
    mean: float
    """Of the finite values, as all that follows; nan without any."""
    std: float
    low: float
    high: float
    nans: int
    infinities: int
    extreme: float | None
    """Share of all values that are saturated, or 0 for a relu; None for another kind."""
    dead: int | None
    """Units that are saturated, or 0 for a relu, on every example; None where there are no units to tell apart."""
    units: int | None

    @property
    def says(self) -> str:
        """ "mean 0.01, std 0.64, 3.2% saturated, 0 of 200 units dead" """
        if not self.size:
            return "empty"
        parts = [f"mean {_short(self.mean)}", f"std {_short(self.std)}"] if self.nans + self.infinities < self.size else []
        if self.extreme is not None:
            parts.append(f"{percent(self.extreme)} {'zero' if self.kind == 'relu' else 'saturated'}")
        if self.dead is not None:
            parts.append(f"{self.dead} of {self.units} units dead")
        parts += [f"{count:,} {word}" for count, word in ((self.nans, "NaN"), (self.infinities, "infinite")) if count]
        return ", ".join(parts)


def measure(values: Any, kind: str = "", called: str = "values") -> LayerValues:
    """values: floats of any shape, NumPy, torch or lists. Raises WrongObject, which names ``called``, for anything else.

    Axis 0 counts the examples. The units of a relu, tanh or sigmoid lie along the last axis, or along axis 1 of a (N, C, H, W) array;
    an array of one axis has none.
    """
    found = numbers_of(values, called)
    found = found.astype(np.float64)
    known = np.isfinite(found)
    finite = found if known.all() else found[known]
    with np.errstate(over="ignore"):  # the std of numbers near 1e200 is infinite, and said to be
        mean, std = (float(finite.mean()), float(finite.std())) if finite.size else (math.nan, math.nan)
    extreme = dead = units = None
    marked = extremes(found, kind)
    if marked is not None and found.size:
        extreme = float(marked.mean())
        if found.ndim > 1:
            rest = tuple(axis for axis in range(found.ndim) if axis != unit_axis(found))
            each = marked.all(axis=rest)
            dead, units = int(each.sum()), each.size
    return LayerValues(
        kind, Histogram.of(np.minimum(finite, BELOW_1) if kind in ("tanh", "sigmoid") else finite), found.size, mean, std, float(finite.min()) if finite.size else math.nan, float(finite.max()) if finite.size else math.nan,
        int(np.isnan(found).sum()), int(np.isinf(found).sum()), extreme, dead, units,
    )  # fmt: skip


def extremes(values: np.ndarray, kind: str) -> np.ndarray | None:
    """bool, shaped as ``values``: where a unit of this kind passes (almost) no gradient on. None for another kind."""
    if kind == "tanh":
        return np.abs(values) > NEAR
    if kind == "sigmoid":
        return (values < FAR) | (values > NEAR)
    return values == 0 if kind == "relu" else None


def unit_axis(values: np.ndarray) -> int:
    return 1 if values.ndim == 4 else values.ndim - 1


def kind_of(name: str, told: Mapping[str, str] | None = None) -> str:
    """The kind of a layer by what was ``told``, or by its name, or the name of its class: "tanh 1", "ReLU6", "block.0.sigmoid".

    Raises WrongObject for a kind that is not in KINDS (or "").
    """
    kind = (told or {}).get(name)
    if kind is None:
        found = re.search(r"(?<![a-z])(tanh|sigmoid|relu)(?![a-z])", name.lower())
        return found.group(1) if found else ""
    if kind not in (*KINDS, ""):
        raise WrongObject(f"`kinds` says that {name!r} is {kind!r}; there are {', '.join(KINDS)}, and '' for anything else")
    return kind


def _short(value):
    return f"{value:.2g}" if 0 < abs(value) < 0.01 or abs(value) >= 1000 else f"{value:.2f}"


def percent(share):
    return f"{share:.1%}" if 0 < share < 0.1 or 0.99 < share < 1 else f"{share:.0%}"
