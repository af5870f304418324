"""How far a step moves each parameter, compared with the parameter itself: log10 of std(update) / std(data), over the steps.

About -3 is a good size; far below, training hardly moves; far above, it may jump about (Karpathy, makemore, part 3).

ratios = UpdateRatios()
for step in range(1000):
    ...
    ratios.log({"W1": (-lr * dW1, W1), "W2": (-lr * dW2, W2)})
update_to_data(ratios)
"""

import math
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import scene, still
from .arrays import numbers_of
from .chart import Chart, Scale, number
from .palette import SERIES
from .scene import Table, View, plain

GUIDE = -3.0
DRAWN = len(SERIES)  # curves; the table has all
ROWS = 60
POINTS = 300  # of a curve
NAME = 18


class UpdateRatios:
    """A plain record of update:data ratios: 8 bytes for each parameter and step. It keeps no array."""

    def __init__(self) -> None:
        self.ratios: dict[str, array] = {}
        """std(update) / std(data) of each parameter, one number for each step; nan at steps where it was not logged."""
        self.steps = 0

    def log(self, pairs: Mapping[str, tuple[Any, Any]]) -> dict[str, float]:
        """Note one step; returns {name: ratio}. pairs: {name: (what is added to the parameter, the parameter)}, arrays of one shape.

        Of a single number, which has no spread, the ratio is that of the magnitudes. Raises WrongObject for what is no such pair.
        """
        if not isinstance(pairs, Mapping):
            raise WrongObject(f"log() needs a dict such as {{'W1': (update, data)}}, not an object of type {type(pairs).__name__}")
        noted = {str(name): _ratio(pair, str(name)) for name, pair in pairs.items()}
        for name in noted:
            if name not in self.ratios:
                self.ratios[name] = array("d", [math.nan] * self.steps)
        for name, kept in self.ratios.items():
            kept.append(noted.get(name, math.nan))
        self.steps += 1
        return noted


def _ratio(pair, name):
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise WrongObject(f"log() got for {name!r} an object of type {type(pair).__name__}; it needs a pair (update, data)")
    update, data = (numbers_of(one, f"{what} of {name}").astype(float) for one, what in zip(pair, ("update", "data"), strict=True))
    if update.shape != data.shape:
        raise WrongObject(f"log() got for {name!r} an update of shape {update.shape} and data of shape {data.shape}: they must have one shape")
    if not data.size:
        return math.nan
    with np.errstate(all="ignore"):  # infinite and undefined ratios are shown as such
        spread = (np.abs(update), np.abs(data)) if data.size == 1 else (np.std(update), np.std(data))
        return float(np.divide(*(np.float64(np.max(one)) for one in spread)))


def update_to_data(ratios: Any, logs: bool = False) -> None:
    """Show update:data ratios over the steps as their log10, with the guide line at -3.

    update_to_data({"W1": [1e-3, 2e-3], "W2": [1e-4, 1e-4]})

    ratios: an UpdateRatios, or {name: ratio at each step}, or a list of {name: ratio}, one dict for each step.
    logs: the numbers are log10 of the ratios already. Raises WrongObject, as for a ratio below 0.
    """
    still.show(update_to_data_view(ratios, logs))


def update_to_data_view(ratios: Any, logs: bool = False) -> View:
    """As update_to_data(), as a View. At most DRAWN curves of POINTS points are drawn, with every peak; the summary says so."""
    curves = {name: _logs(values, name, logs) for name, values in _by_name(ratios).items()}
    if not any(len(values) for values in curves.values()):
        return View("update-ratio", "Update to data", "There are no update:data ratios to show.", 320, 40, (scene.text(8, 24, "no ratios"),))
    drawn = dict(list(curves.items())[:DRAWN])
    steps = max(map(len, curves.values()))
    finite = [value for values in drawn.values() for value in values[np.isfinite(values)].tolist()]
    chart = Chart("step", "log10 of std(update) / std(data)", Scale(0, max(1, steps - 1)), Scale.over([GUIDE, *finite]))
    right = chart.left + chart.width
    guide = chart.at(0, GUIDE)[1]
    marks = [*chart.axes(), scene.line([(chart.left, guide), (right, guide)], "ink", 1), scene.text(right + 10, guide + 4, "-3", bold=True, size=11)]
    for look, (name, values) in zip(SERIES, drawn.items(), strict=False):
        marks += chart.lines(range(len(values)), values.tolist(), look, most=POINTS)
        known = np.flatnonzero(np.isfinite(values))
        if known.size:
            last = int(known[-1])
            marks += chart.dots([last], [values[last]], look, 4, [f"{plain(name, NAME)}, step {last}: {number(values[last], 3)}"])
    legend = chart.legend([(look, plain(name, NAME)) for look, name in zip(SERIES, drawn, strict=False)])
    widest = max(mark["x"] + len(mark["text"]) * 7 for mark in legend if mark["mark"] == "text")
    notes = f" Drawn: the first {DRAWN} of {len(curves)}; the table has {'all' if len(curves) <= ROWS else f'the first {ROWS}'}." if len(curves) > DRAWN else ""
    size = max(chart.size[0] + 16, widest), chart.size[1]
    return View("update-ratio", "Update to data", f"{_sentence(curves, steps)}.{notes}", *size, marks=(*marks, *legend), table=_table(curves))


def _by_name(ratios: Any) -> Mapping[str, Any]:
    if isinstance(ratios, UpdateRatios):
        return ratios.ratios
    if isinstance(ratios, Mapping):
        return {str(name): values for name, values in ratios.items()}
    if isinstance(ratios, (list, tuple)) and all(isinstance(one, Mapping) for one in ratios):
        names = dict.fromkeys(str(name) for one in ratios for name in one)
        return {name: [{str(key): value for key, value in one.items()}.get(name, math.nan) for one in ratios] for name in names}
    raise WrongObject(
        f"`ratios` is an object of type {type(ratios).__name__}; it must be an UpdateRatios, a dict such as {{'W1': [ratio at each step]}}, or a list of dicts"
    )


def _logs(values, name, logs):
    found = numbers_of(values, f"ratios[{name!r}]").astype(float)
    if found.ndim != 1:
        raise WrongObject(f"`ratios[{name!r}]` has shape {found.shape}; it must hold one number for each step")
    if logs:
        return found
    if np.any(found < 0):
        raise WrongObject(f"`ratios[{name!r}]` holds {number(found[found < 0][0])}, and a ratio is not below 0; say logs=True if these are log10 of ratios")
    with np.errstate(divide="ignore"):
        return np.log10(found)


def _sentence(curves, steps):
    told = []
    for name, values in list(curves.items())[:DRAWN]:
        last = values[-1] if len(values) else math.nan
        word = number(last, 3) if math.isfinite(last) else "-inf (no update)" if last == -math.inf else number(last)
        told.append(f"{plain(name, NAME)} {word}")
    return f"{steps:,} step{'s' * (steps != 1)}. log10 of update:data at the end: {', '.join(told)}; about -3 is a good size"


def _table(curves):
    rows = []
    for name, values in list(curves.items())[:ROWS]:
        finite = values[np.isfinite(values)]
        figures = [number(n, 3) for n in (finite[0], finite[-1], finite.min(), finite.max())] if finite.size else ["none"] * 4
        rows.append((name, *figures, f"{np.count_nonzero(values == -math.inf):,}", f"{np.count_nonzero(~np.isfinite(values) & (values != -math.inf)):,}"))
    columns = ("parameter", "first", "last", "lowest", "highest", "steps without an update", "steps that are NaN or infinite")
    return Table("log10 of update:data", columns, tuple(rows))
