"""Histograms of what layers put out, and of the gradients that come back: is a layer saturated, dead, or about to fade out?

activations({"tanh 1": h1, "tanh 2": h2})        # one step
activations([at_step_0, at_step_100, ...])       # a list of such dicts: to step through
gradients(recorder)                              # a LayerRecorder: of torch modules
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import WrongObject
from . import scene, still
from .chart import LARGEST, Chart, Scale, number
from .layer_recorder import LayerRecorder, Record
from .layer_values import LayerValues, kind_of, measure, percent
from .palette import SERIES
from .scene import Frame, Mark, Steps, Table, View, plain

TOGETHER = len(SERIES)  # layers in one chart; more stand in small charts of their own
MOST = 24  # layers
OUTLINES = 48  # drawn in all steps together: the JSON of one is about 1 kB
STEPS = 20
BINS, FEW_BINS = 40, 24  # at most, in a large and in a small chart; at least half as many
SMALL = (210.0, 84.0)  # px of a small chart
ACROSS = 3  # of them in a row
NAME = 24  # characters of a layer's name


def activations(layers: Any, steps: Sequence[Any] | None = None, kinds: Mapping[str, str] | None = None) -> None:
    """Show what layers put out, as a histogram of each, with its mean, spread, saturated and dead share.

    activations({"tanh 1": h1, "tanh 2": h2})

    layers: {name: array of floats, axis 0 the examples, the last axis the units}; or a list of such dicts, one for each of ``steps`` of
    training; or a LayerRecorder. A tanh is saturated beyond -0.97 and 0.97, a sigmoid beyond 0.03 and 0.97; a unit is dead when it is so
    on every example, a ReLU unit when it is 0 on every example. kinds: {"h1": "tanh"} says what a layer is ("tanh", "sigmoid", "relu" or
    ""), where its name does not. Raises WrongObject for what is no such dict.
    """
    still.show(activations_view(layers, steps, kinds))


def gradients(layers: Any, steps: Sequence[Any] | None = None) -> None:
    """Show the gradients of what layers put out, or of parameters, as a histogram of each, with its mean and spread.

    gradients({"tanh 1": dh1, "tanh 2": dh2})

    layers: as in activations(). Of a torch tensor that asks for a gradient, its ``.grad`` is shown: call ``retain_grad()`` on what a
    layer puts out before ``backward()``. Raises WrongObject, as when there is no gradient yet.
    """
    still.show(gradients_view(layers, steps))


def activations_view(layers: Any, steps: Sequence[Any] | None = None, kinds: Mapping[str, str] | None = None) -> View:
    """As activations(), as a View. Of more than MOST layers the first are shown; of many steps some, evenly; the summary says so."""
    if isinstance(layers, LayerRecorder):
        records = layers.activations or _nothing(layers, "activations")
    else:
        records = _records(layers, steps, lambda name, values: measure(values, kind_of(name, kinds), f"layers[{name!r}]"))
    return _view("activations", "Activations", "activation", records)


def gradients_view(layers: Any, steps: Sequence[Any] | None = None) -> View:
    """As gradients(), as a View; cut as that of activations()."""
    if isinstance(layers, LayerRecorder):
        records = layers.gradients or _nothing(layers, "gradients")
    else:
        records = _records(layers, steps, lambda name, values: measure(_grad(values, name), "", f"layers[{name!r}]"))
    return _view("gradients", "Gradients", "gradient", records)


def _nothing(recorder, what):
    raise WrongObject(recorder.nothing(what))


def _grad(values, name):
    if not getattr(values, "requires_grad", False):
        return values
    kept = values.is_leaf or values.retains_grad  # torch warns when it is asked for a .grad that it does not keep
    grad = values.grad if kept else None
    if grad is None:
        todo = "call backward()" if kept else f"call {name if name.isidentifier() else 'its'}.retain_grad() before backward()"
        raise WrongObject(f"`layers[{name!r}]` has no gradient yet: {todo}")
    return grad


def _records(layers: Any, steps: Sequence[Any] | None, measured: Callable[[str, Any], LayerValues]) -> list[Record]:
    each = [layers] if isinstance(layers, Mapping) else list(layers) if isinstance(layers, (list, tuple)) else None
    if each is None or not all(isinstance(one, Mapping) for one in each):
        got = next((one for one in each or () if not isinstance(one, Mapping)), layers)
        what = f"holds an object of type {type(got).__name__}" if each else f"is an object of type {type(layers).__name__}"
        raise WrongObject(f"`layers` {what}; it must be a dict such as {{'tanh 1': h1}}, a list of such dicts, or a LayerRecorder")
    if steps is not None and len(steps) != len(each):
        raise WrongObject(f"`steps` has {len(steps)} names for {len(each)} dicts: it needs one for each")
    names = [str(step) for step in steps] if steps is not None else [str(n) for n in range(len(each))]
    return [(name, {str(layer): measured(str(layer), values) for layer, values in one.items()}) for name, one in zip(names, each, strict=True)]


def _view(kind: str, title: str, value: str, records: list[Record]) -> View:
    names = list(dict.fromkeys(name for _, layers in records for name in layers))
    if not names:
        return View(kind, title, "There are no layers to show.", 320, 40, (scene.text(8, 24, "no layers"),))
    notes = [f"the first {MOST} of {len(names)} layers are shown"] if len(names) > MOST else []
    names = names[:MOST]
    most = min(STEPS, max(3, OUTLINES // len(names)))
    if len(records) > most:
        notes.append(f"{most} of {len(records):,} steps are shown")
        records = [records[round(n * (len(records) - 1) / (most - 1))] for n in range(most)]
    drawing = _Drawing(names, [layers for _, layers in records], value)
    note = drawing.outside() + "".join(f" {one[0].upper()}{one[1:]}." for one in notes)
    if len(records) == 1:
        layers = records[0][1]
        summary = f"{_sentence(names, layers)}.{note}"
        return View(kind, title, summary, *drawing.size, marks=(*drawing.still, *drawing.moving(layers)), table=_table(names, layers))
    frames = tuple(
        Frame(f"step {step}", f"Step {step}: {_sentence(names, layers)}.", tuple(drawing.moving(layers)), _table(names, layers)) for step, layers in records
    )
    count = f"{len(names)} layer{'s' * (len(names) != 1)}"
    summary = f"{count} at {len(frames)} steps. At the end: {_sentence(names, records[-1][1])}.{note}"
    return View(kind, title, summary, *drawing.size, marks=tuple(drawing.still), steps=(Steps("step", frames, len(frames) - 1),))


def _sentence(names, layers):
    """What each layer is, or of many the one that is worst."""
    told = {name: layers[name] for name in names if name in layers}
    if len(told) <= 3:
        return "; ".join(f"{plain(name, NAME)}: {one.says}" for name, one in told.items())
    spread = {name: one for name, one in told.items() if math.isfinite(one.std)}
    parts = []
    if spread:
        narrow, wide = min(spread, key=lambda name: spread[name].std), max(spread, key=lambda name: spread[name].std)
        parts.append(f"std from {number(spread[narrow].std, 2)} ({plain(narrow, NAME)}) to {number(spread[wide].std, 2)} ({plain(wide, NAME)})")
    for words, kinds in (("saturated", ("tanh", "sigmoid")), ("zero", ("relu",))):
        shares = {name: one.extreme for name, one in told.items() if one.kind in kinds and one.extreme is not None}
        if shares:
            worst = max(shares, key=lambda name: shares[name])
            parts.append(f"at most {percent(shares[worst])} {words} ({plain(worst, NAME)})")
    dead = {name: one.dead for name, one in told.items() if one.dead}
    if any(one.dead is not None for one in told.values()):
        parts.append(f"{sum(dead.values())} of {sum(one.units or 0 for one in told.values())} units dead" + (f" ({', '.join(f'{count} in {plain(name, NAME)}' for name, count in list(dead.items())[:3])})" if dead else ""))  # fmt: skip
    odd = [plain(name, NAME) for name, one in told.items() if one.nans or one.infinities]
    return ", ".join(parts + ([f"NaN or infinite values in {', '.join(odd[:3])}"] if odd else []))


def _table(names, layers):
    rows = []
    for name in names:
        one = layers.get(name)
        if one is None:
            rows.append((name, *["not recorded"] * 8))
            continue
        figures = [number(figure) for figure in (one.mean, one.std, one.low, one.high)]
        share = "unknown" if one.extreme is None else f"{one.extreme:.2%}"
        dead = "unknown" if one.dead is None else f"{one.dead} of {one.units}"
        rows.append((name, f"{one.size:,}", *figures, share, dead, f"{one.nans + one.infinities:,}"))
    return Table("layers", ("layer", "values", "mean", "std", "lowest", "highest", "saturated, or 0 for a ReLU", "dead units", "NaN or infinite"), tuple(rows))


class _Drawing:
    """All steps and layers on one pair of scales."""

    def __init__(self, names: list[str], steps: list[dict[str, LayerValues]], value: str):
        self.names, self.steps, self.value = names, steps, value
        bulks = [bulk for layers in steps for one in layers.values() if (bulk := one.histogram.bulk())]
        self.low, self.high = (min(low for low, _ in bulks), max(high for _, high in bulks)) if bulks else (0.0, 1.0)
        self.together = len(names) <= TOGETHER
        bins = BINS if self.together else FEW_BINS
        across = self.high / bins - self.low / bins
        self.width = max([2.0 ** math.frexp(across)[1], *(one.histogram.width for layers in steps for one in layers.values() if one.size)])
        self.low = math.floor(self.low / self.width) * self.width
        self.high = math.ceil(self.high / self.width) * self.width
        highest = max((share for layers in steps for one in layers.values() for _, share in self.shares(one)), default=0.0)
        x, y = Scale(max(-LARGEST, self.low), min(LARGEST, self.high)), Scale.over([highest], zero=True)
        if self.together:
            self.charts = [Chart(value, f"share of values in a bin of {number(self.width, 3)}", x, y)] * len(names)
            self.size = self.charts[0].size
            legend = self.charts[0].legend([(look, plain(name, 18)) for look, name in zip(SERIES, names, strict=False)])
            self.still = [*self.charts[0].axes(), *legend]
            widest = max((mark["x"] + len(mark["text"]) * 7 for mark in legend if mark["mark"] == "text"), default=0)
            self.size = max(self.size[0], widest), self.size[1]
        else:
            wide, high = SMALL
            self.charts = [Chart("", "", x, y, wide, high, left=48 + n % ACROSS * (wide + 56), top=30 + n // ACROSS * (high + 66)) for n in range(len(names))]
            self.still = [mark for chart in self.charts for mark in chart.axes() if mark.get("text") != ""]
            last = self.charts[-1]
            self.size = 48 + ACROSS * (wide + 56), last.top + high + 46
            words = f"across: {value}; up: share of values in a bin of {number(self.width, 3)}"
            self.still.append(scene.text(self.size[0] / 2, last.top + high + 38, words, "middle"))

    def shares(self, one: LayerValues) -> list[tuple[int, float]]:
        """(bin, share of the values that are finite) of the bins in the picture that hold any."""
        histogram = one.histogram.wider(self.width) if one.histogram.counts.sum() else one.histogram
        total = max(1, int(histogram.counts.sum()))
        first, last = round(self.low / self.width), round(self.high / self.width)
        numbered = enumerate(histogram.counts.tolist(), histogram.first)
        return [(n, count / total) for n, count in numbered if count and first <= n < last]

    def moving(self, layers: dict[str, LayerValues]) -> list[Mark]:
        marks = []
        for n, (name, chart) in enumerate(zip(self.names, self.charts, strict=True)):
            one = layers.get(name)
            if not self.together:
                marks.append(scene.text(chart.left, chart.top - 8, plain(name, NAME), bold=True, size=11))
                marks.append(scene.text(chart.left + chart.width, chart.top - 8, _beside(one, name), "end", size=11))
            points = self.outline(chart, self.shares(one)) if one is not None else []
            if not points:
                continue
            marks.append(scene.line(points, SERIES[n] if self.together else SERIES[0], 2))
            if self.together:
                peak = min(points, key=lambda point: point[1])
                marks.append(scene.dots([(peak[0], peak[1])], SERIES[n], 4, [f"{plain(name, NAME)}: {one.says}"]))
        return marks

    def outline(self, chart: Chart, shares: list[tuple[int, float]]) -> list[tuple[float, float]]:
        """Steps over the bins, from the axis and back to it."""
        points: list[tuple[float, float]] = []
        ended = None
        for n, share in shares:
            left, right = ((round(x), round(y)) for x, y in (chart.at(edge * self.width, share) for edge in (n, n + 1)))  # whole px: half the JSON
            if n != ended:  # bins without a value lie between
                if ended is not None:
                    points.append((points[-1][0], chart.at(0, 0)[1]))
                points.append((left[0], chart.at(0, 0)[1]))
            points += [left, right]
            ended = n + 1
        return [*points, (points[-1][0], chart.at(0, 0)[1])] if points else []

    def outside(self) -> str:
        """Which values the picture leaves out, in words."""
        worst, share = "", 0.0
        for layers in self.steps:
            for name, one in layers.items():
                inside = sum(part for _, part in self.shares(one))
                if one.histogram.counts.sum() and name in self.names and 1 - inside > max(share, 1e-9):
                    worst, share = name, 1 - inside
        return f" Outside the picture lie at most {number(100 * share, 2)}% of the values of a layer ({plain(worst, NAME)})." if worst else ""


def _beside(one, name):
    if one is None:
        return "not recorded"
    room = max(0, 32 - len(plain(name, NAME)))
    said = [f"std {number(one.std, 2)}"]
    if one.extreme is not None:
        said.append(f"{percent(one.extreme)} {'zero' if one.kind == 'relu' else 'sat.'}")
    if one.dead:
        said.append(f"{one.dead} dead")
    if one.nans or one.infinities:
        said.insert(0, f"{one.nans + one.infinities} NaN or inf")
    while len(said) > 1 and len(", ".join(said)) > max(room, 9):
        said.pop()
    return ", ".join(said)
