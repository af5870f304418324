"""How large the gradient of each parameter is: where it fades out, where it explodes, and where there is none.

gradient_flow(model)                                  # a torch module
gradient_flow({"W1": dW1, "b1": db1})                 # arrays
gradient_flow({"layer 1": model.layers[0].parameters()})   # any objects with .grad
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import scene, still
from .arrays import numbers_of
from .chart import CHAR, Chart, Scale, number
from .scene import Frame, Mark, Steps, Table, View, plain

MOST = 40  # bars
MOST_STEPS = 20
ROW = 24.0  # px
NAME = 30  # characters of a name
WIDTH = 420.0


def gradient_flow(parameters: Any, steps: Sequence[Any] | None = None) -> None:
    """Show the mean and the largest magnitude of each parameter's gradient, as bars over powers of ten.

    gradient_flow({"W1": dW1, "b1": db1, "W2": dW2})

    parameters: a torch module, after backward(); or {name: gradient}, where a gradient is an array (NumPy, torch or lists), an object
    with ``.grad`` or a list of such objects; or such objects in a list; or a list of such dicts, one for each of ``steps``.
    Raises WrongObject for anything else.
    """
    still.show(gradient_flow_view(parameters, steps))


def gradient_flow_view(parameters: Any, steps: Sequence[Any] | None = None) -> View:
    """As gradient_flow(), as a View. Of more than MOST parameters the first are shown, of more than MOST_STEPS steps some, evenly."""
    several = isinstance(parameters, (list, tuple)) and bool(parameters) and all(isinstance(one, Mapping) for one in parameters)
    each = [_flows(one) for one in parameters] if several else [_flows(parameters)]
    if steps is not None and len(steps) != len(each):
        raise WrongObject(f"`steps` has {len(steps)} names for {len(each)} dicts: it needs one for each")
    labels = [str(step) for step in steps] if steps is not None else [str(n) for n in range(len(each))]
    names = list(dict.fromkeys(name for flows in each for name in flows))
    if not names:
        return View("gradient-flow", "Gradient flow", "There are no parameters to show.", 320, 40, (scene.text(8, 24, "no parameters"),))
    notes = f" The first {MOST} of {len(names):,} parameters are shown." if len(names) > MOST else ""
    if len(each) > MOST_STEPS:
        notes += f" {MOST_STEPS} of {len(each):,} steps are shown."
        kept = [round(n * (len(each) - 1) / (MOST_STEPS - 1)) for n in range(MOST_STEPS)]
        each, labels = [each[n] for n in kept], [labels[n] for n in kept]
    bars = _Bars(names[:MOST], each)
    if len(each) == 1 and not several:
        summary = f"{_sentence(each[0])}.{notes}"
        return View("gradient-flow", "Gradient flow", summary, *bars.size, marks=(*bars.still(), *bars.moving(each[0])), table=_table(each[0], names[:MOST]))
    frames = tuple(Frame(f"step {label}", f"Step {label}: {_sentence(flows)}.", tuple(bars.moving(flows)), _table(flows, names[:MOST])) for label, flows in zip(labels, each, strict=True))  # fmt: skip
    summary = f"{len(names)} parameters at {len(frames)} steps. At the end: {_sentence(each[-1])}.{notes}"
    return View("gradient-flow", "Gradient flow", summary, *bars.size, marks=tuple(bars.still()), steps=(Steps("step", frames, len(frames) - 1),))


@dataclass(frozen=True)
class Flow:
    """Magnitudes of one gradient; both None when there is none."""

    mean: float | None
    largest: float | None
    size: int

    @property
    def word(self) -> str:
        """What stands in the place of the bar: "none", "nan", "inf", "0", "empty"; "" where a bar can be drawn."""
        if self.mean is None:
            return "none"
        if not self.size:
            return "empty"
        return "" if math.isfinite(self.mean) and self.mean > 0 else number(self.mean)


def _flows(parameters: Any) -> dict[str, Flow]:
    if hasattr(parameters, "named_parameters"):
        return {str(name): _flow(one.grad, str(name)) for name, one in parameters.named_parameters()}
    if isinstance(parameters, Mapping):
        return {str(name): _flow(one, str(name)) for name, one in parameters.items()}
    if isinstance(parameters, Iterable) and not isinstance(parameters, (str, bytes, np.ndarray)) and not hasattr(parameters, "grad"):
        listed = list(parameters)
        if all(isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) for one in listed):
            # as model.named_parameters() gives them: a frozen parameter has no gradient, though it looks as a gradient does
            return {name: _flow(one.grad if _has_grad(one) else one, name) for name, one in listed}
        if all(_has_grad(one) for one in listed):
            labels = [getattr(one, "label", "") for one in listed]
            told = all(isinstance(label, str) and label for label in labels) and len(set(labels)) == len(labels)
            names = labels if told else [f"parameter {n}" for n in range(len(listed))]
            return {name: _flow(one.grad, name) for name, one in zip(names, listed, strict=True)}
    raise WrongObject(
        f"`parameters` is an object of type {type(parameters).__name__}; it must be a torch module, a dict such as {{'W1': dW1}}, or a list of objects with `.grad`"
    )


def _has_grad(obj):
    return hasattr(type(obj), "grad") or "grad" in getattr(obj, "__dict__", {})


def _flow(one: Any, name: str) -> Flow:
    called = f"parameters[{name!r}]"
    if one is None:
        return Flow(None, None, 0)
    if getattr(one, "requires_grad", False) or type(one).__name__ == "Parameter" or (_has_grad(one) and not hasattr(one, "detach")):
        kept = getattr(one, "is_leaf", True) or one.retains_grad  # torch warns when it is asked for a .grad that it does not keep
        return _flow(one.grad, name) if kept and one.grad is not one else Flow(None, None, 0)
    if isinstance(one, (list, tuple)) and one and all(_has_grad(part) and not hasattr(part, "detach") for part in one):
        grads = [part.grad for part in one]
        if all(grad is None for grad in grads):
            return Flow(None, None, 0)
        one = [0.0 if grad is None else grad for grad in grads]
    found = np.abs(numbers_of(one, called).astype(float))
    if not found.size:
        return Flow(math.nan, math.nan, 0)
    with np.errstate(over="ignore"):
        return Flow(float(found.mean()), float(found.max()), found.size)


def _sentence(flows):
    drawn = {name: flow for name, flow in flows.items() if not flow.word}
    parts = []
    if drawn:
        most, least = max(drawn, key=lambda name: drawn[name].mean), min(drawn, key=lambda name: drawn[name].mean)
        parts.append(f"Mean |gradient| from {number(drawn[least].mean, 2)} ({plain(least, NAME)}) to {number(drawn[most].mean, 2)} ({plain(most, NAME)})")
    for word, told in (("none", "no gradient"), ("0", "gradient 0"), ("nan", "gradient with NaN"), ("inf", "infinite gradient"), ("empty", "empty")):
        those = [plain(name, NAME) for name, flow in flows.items() if flow.word == word]
        if those:
            parts.append(f"{told}: {', '.join(those[:4])}{f' and {len(those) - 4} more' if len(those) > 4 else ''}")
    sentence = "; ".join(parts)
    return sentence[:1].upper() + sentence[1:]


def _table(flows, names):
    rows = []
    for name in names:
        flow = flows.get(name, Flow(None, None, 0))
        figures = ("none", "none") if flow.mean is None else (number(flow.mean), number(flow.largest))
        rows.append((name, *figures, f"{flow.size:,}"))
    return Table("gradients", ("parameter", "mean |gradient|", "largest |gradient|", "numbers"), tuple(rows))


class _Bars:
    """One row for each parameter, on one scale for all steps."""

    def __init__(self, names: list[str], steps: list[dict[str, Flow]]):
        self.names = names
        numbers = [n for flows in steps for name in names if (flow := flows.get(name)) and not flow.word for n in (flow.mean, flow.largest)]
        left = max(len(plain(name, NAME)) for name in names) * CHAR + 16
        self.chart = Chart("|gradient| (log scale)", "", Scale.over(numbers, log=True), Scale(0, len(names)), WIDTH, len(names) * ROW, left=max(left, 40.0))
        self.size = self.chart.size[0] + 60, self.chart.size[1]

    def still(self) -> list[Mark]:
        chart = self.chart
        rows = {round(chart.at(chart.x.low, n)[1], 1) for n in range(1, len(self.names) + 1)}
        # of the axes only what belongs to x: the rows have names
        marks = [mark for mark in chart.axes() if not self._of_y(mark, rows)]
        names = [scene.text(chart.left - 8, self.middle(n) + 4, plain(name, NAME), "end") for n, name in enumerate(self.names)]
        legend = [
            scene.rects([(chart.left, chart.top - 22, 26, 10)], "series0"), scene.text(chart.left + 34, chart.top - 12, "mean"),
            scene.dots([(chart.left + 100, chart.top - 17)], "series1", 4), scene.text(chart.left + 112, chart.top - 12, "largest"),
        ]  # fmt: skip
        return [*marks, *names, *legend]

    def _of_y(self, mark, rows):
        if mark["mark"] == "text":
            return mark.get("turned") or mark["anchor"] == "end"
        return len(mark["points"]) == 4 and mark["points"][1] == mark["points"][3]

    def middle(self, n: int) -> float:
        return self.chart.top + (n + 0.5) * ROW

    def moving(self, flows: dict[str, Flow]) -> list[Mark]:
        marks: list[Mark] = []
        left = self.chart.left
        boxes, dots, means, largest = [], [], [], []
        for n, name in enumerate(self.names):
            flow, y = flows.get(name, Flow(None, None, 0)), self.middle(n)
            if flow.word:
                marks.append(scene.text(left + 6, y + 4, flow.word, bold=True))
                continue
            end = self.chart.at(flow.mean, 0)[0]
            boxes.append((left, y - 6, max(1.0, end - left), 12))
            means.append(f"{plain(name, NAME)}: mean |gradient| {number(flow.mean)}")
            marks.append(scene.text(left + WIDTH + 8, y + 4, number(flow.mean, 2), size=11))
            if math.isfinite(flow.largest):
                dots.append((self.chart.at(flow.largest, 0)[0], y))
                largest.append(f"{plain(name, NAME)}: largest |gradient| {number(flow.largest)}")
        if boxes:
            marks.append(scene.rects(boxes, "series0", means))
        return [*marks, *([scene.dots(dots, "series1", 4, largest)] if dots else [])]
