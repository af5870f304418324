"""The slope of a function at a point: the secant through x and x + h, beside the tangent at x.

The curve is evaluated once; what moves with x and h are a few more values of the function.
"""

import math
from collections.abc import Callable
from typing import Any

from ..errors import WrongObject
from . import scene
from .chart import LEFT, Chart, Scale, number
from .one_number import one_number
from .scene import Frame, Mark, Steps, Table, View

POINTS = 240  # of the curve
SMALLEST = 1e-15  # step that the ruler of h reaches down to: near 1, anything smaller is lost in a float64
CENTRAL = 6e-6  # step of the tangent: about the cube root of the float64 epsilon, where the two errors of a central difference balance
CORNER = 1e-4, 1e-5  # steps at which the slopes to the right and to the left are compared
STEPS = tuple(10.0**-k for k in range(13))  # of the still form
EPSILON = 2.0**-52
HEIGHT = 240.0
RULER = 66.0  # px below the plot, for the ruler of h


def slope_view(f: Callable, x: float = 1.0, h: float = 1.0, low: float | None = None, high: float | None = None, df: Callable | None = None) -> View:
    """The still form: the secant at ``x`` for h = 1, 0.1, 0.01, ... and for ``h``. Parameters and errors as slope_explorer()."""
    x, h, low, high = checked_range(x, h, low, high)
    return Slope(f, low, high, df).stepped(x, h)


def checked_range(x, h, low, high) -> tuple[float, float, float, float]:
    """(x, h, low, high) as floats; 3 to both sides of x by default. Raises ValueError."""
    x, h = one_number(x, "x"), one_number(h, "h")
    low = x - 3 if low is None else one_number(low, "low")
    high = x + 3 if high is None else one_number(high, "high")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"low must be below high, both finite: low is {low}, high is {high}")
    if not low <= x <= high:
        raise ValueError(f"x = {x} is not between low = {low} and high = {high}")
    if not 0 < h < math.inf:
        raise ValueError(f"h must be a number above 0, not {h}")
    return x, h, low, high


