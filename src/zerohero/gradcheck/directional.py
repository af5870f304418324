"""Slopes along a direction: central differences with Richardson extrapolation, in float64, each with its own error estimate.

D(h) = (f(x + hu) - f(x - hu)) / 2h has an error of order h^2, which (4 D(h/2) - D(h)) / 3 cancels (Richardson 1911). The
change that this makes, plus the rounding of f divided by h, is the estimate of the error. Where it is poor another h is
tried: smaller when the change is the larger part, larger when the rounding is. All h are powers of two, and directions are
rounded to what the inputs can hold, so that x + hu is exact: at x = 1e6 the rounding of x alone would cost five digits.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .forward import COMPLEX_STEP, Forward

START = 2.0**-13
STEP = 8.0
LARGEST = 2.0**-4
FINEST = 2.0**-27
"""Down to this t, x + t u is exact, if nothing else is asked for."""
SMALLER = 2.0**-29
"""Where to go on when no step of the usual size will do."""
NEAR = 2.0**-10
"""Times the way to where the first input changes its sign: far enough from the edge of log x, 1 / x or x / |x|."""
COARSE = 2.0**-20
"""A grid for u, which is about 1, that is coarser is chosen anew for each number."""
TINY = 1e-9  # of an argument's own size: a number that is smaller counts as 0 where kinks are looked for
EPS = float(np.finfo(np.float64).eps)
GOOD = 1e-9  # of the slope: a tenth of what the tolerance allows on top of the error
FLOOR = 2e-11  # of the size of the outputs: about what rounding leaves at the first step, where the slope is 0


@dataclass(frozen=True)
class Slope:
    """The derivative of sum(dout * forward(x + t u)) at t = 0."""

    value: float
    error: float
    """Estimated, absolute."""
    step: float
    """The h that gave it."""
    right: float
    """The one-sided slope towards +u, at that h; it differs from ``left`` at a kink."""
    left: float
    size: float
    """The norm of dout * forward(x): rounding is relative to it."""
    rounding: float = 0.0
    """The part of the error that rounding makes; the rest is due to how the function bends."""

    def better_than(self, other: "Slope") -> bool:
        """By the error beside the slope, for what was measured far from x may be wrong by less than a steep slope is; of two that may be 0, by the error."""
        return self._poor() < other._poor()

    def _poor(self):
        return min(1.0, self.error / (max(abs(self.value), 1e-3 * self.size) or 1.0)), self.error

    def good(self, enough: float = 0.0) -> bool:
        """Whether no further step is needed. A slope that may be 0 needs no more than the outputs can tell."""
        zero = abs(self.value) <= 20 * self.error
        return self.error <= max(GOOD * abs(self.value), enough, FLOOR * self.size * zero)

    @property
    def rounded(self) -> bool:
        """Whether a larger h would be better."""
        return self.error - self.rounding < self.rounding


class Ray:
    """forward along x + t u. Each point is evaluated once, however many upstream gradients are tried on it.

    ``u`` is the direction in a form that can be added exactly in steps down to ``finest``; an input of 1e12 moves further than others.
    """

    def __init__(self, forward: Forward, u: Mapping[str, np.ndarray], finest: float = FINEST) -> None:
        self.forward = forward
        self.finest = finest
        self.names = tuple(u)
        self.flat = forward.flat(u)
        """u as one vector, the arguments one after the other."""
        if not forward.complex_safe:
            self.flat = _all_on_grid(self.flat, forward, self.names, finest)
        self._seen: dict[float, tuple[np.ndarray, ...]] = {0.0: forward.start}

    @cached_property
    def u(self) -> dict[str, np.ndarray]:
        """The direction of each argument."""
        return self.forward.split(self.names, self.flat)

    @cached_property
    def crossing(self) -> float:
        """The t at which the first input changes its sign; 1 where all are 0."""
        return self._crossing(0.0)

    @cached_property
    def clear(self) -> float:
        """A step at which a kink shows that is at x, and none that is only near 0."""
        return min(START, self._crossing(TINY) / 4)

    def _crossing(self, tiny):
        nearest = math.inf
        for name, u in self.u.items():
            x = np.abs(self.forward.arguments[name])
            moved = (x > tiny * np.max(x, initial=0.0)) & (u != 0)
            nearest = np.min(x[moved] / np.abs(u[moved]), initial=nearest)
        return 2.0 ** math.floor(math.log2(nearest)) if 1e-300 < nearest < math.inf else 1.0

    def at(self, t: float) -> tuple[np.ndarray, ...]:
        """The outputs at x + t u."""
        if t not in self._seen:
            self._seen[t] = self.forward.along(self.names, self.flat, t)
        return self._seen[t]

    def gain(self, dout: Sequence[np.ndarray], t: float) -> float:
        """By how much the loss is larger at x + t u. The difference is taken before the sum, which would round it away."""
        return weighted_sum(dout, [there - here for there, here in zip(self.at(t), self.forward.start, strict=True)])

    def central(self, dout: Sequence[np.ndarray], h: float) -> float:
        """One central difference, two evaluations."""
        return weighted_sum(dout, [up - down for up, down in zip(self.at(h), self.at(-h), strict=True)]) / (2 * h)

    def size(self, dout: Sequence[np.ndarray]) -> float:
        """The norm of dout * forward(x): the rounding of the loss is relative to it."""
        return norm(d * o for d, o in zip(dout, self.forward.start, strict=True))

    def bends(self) -> set[float]:
        """The signs in which single outputs bend at a kink: {1.0} when all that do bend upwards, both when some do and some do not."""
        t = self.clear
        bend = np.concatenate([np.ravel((a - m) + (b - m)) for a, m, b in zip(self.at(t), self.forward.start, self.at(-t), strict=True)])
        clear = np.abs(bend) > np.maximum(1e-2 * np.max(np.abs(bend), initial=0.0), 1e-8 * t)  # curvature is of the order of t * t
        return set(np.sign(bend[clear]).tolist())

    def slope(self, dout: Sequence[np.ndarray], *, start: float = START, most: int = 4, enough: float = 0.0, best: Slope | None = None) -> Slope:
        """The best slope of at most ``most`` steps h, beginning with ``start``; four evaluations a step that is new.

        enough : absolute error that is good enough to stop at, besides GOOD times the slope
        best   : a slope at hand that is to be bettered
        """
        if self.forward.complex_safe:
            return self._complex_step(dout)
        tried: set[float] = set()
        h, worse = start, 0
        while h and len(tried) < most and (best is None or 2 * self.finest <= h <= max(LARGEST, self.crossing / STEP)):
            tried.add(h)
            found = self._at_step(dout, h)
            worse = 0 if best is None or found.better_than(best) else worse + 1
            best = best if worse else found
            if best is found and best.good(enough):
                break
            other_way = [best.step * STEP, best.step / STEP]
            near = other_way if worse > 1 else [h * STEP if found.rounded else h / STEP]
            h = next((t for t in near if t not in tried), 0.0)
        return best

    def settled(self, dout: Sequence[np.ndarray], slope: Slope, wanting: Callable[["Ray", Slope], bool]) -> tuple["Ray", Slope]:
        """The slope after further steps, as long as it is ``wanting``, and the ray it was measured on.

        Larger steps where rounding is the trouble, smaller ones for kinks close by, then those that an edge of log x or 1 / x asks for.
        """
        ray = self
        far = max(LARGEST / STEP, self.crossing / STEP**2)
        for start in (LARGEST / STEP**2 if slope.rounded else slope.step / STEP, far if slope.rounded else min(SMALLER, self.crossing * NEAR)):
            if not wanting(ray, slope):
                break
            if start >= 2 * ray.finest:
                slope = ray.slope(dout, start=start, best=slope)
                continue
            finer = Ray(self.forward, self.u, start / STEP**4)
            again = finer.slope(dout, start=start)
            if again.better_than(slope) and (again.value or not slope.value):  # nothing moves any more: float32 inside
                ray, slope = finer, again
        return ray, slope

    def _at_step(self, dout, h):
        up, half_up, half_down, down = (self.gain(dout, t) for t in (h, h / 2, -h / 2, -h))
        outer, inner = (up - down) / (2 * h), (half_up - half_down) / h
        value = (4 * inner - outer) / 3
        size = self.size(dout)
        truncation, rounding = abs(value - inner), 4 * EPS * size / h
        right, left = (4 * half_up - up) / h, (down - 4 * half_down) / h
        error = truncation + rounding
        if np.isfinite(error):
            return Slope(value, error, h, right, left, size, rounding)
        self.forward.trouble[0] = self.forward.trouble[0] or "gives NaN or infinity"
        return Slope(0.0, np.inf, h, 0.0, 0.0, size)

    def _complex_step(self, dout):
        """Im f(x + ih u) / h: no difference, so no step to choose (Squire and Trapp 1998)."""
        out = self.forward.along(self.names, self.flat, 1j * COMPLEX_STEP)
        value = weighted_sum(dout, [np.imag(o) / COMPLEX_STEP for o in out])
        size = self.size(dout)
        return Slope(value, 16 * EPS * max(abs(value), size), 0.0, value, value, size)


def _all_on_grid(flat, forward, names, finest):
    """``_on_grid`` for a direction over several arguments; as one vector, where one grid is fine enough for all of them."""
    grid = _grid(max(forward.largest[name] for name in names), finest)
    if grid <= COARSE:
        return _rounded(flat, grid)
    return forward.flat({name: _on_grid(u, forward.arguments[name], forward.largest[name], finest) for name, u in forward.split(names, flat).items()})


def _on_grid(u, x, largest, finest):
    """u rounded such that x + t u is exact for |t| >= finest; where x is so large that u would vanish, a longer step."""
    grid = _grid(largest, finest)
    if grid > COARSE:  # for all elements alike
        grid = _grid(np.abs(x), finest)
        u = np.where(grid > 0.125, u * 8 * grid, u)
    return _rounded(u, grid)


def _grid(size, finest):
    return np.maximum(2 * np.spacing(size) / finest, 2.0**-60)


def _rounded(u, grid):
    return np.rint(u / grid) * grid


def weighted_sum(dout: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> float:
    """sum(dout * outputs) over all outputs: the loss whose gradient a backward pass gives."""
    return float(sum(np.add.reduce(d * o, axis=None) for d, o in zip(dout, outputs, strict=True)))


def norm(products: Iterable[np.ndarray]) -> float:
    """The 2-norm of all of them together."""
    products = list(products)
    total = sum(float(np.add.reduce(p * p, axis=None)) for p in products)
    if 1e-280 < total < 1e280:
        return math.sqrt(total)
    largest = max((float(np.max(np.abs(p), initial=0.0)) for p in products), default=0.0)  # the squares would overflow, or vanish
    return largest * norm([p / largest for p in products]) if 0.0 < largest < math.inf else largest


def directional_derivative(f: Callable[..., float], x: Sequence[np.ndarray], u: Sequence[np.ndarray]) -> tuple[float, float]:
    """Derivative of ``f(*x)`` along ``u``, and an estimate of its error.

    f : takes len(x) float64 arrays, returns one float
    x, u : arrays of equal shapes; the derivative is d/dt f(x + t u) at t = 0
    """
    forward = Forward(f, {f"input{i}": np.asarray(xi, dtype=np.float64) for i, xi in enumerate(x)})
    slope = Ray(forward, {name: np.asarray(ui) for name, ui in zip(forward.names, u, strict=True)}).slope((np.float64(1.0),))
    return slope.value, slope.error


def numerical_gradient(f: Callable[..., float], x: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The whole gradient of ``f(*x)``, one element at a time. For small arrays: it costs at least four calls an element."""
    forward = Forward(f, {f"input{i}": np.asarray(xi, dtype=np.float64) for i, xi in enumerate(x)})
    return [element_slopes(forward, name, [(np.float64(1.0),)])[0].value for name in forward.names]


