"""The curve of a range test: loss over learning rate, with the rates worth trying."""

import math
from typing import Any

from ..errors import WrongObject
from . import scene, still
from .chart import Chart, Scale, number
from .scene import Frame, Steps, Table, View

FRAMES = 24
ALL_TRIED = "all rates tried"  # how a range test ends that never saw the loss leave
HEIGHT = 280.0


def range_curve(found: Any) -> None:
    """Show a range test: the loss of each step, the smoothed curve, the region worth trying and the rate at which the loss turns.

    range_curve(lr_range_test(step))

    found: zerohero.recipe.RangeTest, or any object with its rates, losses and smoothed (float[steps]), region, turns and ended.
    Raises WrongObject when one of them is missing.
    """
    still.show(range_curve_view(found))


def range_curve_view(found: Any) -> View:
    """The view that range_curve() shows: about FRAMES frames, from the lowest rate."""
    for name in ("rates", "losses", "smoothed", "region", "turns", "ended"):
        if not hasattr(found, name):
            raise WrongObject(f"range_curve() shows what lr_range_test() returns; this {type(found).__name__} has no .{name}")
    rates, losses, smoothed = ([float(n) for n in getattr(found, name)] for name in ("rates", "losses", "smoothed"))
    if not rates or not len(rates) == len(losses) == len(smoothed):
        raise WrongObject(f"rates, losses and smoothed must be equally long, and not empty: they have {len(rates)}, {len(losses)} and {len(smoothed)} numbers")
    (low, high), turns = found.region, float(found.turns)

    plot = Chart("learning rate (log scale)", "loss", Scale.over(rates, log=True, room=0.02), _upright(losses, smoothed), height=HEIGHT)
    left, right = plot.at(low, plot.y.low)[0], plot.at(high, plot.y.low)[0]
    if right - left < 4:  # a region of one step is still to be seen
        left, right = left - 2, right + 2
    top, bottom = plot.top, plot.top + plot.height
    turn = plot.at(turns, plot.y.low)[0]
    marks = [
        *plot.axes(),
        scene.area([(left, top), (right, top), (right, bottom), (left, bottom)], "series0"),
        *plot.lines(rates, losses, "series2", 1.5),
        *plot.lines(rates, smoothed, "series0", 2.5),
        scene.line([(turn, top), (turn, bottom)], "series3", 2),
        scene.text(min(max((left + right) / 2, plot.left + 40), plot.left + plot.width - 40), top + 14, "worth trying", "middle", size=11),
        *plot.legend([("series2", "loss of each step"), ("series0", "smoothed"), ("series3", "lowest")]),
    ]
    picked = sorted({round(k * (len(rates) - 1) / max(1, FRAMES - 1)) for k in range(FRAMES)})
    frames = tuple(_frame(plot, rates[n], losses[n], smoothed[n], low, high) for n in picked)
    rows = (
        ("try rates from", number(low)), ("to", number(high)), ("the smoothed loss is lowest at", number(turns)),
        ("loss at the first rate", number(smoothed[0])), ("lowest smoothed loss", number(min(smoothed))), ("steps", str(len(rates))), ("ended", str(found.ended)),
    )  # fmt: skip
    if low == high == rates[0]:
        advice = "The loss grows from the start: begin with a lower rate"
    elif high == rates[-1] and found.ended == ALL_TRIED:
        advice = f"Try rates from {number(low, 2)} on; none up to {number(high, 2)} was too large: end with a higher one"
    else:
        advice = (
            f"Try rates from {number(low, 2)} to {number(high, 2)}. The smoothed loss is lowest at {number(turns, 2)}, from there on the steps are too long"
        )
    summary = f"{advice}. {len(rates)} steps: {found.ended}."
    width, height = plot.size
    start = min(range(len(picked)), key=lambda k: abs(math.log(rates[picked[k]] / turns)))
    return View(
        "range-curve",
        "Range test: which learning rate?",
        summary,
        width,
        height,
        tuple(marks),
        (Steps("learning rate", frames, start),),
        Table("range test", ("what", "value"), rows),
    )


def _frame(plot, rate, loss, smoothed, low, high):
    where = "below the region: little happens" if rate < low else "above the region: the steps are too long" if rate > high else "in the region worth trying"
    px = plot.at(rate, plot.y.low)[0]
    marks = [
        scene.line([(px, plot.top), (px, plot.top + plot.height)], "ink", 1),
        *plot.dots([rate], [smoothed], "series0", 6, [f"{number(rate)}: {number(smoothed)}"]),
    ]
    return Frame(f"rate {number(rate, 3)}", f"Rate {number(rate, 3)}: loss {number(loss)}, smoothed {number(smoothed)}; {where}.", tuple(marks))


def _upright(losses, smoothed):
    """The scale of the loss. At the end it may leave for the sky: what matters is the valley."""
    start, lowest = smoothed[0], min(smoothed)
    top = lowest + 2.5 * (start - lowest) if start > lowest else max(losses)
    return Scale.over([n for n in (*losses, *smoothed) if n <= top] + [lowest, start])