class Slope:
    """A function between ``low`` and ``high``, evaluated at POINTS + 1 points when this is made.

    f: float -> float; where it raises or gives nan, the curve has a gap. df: its exact slope, float -> float.
    Raises WrongObject when f gives a number nowhere.
    """

    def __init__(self, f: Callable[[float], Any], low: float, high: float, df: Callable[[float], Any] | None = None):
        for name, given in (("f", f), ("df", df)):
            if not callable(given) and (name == "f" or given is not None):
                raise WrongObject(f"{name} must be a function of one number, such as math.sin, not {type(given).__name__}")
        self.f, self.df, self.low, self.high = f, df, low, high
        name = getattr(f, "__name__", "f")
        self.name = scene.plain(name, 20) if isinstance(name, str) and name.isidentifier() else "f"
        self._problem = ""
        self.xs = [low + (high - low) * k / POINTS for k in range(POINTS + 1)]
        self.ys = [self.value(x) for x in self.xs]
        finite = [y for y in self.ys if math.isfinite(y)]
        if not finite:
            raise WrongObject(f"{self.name} has no value between {number(low)} and {number(high)}: {self._problem or 'it is nan or infinite everywhere'}")
        self.gaps = len(self.ys) - len(finite)
        self.top = max(1.0, high - low)  # largest h of the ruler
        self.plot = Chart("x", f"{self.name}(x)", Scale(low, high), _upright(finite), height=HEIGHT)

    def value(self, x: float) -> float:
        """f(x), or nan where it has none."""
        return self._called(self.f, x)

    def _called(self, f, x):
        import numpy as np

        try:
            with np.errstate(all="ignore"):  # outside of its domain a function may warn at each point
                return one_number(f(x), f"the value of {self.name}")
        except Exception as problem:  # the function is the student's: whatever it raises is a gap, and said
            self._problem = self._problem or f"at {number(x)} it raised {type(problem).__name__}: {problem}"
            return math.nan

    def tangent(self, x: float) -> tuple[float, str]:
        """(slope at x, how it was found or why there is none). The slope is nan where there is none."""
        if self.df is not None:
            slope = self._called(self.df, x)
            return slope, "exact" if math.isfinite(slope) else "df has no value here"
        h = CENTRAL * max(1.0, abs(x))
        slope = (self.value(x + h) - self.value(x - h)) / (2 * h)
        if not math.isfinite(slope):
            return math.nan, f"{self.name} is not defined on both sides of x"
        if self._has_corner(x):
            return math.nan, f"{self.name} has a corner or a jump at x"
        return slope, f"central difference with h = {number(h)}"

    def _has_corner(self, x):
        """Slopes to the right and to the left approach each other as h falls, unless there is a corner."""
        y, apart = self.value(x), []
        for h in CORNER:
            h *= max(1.0, abs(x))
            apart.append(abs((self.value(x + h) - y) / h - (y - self.value(x - h)) / h))
        noise = 100 * EPSILON * max(1.0, abs(y)) / (CORNER[1] * max(1.0, abs(x)))
        return apart[1] > max(0.5 * apart[0], noise)

    # ---- pictures ----------------------------------------------------------------------------------------------------

    def stepped(self, x: float, h: float) -> View:
        """For a notebook without its kernel: one frame for each h, the given one first to be seen."""
        steps = sorted({*STEPS, h}, reverse=True)
        frames = tuple(Frame(f"h = {number(step)}", *self._moving(x, step)) for step in steps)
        width, height = self.plot.size
        return View(
            "slope",
            self._title(x),
            self._summary(x, "Step through h, from large to small"),
            width,
            height,
            tuple(self._still()),
            (Steps("h", frames, steps.index(h)),),
        )

    def live(self, x: float, h: float) -> View:
        """With a handle for x on the curve, and one for h on a ruler below."""
        says, marks, table = self._moving(x, h)
        px, py = self.plot.at(x, self.value(x))
        if not math.isfinite(py):
            py = self.plot.top + self.plot.height
        left, right = self.plot.left, self.plot.left + self.plot.width
        x_handle = scene.handle("x", px, self.plot.inside(py), x, self.low, self.high, (left, right))
        width, height = self.plot.size
        frame = Frame("now", says, (*marks, x_handle, self._h_handle(h, height)), table)
        still = (*self._still(), *self._ruler(height))
        return View(
            "slope",
            self._title(x),
            self._summary(x, "Drag the point along the curve, and h along its ruler"),
            width,
            height + RULER - 20,
            still,
            (Steps("now", (frame,)),),
        )

    def _title(self, x):
        return f"Slope of {self.name} at x = {number(x)}"

    def _summary(self, x, do):
        slope, how = self.tangent(x)
        known = f"The tangent has slope {number(slope, 6)} ({how})" if math.isfinite(slope) else f"There is no tangent: {how}"
        return f"{known}. {do}.{self._said_gaps()}"

    def _said_gaps(self):
        return f" {self.name} has no value at {self.gaps} of {len(self.ys)} points{f': {self._problem}' if self._problem else ''}." if self.gaps else ""

    def _still(self) -> list[Mark]:
        # beyond the scale there is a gap, so that no line joins the two sides of a pole
        inside = [y if self.plot.y.low <= y <= self.plot.y.high else math.nan for y in self.ys]
        legend = self.plot.legend([("series0", self.name), ("series1", "secant"), ("series3", "tangent")])
        return [*self.plot.axes(), *legend, *self.plot.lines(self.xs, inside, "series0", 2.5)]

    def _moving(self, x, h):
        """(sentence, marks, table) of the secant from x to x + h and the tangent at x."""
        beyond = x + h
        y0, y1 = self.value(x), self.value(beyond)
        secant = (y1 - y0) / h
        slope, how = self.tangent(x)
        error = abs(secant - slope)
        marks: list[Mark] = []
        if math.isfinite(slope) and math.isfinite(y0):
            marks += self._through(x, y0, slope, "series3", 2.0)
        if math.isfinite(secant):
            marks += self._through(x, y0, secant, "series1", 2.0)
        marks += self.plot.dots(
            [x, beyond], [y0, y1], "series1", 4.5, [f"x = {number(x, 6)}: {number(y0, 6)}", f"x + h = {number(beyond, 6)}: {number(y1, 6)}"]
        )
        rows = (
            ("x", number(x, 6)), ("h", number(h, 6)), (f"{self.name}(x)", number(y0, 10)), (f"{self.name}(x + h)", number(y1, 10)),
            ("slope of the secant", number(secant, 10)), (f"slope of the tangent, {how}", number(slope, 10)), ("difference", number(error, 3)),
        )  # fmt: skip
        return self._sentence(x, h, secant, slope, how, error), tuple(marks), Table("the two slopes", ("what", "value"), rows)

    def _sentence(self, x, h, secant, slope, how, error):
        if not math.isfinite(secant):
            where = x if not math.isfinite(self.value(x)) else x + h
            return f"h = {number(h)}: {self.name} has no value at {number(where)}, so there is no secant."
        lost = f" x + h is x: a step this small is lost in rounding, and the secant has slope {number(secant)}." if x + h == x else ""
        if not math.isfinite(slope):
            return f"h = {number(h)}: the secant has slope {number(secant, 6)}. There is no tangent: {how}.{lost}"
        off = f"the secant is off by {number(error, 3)}"
        return f"h = {number(h)}: the secant has slope {number(secant, 6)}, the tangent {number(slope, 6)}: {off}.{lost}"

    def _through(self, x, y, slope, look, width):
        """The line through (x, y), as far as it lies in the plot."""
        ends = [self.low, self.high]
        if slope != 0:
            ends += [x + (edge - y) / slope for edge in (self.plot.y.low, self.plot.y.high)]
        height = self.plot.y.high - self.plot.y.low
        points = []
        for end in sorted(ends):
            at = y + slope * (end - x)
            if self.low <= end <= self.high and self.plot.y.low - 1e-6 * height <= at <= self.plot.y.high + 1e-6 * height:
                points.append(self.plot.at(end, at))
        return [scene.line([points[0], points[-1]], look, width)] if len(points) > 1 else []

    def _ruler(self, top):
        scale = Scale(SMALLEST, self.top, log=True)
        left, right = LEFT, LEFT + self.plot.width
        marks = [scene.line([(left, top), (right, top)], "ink", 1), scene.text(left - 12, top + 4, "h", "end", bold=True)]
        for tick in scale.ticks(8):
            px = left + scale.share(tick) * (right - left)
            marks += [scene.line([(px, top - 4), (px, top + 4)], "ink", 1), scene.text(px, top + 22, number(tick), "middle", size=11)]
        return marks

    def _h_handle(self, h, top):
        shown = min(max(h, SMALLEST), self.top)
        left, right = LEFT, LEFT + self.plot.width
        px = left + Scale(SMALLEST, self.top, log=True).share(shown) * (right - left)
        return scene.handle("h", px, top, shown, SMALLEST, self.top, (left, right), log=True)


def _upright(finite):
    """The scale of y. A pole would leave the rest of the curve flat: where few values are far out, the scale is that of the others."""
    ordered = sorted(finite)
    low, high = ordered[len(ordered) // 20], ordered[-1 - len(ordered) // 20]
    room = 0.5 * (high - low)
    if high > low and ordered[-1] - ordered[0] > 10 * (high - low):
        return Scale(low - room, high + room)
    return Scale.over(ordered, room=0.1)