@dataclass(frozen=True)
class ElementSlopes:
    """The slopes along each element of one argument, as arrays of its shape."""

    value: np.ndarray
    low: np.ndarray
    """At a kink the smaller of the two one-sided slopes; elsewhere ``value``."""
    high: np.ndarray


def element_slopes(forward: Forward, name: str, douts: Sequence[Sequence[np.ndarray]]) -> list[ElementSlopes]:
    """Slopes along every element of the argument ``name``, for each upstream gradient in ``douts``."""
    x = forward.arguments[name]
    found = [ElementSlopes(*(np.zeros(np.shape(x)) for _ in range(3))) for _ in douts]
    step = START
    for index in np.ndindex(np.shape(x)):
        u = np.zeros(np.shape(x))
        u[index] = 1.0
        ray = Ray(forward, {name: u})
        for slopes, dout in zip(found, douts, strict=True):
            slope = ray.slope(dout, start=step)
            step = slope.step or START
            at, slope = ray.settled(dout, slope, lambda _, s: s.error > 1e-7 * abs(s.value) + 10 * FLOOR * s.size)
            length = at.u[name][index]
            slopes.value[index] = slope.value / length
            low, high = sorted((slope.left / length, slope.right / length)) if is_kink(slope) else (slopes.value[index],) * 2
            slopes.low[index], slopes.high[index] = low, high
    return found


def is_kink(slope: Slope) -> bool:
    """Whether the slopes to the two sides differ by more than curvature and rounding explain."""
    gap = abs(slope.right - slope.left)
    return gap > 1e-7 * (abs(slope.right) + abs(slope.left)) and gap > 50 * slope.error + 200 * EPS * slope.size / (slope.step or 1.0)
