"""Axes: numbers to px, ticks, and lines that end where a number is missing.

plot = Chart("learning rate", "loss", x=Scale(1e-4, 10, log=True), y=Scale(2, 4))
marks = [*plot.axes(), *plot.lines(rates, losses)]
"""

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import scene
from .scene import Mark

LARGEST = sys.float_info.max
LEFT, RIGHT, TOP, BOTTOM = 64.0, 16.0, 32.0, 46.0  # px around the plot; above it stands the legend
CHAR = 6.6  # px per character at size 12


@dataclass(frozen=True)
class Scale:
    """Numbers from ``low`` to ``high``, evenly or by powers of ten."""

    low: float
    high: float
    log: bool = False

    @classmethod
    def over(cls, numbers: Iterable[float], *, log: bool = False, room: float = 0.05, zero: bool = False) -> "Scale":
        """The scale that holds all finite numbers (for log: those above 0), with some room at both ends.

        Without any: 0 to 1, or 0.1 to 10. zero: 0 is on it.
        """
        finite = [float(n) for n in numbers if math.isfinite(n) and (n > 0 or not log)]
        if zero and not log:
            finite.append(0.0)
        if not finite or (zero and not any(finite)):
            return cls(0.1, 10.0, True) if log else cls(0.0, 1.0)
        low, high = min(finite), max(finite)
        if log:
            pad = room * (math.log10(high) - math.log10(low)) or 0.5
            return cls(min(low, 10 ** max(-323.0, math.log10(low) - pad)), max(high, 10 ** min(308.0, math.log10(high) + pad)), True)
        # halves, here and in share(), because the width of a scale from -1e308 to 1e308 is no finite number
        pad = 2 * room * (high / 2 - low / 2) or 0.5 * abs(high) or 0.5
        return cls(max(-LARGEST, low - (0.0 if zero and low == 0 else pad)), min(LARGEST, high + (0.0 if zero and high == 0 else pad)))

    def share(self, number: float) -> float:
        """Where ``number`` lies: 0 at low, 1 at high. NaN for NaN, infinities, and what a log scale cannot hold."""
        if not math.isfinite(number) or (self.log and number <= 0):
            return math.nan
        if self.log:
            return (math.log(number) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (number / 2 - self.low / 2) / (self.high / 2 - self.low / 2)

    def ticks(self, about: int = 6) -> list[float]:
        """Round numbers on the scale: multiples of 1, 2 or 5 times a power of ten; powers of ten on a log scale."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            every = max(1, math.ceil((last - first + 1) / about))
            powers = [10.0**power for power in range(first, last + 1) if (power - first) % every == 0]
            return powers if len(powers) > 1 else [n for n in (self.low, self.high)]
        step = self.high / about - self.low / about
        unit = 10.0 ** math.floor(math.log10(step))
        step = next(unit * n for n in (1, 2, 5, 10) if unit * n >= step * 0.999)
        ticks = [n * step for n in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]
        return sorted({tick for tick in ticks if self.low <= tick <= self.high})  # a step may be less than a float can tell


def number(value: float, digits: int = 4) -> str:
    """A number as it is said: "0.25", "1e-05", "nan", "inf"."""
    return f"{float(value):.{digits}g}"


def _named(ticks):
    """(tick, its text): with as many digits as tell each from the others."""
    for digits in range(4, 18):
        words = [number(tick, digits) for tick in ticks]
        if len(set(words)) == len(words):
            break
    return zip(ticks, words, strict=True)


@dataclass(frozen=True)
class Chart:
    """A plot of ``width`` by ``height`` px with its upper left corner at ``left``, ``top``; labels stand outside it."""

    across: str
    """Label of the x axis, with its unit."""
    up: str
    x: Scale
    y: Scale
    width: float = 560.0
    height: float = 260.0
    left: float = LEFT
    top: float = TOP

    @property
    def size(self) -> tuple[float, float]:
        """(width, height) of a view that holds this one chart."""
        return self.left + self.width + RIGHT, self.top + self.height + BOTTOM

    def at(self, x: float, y: float) -> tuple[float, float]:
        """px of a point; NaN where it cannot be drawn."""
        return self.left + self.width * self.x.share(x), self.top + self.height * (1 - self.y.share(y))

    def axes(self) -> list[Mark]:
        """Frame, faint grid, ticks with numbers, labels."""
        right, bottom = self.left + self.width, self.top + self.height
        marks = []
        for tick, words in _named(self.x.ticks(max(2, int(self.width / 90)))):
            px = self.at(tick, self.y.low)[0]
            marks += [scene.line([(px, self.top), (px, bottom)], "faint", 1), scene.text(px, bottom + 16, words, "middle", size=11)]
        for tick, words in _named(self.y.ticks(max(2, int(self.height / 45)))):
            py = self.at(self.x.low, tick)[1]
            marks += [scene.line([(self.left, py), (right, py)], "faint", 1), scene.text(self.left - 6, py + 4, words, "end", size=11)]
        marks.append(scene.line([(self.left, self.top), (self.left, bottom), (right, bottom)], "ink", 1))
        marks.append(scene.text(self.left + self.width / 2, bottom + 36, self.across, "middle"))
        marks.append(scene.text(self.left - 48, self.top + self.height / 2, self.up, "middle", turned=True))
        return marks

    def lines(self, xs: Sequence[float], ys: Sequence[float], look: str = "series0", width: float = 2.0, most: int = 400) -> list[Mark]:
        """One line through the points in their order. It ends before a point that cannot be drawn, goes on after it, and is cut at the edges.

        Of more than ``most`` points, each stretch is drawn by its lowest and its highest, so that no spike is lost.
        """
        xs, ys = thinned(xs, ys, most)
        stretches: list[list[tuple[float, float]]] = [[]]
        for x, y in zip(xs, ys, strict=True):
            px, py = self.at(float(x), float(y))
            if math.isfinite(px) and math.isfinite(py):
                stretches[-1].append((px, self.inside(py)))
            elif stretches[-1]:
                stretches.append([])
        return [scene.line(stretch, look, width) if len(stretch) > 1 else scene.dots(stretch, look, 2) for stretch in stretches if stretch]

    def inside(self, py: float) -> float:
        """py, moved to the edge of the plot when it lies outside."""
        return min(max(py, self.top), self.top + self.height)

    def dots(self, xs: Sequence[float], ys: Sequence[float], look: str = "series0", r: float = 4.0, labels: Sequence[str] = ()) -> list[Mark]:
        """The points that can be drawn, and lie in the plot, as one mark."""
        kept, said = [], []
        for n, (x, y) in enumerate(zip(xs, ys, strict=True)):
            sx, sy = self.x.share(float(x)), self.y.share(float(y))
            if -1e-9 <= sx <= 1 + 1e-9 and -1e-9 <= sy <= 1 + 1e-9:  # False for NaN
                kept.append(self.at(float(x), float(y)))
                said.append(labels[n] if labels else f"{number(x)}, {number(y)}")
        return [scene.dots(kept, look, r, said)] if kept else []

    def legend(self, entries: Sequence[tuple[str, str]]) -> list[Mark]:
        """entries: (look, words), side by side above the plot."""
        x, y = self.left, self.top - 12
        marks = []
        for look, words in entries:
            marks += [scene.line([(x, y - 4), (x + 26, y - 4)], look, 2.5), scene.dots([(x + 13, y - 4)], look, 3.5), scene.text(x + 34, y, words)]
            x += 34 + len(words) * CHAR + 22
        return marks


def thinned(xs: Sequence[float], ys: Sequence[float], most: int) -> tuple[list[float], list[float]]:
    """At most about ``most`` of the points: of each stretch its first, lowest, highest and last, and one that is not a number if there is one."""
    count = len(xs)
    if count <= most:
        return [float(x) for x in xs], [float(y) for y in ys]
    per = math.ceil(count / (most / 4))
    keep: list[int] = []
    for start in range(0, count, per):
        stretch = range(start, min(start + per, count))
        finite = [n for n in stretch if math.isfinite(ys[n])]
        chosen = {stretch[0], stretch[-1]}
        if finite:
            chosen |= {min(finite, key=lambda n: ys[n]), max(finite, key=lambda n: ys[n])}
        if len(finite) < len(stretch):
            chosen.add(next(n for n in stretch if not math.isfinite(ys[n])))
        keep += sorted(chosen)
    return [float(xs[n]) for n in keep], [float(ys[n]) for n in keep]
