"""How small should h be? The error of a measured slope over h, for each way to measure and each size of float: a V.

From the right the error falls with h, because the curve bends less over a shorter step (truncation); from the left it rises,
because the values of f are rounded and their difference is divided by h (rounding).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import WrongObject
from . import scene, still
from .chart import CHAR, Chart, Scale, number
from .one_number import one_number
from .palette import SERIES
from .scene import Frame, Steps, Table, View

FLOATS = ("float64", "float32")
HEIGHT = 300.0
LIMIT = 2  # ways of measuring: each has a curve for each size of float, and there are five looks


def stencil(*points: tuple[float, float]) -> Callable:
    """A way of measuring a slope: the sum of weight * f(x + place * h) over (place, weight), over h."""
    return lambda f, x, h: sum(type(h)(weight) * f(x + type(h)(place) * h) for place, weight in points) / h


METHODS: Mapping[str, Callable] = {"forward": stencil((1, 1), (0, -1)), "central": stencil((1, 0.5), (-1, -0.5))}


def v_curve(f: Callable, slope: Any, x: float = 1.0, methods: Mapping[str, Callable] | None = None, steps: Sequence[float] | None = None) -> None:
    """Show the error of forward and central differences of ``f`` at ``x`` over the step h, in float64 and in float32.

    v_curve(np.sin, np.cos, x=1.0)
    v_curve(np.sin, np.cos, methods={"mine": forward_difference, "central": central_difference})

    f       : a function of one number; it is called with numpy.float64 and numpy.float32 numbers and must compute in the float it is
              given. If it does not (math.sin computes in float64 always) there is no float32 curve, and the picture says so
    slope   : the true slope at x, a number, or the function that gives it
    methods : {name: measure(f, x, h) -> slope}, one or two; the textbook's forward and central difference by default
    steps   : values of h, each above 0; 1, 0.1, ... 1e-15 by default

    Raises WrongObject when f or a method gives no number, ValueError for x, slope or steps that are not finite or not above 0.
    """
    still.show(v_curve_view(f, slope, x, methods, steps))


def v_curve_view(f: Callable, slope: Any, x: float = 1.0, methods: Mapping[str, Callable] | None = None, steps: Sequence[float] | None = None) -> View:
    """The view that v_curve() shows: one frame for each h, from the smallest."""
    methods = METHODS if methods is None else methods
    if not callable(f):
        raise WrongObject(f"f must be a function of one number, such as np.sin, not {type(f).__name__}")
    if not isinstance(methods, Mapping) or not methods or not all(map(callable, methods.values())):
        raise WrongObject("methods must be a dict of functions measure(f, x, h), by name")
    if len(methods) > LIMIT:
        raise ValueError(f"at most {LIMIT} methods fit into one picture, not {len(methods)}")
    x = one_number(x, "x")
    true = one_number(slope(x) if callable(slope) else slope, "slope")
    hs = sorted({one_number(h, "each of steps") for h in ([10.0**-k for k in range(16)] if steps is None else steps)})
    if not (math.isfinite(x) and math.isfinite(true)):
        raise ValueError(f"x and the true slope must be finite numbers: x is {x}, the slope {true}")
    if not hs or not all(0 < h < math.inf for h in hs):
        raise ValueError("steps must hold numbers above 0")

    curves: list[Curve] = []
    missing = []
    for size in FLOATS:
        for name, method in methods.items():
            problem = _computes_in_another_float(f, method, name, x, size)
            if problem:
                missing.append(problem)
            else:
                curves.append(Curve(scene.plain(f"{name}, {size}", 30), size, [_error(method, f, x, h, size, true) for h in hs]))
    return _drawn(f, x, true, hs, curves, list(dict.fromkeys(missing)))


class Curve:
    """Errors of one method in one float, in the order of the steps; nan where there was no number."""

    def __init__(self, name: str, size: str, errors: list[float]):
        self.name, self.size, self.errors = name, size, errors
        finite = [n for n, error in enumerate(errors) if math.isfinite(error)]
        self.best = min(finite, key=lambda n: errors[n], default=None)

    def side(self, n: int, x: float, h: float) -> str:
        """What the error at step number n is made of."""
        if not math.isfinite(self.errors[n]):
            return "no number"
        if _lost(x, h, self.size):
            return "h is lost: x + h is x"
        if n == self.best:
            return "best"
        return "rounding" if n < (self.best or 0) else "truncation"


def _numpy_float(size):
    import numpy as np

    return np.float64 if size == "float64" else np.float32


def _lost(x, h, size):
    kind = _numpy_float(size)
    return bool(kind(x) + kind(h) == kind(x) == kind(x) - kind(h))


def _computes_in_another_float(f, method, name, x, size):
    """Why a curve in this float would not be true, or nothing. Raises WrongObject when nothing can be computed at all."""
    import numpy as np

    kind = _numpy_float(size)
    for what, call in ((f"{_name(f)}(x)", lambda: f(kind(x))), (f"the slope of {name}", lambda: method(f, kind(x), kind(2.0**-3)))):
        try:
            with np.errstate(all="ignore"):
                value = call()
        except Exception as problem:  # the function is the student's
            raise WrongObject(f"{what} at x = {number(x)} as numpy.{size} raised {type(problem).__name__}: {problem}") from problem
        one_number(value, what)
        found = str(getattr(value, "dtype", type(value).__name__)).removeprefix("torch.")
        if found != size and not (size == "float64" and found in ("float", "int")):
            return f"no {size} curve of {name if 'slope' in what else _name(f)}: given {size}, {what} is {found}, so the computation is not in {size}"
    return ""


def _error(method, f, x, h, size, true):
    import numpy as np

    kind = _numpy_float(size)
    try:
        with np.errstate(all="ignore"):
            return abs(one_number(method(f, kind(x), kind(h)), "a slope") - true)
    except Exception:  # outside of f's domain: a gap
        return math.nan


def _name(f):
    name = getattr(f, "__name__", "f")
    return scene.plain(name, 20) if isinstance(name, str) and name.isidentifier() else "f"


def _drawn(f, x, true, hs, curves, missing):
    positive = [e for curve in curves for e in curve.errors if e > 0 and math.isfinite(e)]
    plot = Chart("step h", "error of the slope", Scale.over(hs, log=True), Scale.over(positive, log=True, room=0.12), height=HEIGHT)
    # an error of exactly 0 has no place on a log scale: it lies on the lower edge
    place = [[plot.y.low if error == 0 else error for error in curve.errors] for curve in curves]
    marks = plot.axes()
    for n, curve in enumerate(curves):
        marks += plot.lines(hs, place[n], SERIES[n])
        marks += plot.dots(
            hs, place[n], SERIES[n], 3.5, [f"{curve.name}, h = {number(h)}: error {number(e, 3)}" for h, e in zip(hs, curve.errors, strict=True)]
        )
    best = [(hs[curve.best], place[n][curve.best]) for n, curve in enumerate(curves) if curve.best is not None]
    marks.append(scene.dots([plot.at(h, y) for h, y in best], "ink", 2, [f"best h of {curve.name}" for curve in curves if curve.best is not None]))
    for h, y in best:
        px, py = plot.at(h, y)
        marks.append(scene.text(px, py + 16, number(h), "middle", size=11, bold=True))
    marks += plot.legend([(SERIES[n], curve.name) for n, curve in enumerate(curves)])
    wide = plot.left + sum(56 + len(curve.name) * CHAR for curve in curves)  # the legend may be wider than the plot

    frames = []
    for k, h in enumerate(hs):
        px = plot.at(h, plot.y.low)[0]
        moving = [scene.line([(px, plot.top), (px, plot.top + plot.height)], "ink", 1)]
        for n, curve in enumerate(curves):
            moving += plot.dots([h], [place[n][k]], SERIES[n], 6, [f"{curve.name}: error {number(curve.errors[k], 3)}"])
        said = "; ".join(f"{curve.name} {number(curve.errors[k], 2)} ({curve.side(k, x, h)})" for curve in curves)
        rows = tuple((curve.name, number(curve.errors[k], 6), curve.side(k, x, h)) for curve in curves)
        frames.append(
            Frame(
                f"h = {number(h)}", f"h = {number(h)}, error: {said}.", tuple(moving), Table(f"errors at h = {number(h)}", ("slope", "error", "mainly"), rows)
            )
        )

    said = "; ".join(f"{c.name}: best h {number(hs[c.best])}, error {number(c.errors[c.best], 2)}" for c in curves if c.best is not None)
    summary = ". ".join([said or "No step gave a number", *missing]) + "."
    width, height = plot.size
    table = Table(
        "best step of each curve",
        ("slope", "best h", "error"),
        tuple((c.name, number(hs[c.best]), number(c.errors[c.best], 3)) for c in curves if c.best is not None),
    )
    title = f"Error of the measured slope: {_name(f)} at x = {number(x)}, true slope {number(true, 6)}"
    return View("v-curve", title, summary, max(width, wide), height, tuple(marks), (Steps("h", tuple(frames)),), table)
