"""Rows of an embedding as points: what lies near what, and how it came to lie there.

embedding(C, letters)                                  # C: (27, 10): two principal axes, and the nearest of each letter
embedding([C0, C1, C2], letters, steps=[0, 100, 200])  # the same over training
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import scene, still
from .arrays import numbers_of
from .chart import CHAR, Chart, Scale, number
from .palette import SERIES
from .scene import Frame, Mark, Steps, Table, View, plain

MOST = 500  # points
MOST_STEPS = 20  # snapshots: a frame of 27 letters is 3 kB
WIDTH, HEIGHT = 600.0, 440.0
NAME = 16  # characters of a label in the picture


def embedding(
    vectors: Any, labels: Sequence[str] | None = None, kinds: Sequence[str] | None = None, *, steps: Sequence[Any] | None = None, nearest: int = 5
) -> None:
    """Show the rows of an embedding as labelled points, with the nearest neighbours of each.

    embedding(C, letters, kinds=["vowel" if letter in "aeiouy" else "other" for letter in letters])

    vectors: (V, D) floats; or a list of them, (V, D) each, one for each of ``steps`` of training. labels: V names; kinds: V names of
    kinds, drawn as different shapes, at most 5 different ones. nearest: how many neighbours are named.
    Rows of two numbers are drawn as they are; longer ones by the two directions in which they differ most (principal axes, by the
    singular value decomposition of the centred rows). Distances are Euclidean, between whole rows, not between their pictures.
    Raises WrongObject when shapes or counts do not fit.
    """
    still.show(embedding_view(vectors, labels, kinds, steps=steps, nearest=nearest))


def embedding_view(
    vectors: Any, labels: Sequence[str] | None = None, kinds: Sequence[str] | None = None, *, steps: Sequence[Any] | None = None, nearest: int = 5
) -> View:
    """As embedding(), as a View. Of more than MOST rows the first are shown, of more than MOST_STEPS steps every n-th and the last."""
    stack, moving = _stack(vectors)
    count, width = stack.shape[1:]
    labels = _one_each(labels, count, "labels") if labels is not None else [str(n) for n in range(count)]
    kinds = _one_each(kinds, count, "kinds") if kinds is not None else [""] * count
    if len(dict.fromkeys(kinds)) > len(SERIES):
        raise WrongObject(f"`kinds` names {len(dict.fromkeys(kinds))} kinds; at most {len(SERIES)} can be told apart by their shape")
    names = _one_each(steps, len(stack), "steps") if steps is not None else [str(n) for n in range(len(stack))]
    notes = []
    if count > MOST:
        notes.append(f"the first {MOST} of {count:,} rows are shown")
        stack, labels, kinds = stack[:, :MOST], labels[:MOST], kinds[:MOST]
    if len(stack) > MOST_STEPS:
        kept = sorted({round(n) for n in np.linspace(0, len(stack) - 1, MOST_STEPS)})
        notes.append(f"{MOST_STEPS} of {len(stack):,} steps are shown")
        stack, names = stack[kept], [names[n] for n in kept]
    places, across, up, how = _places(stack)
    if left_out := [label for label, row in zip(labels, stack[-1], strict=True) if not np.isfinite(row).all()]:
        listed = ", ".join(plain(label, NAME) for label in left_out[:5]) + ", ..." * (len(left_out) > 5)
        notes.append(f"not drawn, because of a NaN or an infinity: {listed}")
    scatter = _Scatter(_chart(places, across, up), labels, kinds)
    near = [_Near(one, labels, nearest) for one in stack]
    points = len(stack[0])
    summary = f"{points:,} row{'s' * (points != 1)} of {width} number{'s' * (width != 1)}{how}."
    if moving:
        frames = tuple(Frame(f"step {name}", f"Step {name}: {one.closest()}.", tuple(scatter.marks(at, one)), scatter.table(at, one)) for name, at, one in zip(names, places, near, strict=True))  # fmt: skip
        summary = f"{len(frames)} steps of {summary}"
        marks, sequence, table = scatter.chart.axes(), Steps("step", frames, len(frames) - 1 if len(frames) else 0), None
    else:
        marks = [*scatter.chart.axes(), *scatter.marks(places[0], near[0])]
        if scatter.unnamed:
            notes.append(f"{scatter.unnamed} name{'s have' if scatter.unnamed > 1 else ' has'} no room: point at the dots, or read the table")
        frames = (Frame("all", f"Nearest to each other: {near[0].closest()}."),)
        frames += tuple(Frame(label, near[0].says(n), tuple(scatter.neighbours(places[0], near[0], n))) for n, label in enumerate(labels))
        sequence, table = Steps("neighbours of", frames), scatter.table(places[0], near[0])
    summary += "".join(f" {note[0].upper()}{note[1:]}." for note in notes)
    return View("embedding", "Embedding", summary, *scatter.chart.size, tuple(marks + scatter.legend()), (sequence,), table)


def _stack(vectors):
    """(float[steps, V, D], whether there are several steps)."""
    if isinstance(vectors, (list, tuple)) and vectors and all(hasattr(one, "shape") and len(one.shape) == 2 for one in vectors):
        snapshots = [numbers_of(one, "vectors") for one in vectors]
        if len({one.shape for one in snapshots}) > 1:
            raise WrongObject(
                f"`vectors` holds arrays of shapes {', '.join(map(str, sorted({one.shape for one in snapshots})))}; all steps need the same shape"
            )
        found = np.stack(snapshots)
    else:
        found = numbers_of(vectors, "vectors")
    if found.ndim not in (2, 3) or 0 in found.shape:
        raise WrongObject(
            f"`vectors` has shape {found.shape}; it must be (V, D), a row for each label, or a list of such arrays; V and D at least 1"
            if found.size
            else f"`vectors` is empty, shape {found.shape}: there is no row to draw"
        )
    return (found if found.ndim == 3 else found[None]).astype(float), found.ndim == 3


def _one_each(names, count, called):
    names = [str(name) for name in names]
    if len(names) != count:
        raise WrongObject(f"`{called}` has {len(names)} names for {count} {'snapshots' if called == 'steps' else 'rows'}: it needs one for each")
    return names


def _places(stack):
    """(float[steps, V, 2], label across, label up, words for the summary). The axes are those of the last step.

    Rows are divided by their largest magnitude before anything is squared, so that 1e200 does not overflow.
    """
    width = stack.shape[2]
    if width < 3:
        return (stack, "first number", "second number", "") if width == 2 else (np.concatenate([stack, 0 * stack], axis=2), "the number", "", "")
    last = stack[-1][np.isfinite(stack[-1]).all(axis=1)]
    if not len(last):
        return stack[:, :, :2], "first number", "second number", ""
    top = np.abs(last).max() or 1.0
    middle = (last / top).mean(axis=0)
    _, sizes, directions = np.linalg.svd(last / top - middle, full_matrices=False)
    directions, sizes = np.vstack([directions, np.zeros((2, width))])[:2], np.concatenate([sizes, [0.0, 0.0]])
    for one in directions:  # an axis may be turned round; its largest part is made positive, so that two runs look alike
        one *= -1 if one[np.argmax(np.abs(one))] < 0 else 1
    shares = sizes**2 / (np.sum(sizes**2) or 1.0)
    with np.errstate(invalid="ignore", over="ignore"):
        places = ((stack / top - middle) @ directions.T) * top
    how = f", drawn by their two principal axes, which hold {shares[0] + shares[1]:.0%} of the variance" if np.sum(sizes) > 0 else "; all of them are equal"
    return places, f"first principal axis ({shares[0]:.0%} of the variance)", f"second principal axis ({shares[1]:.0%})", how


def _chart(places, across, up):
    """A px is as much across as up: what looks near is near."""
    xs, ys = (Scale.over(places[..., axis].ravel(), room=0.06) for axis in (0, 1))
    unit = max((xs.high - xs.low) / WIDTH, (ys.high - ys.low) / HEIGHT)

    def widened(scale, px):
        middle, half = scale.low / 2 + scale.high / 2, unit * px / 2
        return Scale(max(-8e307, middle - half), min(8e307, middle + half))

    return Chart(across, up, widened(xs, WIDTH), widened(ys, HEIGHT), WIDTH, HEIGHT)


class _Near:
    """Distances between the rows of one snapshot, float[V, D], in units of the largest number, so that squares do not overflow.

    NaN for rows that are not finite.
    """

    def __init__(self, rows: np.ndarray, labels: Sequence[str], most: int):
        self.labels, self.most = [plain(label, NAME) for label in labels], most
        self.top = top = float(np.abs(rows).max(initial=0.0, where=np.isfinite(rows))) or 1.0
        self.distance = np.empty((len(rows), len(rows)))
        with np.errstate(invalid="ignore"):
            for n, row in enumerate(rows):  # row by row: V x V x D numbers at once would be too many
                self.distance[n] = np.sqrt(np.sum((rows / top - row / top) ** 2, axis=1))
        self.distance[~np.isfinite(rows).all(axis=1)] = np.nan
        self.distance[:, ~np.isfinite(rows).all(axis=1)] = np.nan
        np.fill_diagonal(self.distance, np.nan)

    def of(self, n: int) -> list[int]:
        """The nearest to row n, the nearest first; equal distances in the order of the rows."""
        order = np.argsort(self.distance[n], kind="stable")  # NaN sorts to the end
        return [int(other) for other in order[: self.most] if not math.isnan(self.distance[n, other])]

    def listed(self, n: int) -> str:
        return ", ".join(f"{self.labels[other]} {self.apart(n, other)}" for other in self.of(n))

    def apart(self, n: int, other: int) -> str:
        return number(float(self.distance[n, other]) * self.top, 3)

    def says(self, n: int) -> str:
        return f"Nearest to {self.labels[n]}: {self.listed(n)}." if self.of(n) else f"{self.labels[n]} has no neighbour: it is the only row, or not finite."

    def closest(self) -> str:
        """The two rows nearest to each other."""
        if np.isnan(self.distance).all():
            return "there are not two finite rows"
        one, other = np.unravel_index(np.nanargmin(self.distance), self.distance.shape)
        return f"{self.labels[one]} and {self.labels[other]}, {self.apart(one, other)} apart"


@dataclass
class _Scatter:
    chart: Chart
    labels: Sequence[str]
    kinds: Sequence[str]
    unnamed: int = 0
    """Points of the last picture whose name had no room."""

    def looks(self) -> dict[str, str]:
        """{kind: look}, in the order of their first row."""
        return dict(zip(dict.fromkeys(self.kinds), SERIES, strict=False))

    def legend(self) -> list[Mark]:
        x, y, marks = self.chart.left, self.chart.top - 12, []
        for kind, look in self.looks().items():
            if kind:
                marks += [scene.dots([(x + 5, y - 4)], look, 5), scene.text(x + 16, y, kind)]
                x += 16 + len(plain(kind)) * CHAR + 22
        return marks

    def at(self, place: np.ndarray) -> tuple[float, float] | None:
        x, y = self.chart.at(*map(float, place))
        return (round(x, 1), round(y, 1)) if math.isfinite(x) and math.isfinite(y) else None

    def marks(self, places: np.ndarray, near: _Near) -> list[Mark]:
        """Dots by kind, and a name beside each. Rows in one place share their names, which a dot tells in full."""
        together: dict[tuple[float, float], list[int]] = {}
        for n, place in enumerate(places):
            if (at := self.at(place)) is not None and not np.isnan(place).any():
                together.setdefault(at, []).append(n)
        looks, marks = self.looks(), []
        for kind, look in looks.items():
            here = [(at, rows) for at, rows in together.items() if self.kinds[rows[0]] == kind]
            if here:
                told = [", ".join(near.labels[n] for n in rows) + f": nearest {near.listed(rows[0]) or 'none'}" for _, rows in here]
                marks.append(scene.dots([at for at, _ in here], look, 5, told))
        names = _Names(self.chart, list(together))
        written = [names.beside(at, ", ".join(near.labels[n] for n in rows[:3]) + ", ..." * (len(rows) > 3)) for at, rows in together.items()]
        self.unnamed = sum(one is None for one in written)
        return marks + [one for one in written if one is not None]

    def neighbours(self, places: np.ndarray, near: _Near, n: int) -> list[Mark]:
        """Lines from row n to its nearest, and a box round it."""
        here = self.at(places[n])
        if here is None:
            return []
        ends = [at for other in near.of(n) if (at := self.at(places[other])) is not None]
        marks = [scene.line([point for end in ends for point in (here, end)], "focus", 2)] if ends else []
        return [*marks, scene.rects([(here[0] - 8, here[1] - 8, 16, 16)], "focus")]

    def table(self, places: np.ndarray, near: _Near) -> Table:
        columns = ("row", *(["kind"] if any(self.kinds) else []), "across", "up", "nearest, with distance")
        rows = [
            (near.labels[n], *([self.kinds[n]] if any(self.kinds) else []), number(places[n][0]), number(places[n][1]), near.listed(n) or "none")
            for n in range(len(places))
        ]
        return Table("points and their nearest", columns, tuple(rows))


class _Names:
    """Names beside points: in the first of six places where it covers neither a name nor a point; none when there is no such place."""

    def __init__(self, chart: Chart, points: list[tuple[float, float]]):
        self.chart, self.points, self.taken = chart, points, []

    def beside(self, at: tuple[float, float], name: str) -> Mark | None:
        (x, y), width = at, len(name) * 7.2 + 2
        for left, base in ((10, 4), (-10 - width, 4), (-width / 2, -11), (-width / 2, 20), (8, -8), (8, 17)):
            box = (x + left, y + base - 10, x + left + width, y + base + 3)
            if self._free(box, at):
                self.taken.append(box)
                return scene.text(x + left, y + base, name)
        return None

    def _free(self, box, at):
        x0, y0, x1, y1 = box
        if x0 < self.chart.left or x1 > self.chart.left + self.chart.width + 14 or y0 < self.chart.top or y1 > self.chart.top + self.chart.height:
            return False
        if any(x0 < other[2] and other[0] < x1 and y0 < other[3] and other[1] < y1 for other in self.taken):
            return False
        return not any(x0 - 4 < px < x1 + 4 and y0 - 4 < py < y1 + 4 for px, py in self.points if (px, py) != at)
