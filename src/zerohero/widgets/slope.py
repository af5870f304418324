"""The slope explorer: drag a point along the student's own function, and the step h along a ruler."""

from collections.abc import Callable

from ..viz import still
from ..viz.slope import SMALLEST, Slope, checked_range
from . import can_be_live


def slope_explorer(
    f: Callable[[float], float],
    x: float = 1.0,
    h: float = 1.0,
    low: float | None = None,
    high: float | None = None,
    df: Callable[[float], float] | None = None,
) -> None:
    """Show the secant of ``f`` from x to x + h beside the tangent at x; in a running notebook x and h can be dragged.

    slope_explorer(math.sin, x=1.0, h=0.5, low=-4, high=4)

    f         : a function of one float that returns one number. Where it raises or returns nan the curve has a gap
    x, h      : where to begin; h is above 0
    low, high : ends of the x axis; 3 to the left and right of x by default
    df        : the exact slope, a function as f. Without it the tangent is measured by a central difference

    Without a kernel the picture steps through h = 1, 0.1, 0.01, ...
    Raises WrongObject when f is no function or gives a number nowhere, ValueError when x is not between low and high, or h is not above 0.
    """
    x, h, low, high = checked_range(x, h, low, high)
    slope = Slope(f, low, high, df)
    if not can_be_live():
        still.show(slope.stepped(x, h))
        return
    from IPython.display import display

    from .live import LiveView

    at = {"x": x, "h": h}

    def drag(name, value):
        at[name] = value  # clamped below: the page may send any finite number
        at["x"], at["h"] = min(max(at["x"], low), high), min(max(at["h"], SMALLEST), slope.top)
        return slope.live(at["x"], at["h"])

    live = LiveView(slope.stepped(x, h), drag=drag)
    live.show(slope.live(x, h))
    display(live)
