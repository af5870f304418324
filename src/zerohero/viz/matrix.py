"""Numbers as a field of cells, with their rows and columns called by name."""

import math
from collections.abc import Sequence

import numpy as np

from . import scene
from .chart import CHAR, number
from .palette import LEVELS
from .scene import Mark

MOST = 64  # rows or columns that make a readable picture, and a notebook of bearable size
LABEL = 14.0  # px that a label needs for itself


def levels(values: np.ndarray, scale: str = "sequential", top: float | None = None) -> list[list[int | None]]:
    """values: float[rows, columns]. 0..8 from 0 to ``top``, or -8..8 with scale "diverging"; None where a value is not finite.

    top: the value of full colour; the largest finite magnitude by default. A value that is not 0 never has level 0, however small.
    """
    values = np.asarray(values, dtype=float)
    if top is None:
        top = float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))

    def level(value):
        if not math.isfinite(value):
            return None
        if value == 0 or top == 0 or (value < 0 and scale == "sequential"):
            return 0
        return int(math.copysign(min(LEVELS, max(1, round(abs(value) / top * LEVELS))), value))

    return [[level(value) for value in row] for row in values.tolist()]


def matrix(
    values: np.ndarray,
    rows: Sequence[str],
    heads: Sequence[str],
    *,
    at: tuple[float, float],
    size: tuple[float, float],
    scale: str = "sequential",
    top: float | None = None,
    words: Sequence[Sequence[str]] | None = None,
    shown: bool = False,
    selects: str = "",
    read: Sequence[str] | None = None,
) -> list[Mark]:
    """values: float[rows, columns], at most MOST of each. at: upper left corner of the cells, in px; size: (width, height) of a cell.

    Names of rows stand to the left, right-aligned; those of columns above; every n-th where there is no room for all. words: what
    each cell says in place of the number. shown: numbers in the cells. selects: as in scene.cells. read: what rows are called
    when a cell is read, where that is not the name that is drawn. room() says what the names need.
    """
    values = np.asarray(values, dtype=float)
    (x, y), (width, height) = at, size
    said = words if words is not None else [[number(value) for value in row] for row in values.tolist()]
    marks = [scene.cells(x, y, size, levels(values, scale, top), said, rows=read or rows, heads=heads, scale=scale, shown=shown, selects=selects)]
    every = max(1, math.ceil(LABEL / height))
    marks += [scene.text(x - 6, y + (n + 0.5) * height + 4, name, "end", size=11) for n, name in enumerate(rows) if name and n % every == 0]
    wide = max((len(scene.plain(name)) for name in heads), default=0) * CHAR + 4
    turned = wide > width and width >= LABEL  # they do not fit beside each other: upright
    every = max(1, math.ceil((LABEL if turned or wide <= width else wide) / width))
    for n, name in enumerate(heads):
        if n % every == 0:
            middle = x + (n + 0.5) * width
            marks.append(scene.text(middle + (4 if turned else 0), y - 6, name, "start" if turned else "middle", size=11, turned=turned))
    return marks


def room(rows: Sequence[str], heads: Sequence[str], width: float) -> tuple[float, float]:
    """(px to the left, px above) that the names of rows and columns need, for cells ``width`` px wide."""
    left = max((len(scene.plain(name)) for name in rows), default=0) * CHAR + 10
    wide = max((len(scene.plain(name)) for name in heads), default=0) * CHAR + 4
    return left, (wide + 8 if wide > width and width >= LABEL else 18.0)
