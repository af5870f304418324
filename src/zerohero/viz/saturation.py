"""Which unit is saturated on which example: a column that is full is a unit that no example teaches anything.

saturation({"tanh 1": h1, "tanh 2": h2})
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import still
from .arrays import numbers_of
from .chart import number
from .layer_values import extremes, kind_of, percent, unit_axis
from .matrix import MOST, matrix, room
from .scene import Frame, Steps, Table, View, text

CELLS = 4096  # of all layers together: the JSON stays below 50 kB
LAYERS = 16
SIDE = 11.0  # px of a cell
LISTED = 10  # dead units that are named


def saturation(layers: Any, kinds: Mapping[str, str] | None = None) -> None:
    """Show for each layer which units are saturated (a ReLU: 0) on which examples.

    saturation({"tanh 1": h1, "tanh 2": h2})

    layers: {name: floats, axis 0 the examples, the last axis the units}, NumPy, torch or lists. kinds: {"h1": "tanh"} says what a layer
    is ("tanh", "sigmoid", "relu"), where its name does not. What counts as saturated: as in activations().
    Raises WrongObject when a layer is of no known kind or has no units.
    """
    still.show(saturation_view(layers, kinds))


def saturation_view(layers: Any, kinds: Mapping[str, str] | None = None) -> View:
    """As saturation(), as a View. Of many examples the first are drawn, of many units those that are saturated most often."""
    if not isinstance(layers, Mapping):
        raise WrongObject(f"`layers` is an object of type {type(layers).__name__}; it must be a dict such as {{'tanh 1': h1}}")
    if not layers:
        return View("saturation", "Saturation", "There are no layers to show.", 320, 40, (text(8, 24, "no layers"),))
    shown = list(layers.items())[:LAYERS]
    side = min(MOST, int((CELLS / len(shown)) ** 0.5))
    frames, sizes, rows = [], [], []
    for name, values in shown:
        frame, size, row = _layer(str(name), values, kind_of(str(name), kinds), side)
        frames.append(frame)
        sizes.append(size)
        rows.append(row)
    cut = f" The first {LAYERS} of {len(layers)} layers are shown." if len(layers) > LAYERS else ""
    dead = ", ".join(f"{row[3]} in {row[0]}" for row in rows[:5]) + (", ..." if len(rows) > 5 else "")
    table = Table("layers", ("layer", "examples", "units", "dead units", "saturated, or 0 for a ReLU", "numbers of the dead"), tuple(rows))
    size = max(width for width, _ in sizes), max(height for _, height in sizes)
    return View("saturation", "Saturation", f"Dead units: {dead}.{cut}", *size, steps=(Steps("layer", tuple(frames)),), table=table)


def _layer(name, values, kind, side):
    found = numbers_of(values, f"layers[{name!r}]").astype(float)
    marked = extremes(found, kind)
    if marked is None:
        raise WrongObject(f"`layers` has {name!r}, and its name does not say what it is: saturation(layers, kinds={{{name!r}: 'tanh'}}), or 'sigmoid', 'relu'")
    if found.ndim < 2 or not found.size:
        raise WrongObject(f"`layers[{name!r}]` has shape {found.shape}; it needs examples along axis 0 and units along the last axis, at least one of each")
    axis = unit_axis(found)
    units = found.shape[axis]
    found, marked = (np.moveaxis(array, axis, -1).reshape(-1, units) for array in (found, marked))
    share = marked.mean(axis=0)
    dead = np.flatnonzero(share == 1)
    picked = np.sort(np.argsort(-share, kind="stable")[:side])
    drawn, said = marked[:side, picked], found[:side, picked]
    word = "0" if kind == "relu" else "saturated"
    cut = f" Drawn: the first {len(drawn)} of {len(found):,} examples" * (len(drawn) < len(found))
    cut += f"{',' if cut else ' Drawn:'} the {len(picked)} of {units:,} units that are {word} most often" * (len(picked) < units)
    listed = ", ".join(map(str, dead[:LISTED])) + ", ..." * (len(dead) > LISTED)
    numbers = f" (number{'s' * (len(dead) > 1)} {listed})" if len(dead) else ""
    says = f"{name}: {percent(float(marked.mean()))} {word}; {len(dead)} of {units} units {word} on every example{numbers}.{cut}{'.' * bool(cut)}"
    lost = np.isnan(said)
    rows, heads = [f"example {n}" for n in range(len(drawn))], [f"unit {n}" for n in picked]
    left, above = room([str(len(rows))], [str(n) for n in picked], SIDE)
    words = [[number(value, 2) for value in row] for row in said.tolist()]
    at, size = (left + 66, above + 26), (SIDE, SIDE)
    marks = matrix(np.where(lost, np.nan, drawn), rows, heads, at=at, size=size, top=1.0, words=words)
    # every cell says its row and column in full; beside the picture their numbers are enough
    marks = [mark if mark["mark"] == "cells" else {**mark, "text": mark["text"].split()[-1]} for mark in marks]
    marks.append(text(at[0], 12, f"units of {name}; a full cell is {word}, a crossed one NaN"))
    marks.append(text(at[0] - 44, at[1] + len(rows) * SIDE / 2, "examples", "middle", turned=True))
    return (
        Frame(name, says, tuple(marks)),
        (max(360.0, at[0] + len(heads) * SIDE + 16), at[1] + len(rows) * SIDE + 12),
        (name, f"{len(found):,}", str(units), str(len(dead)), percent(float(marked.mean())), listed or "none"),
    )
