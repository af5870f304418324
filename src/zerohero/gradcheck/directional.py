"""Slopes along a direction: central differences with Richardson extrapolation, in float64, each with its own error estimate.

D(h) = (f(x + hu) - f(x - hu)) / 2h has an error of order h^2, which (4 D(h/2) - D(h)) / 3 cancels (Richardson 1911). The
change that this makes, plus the rounding of f divided by h, is the estimate of the error. Where it is poor another h is
tried: smaller when the change is the larger part, larger when the rounding is.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .forward import COMPLEX_STEP, Forward

START = 1e-4
SMALLEST, LARGEST = 1e-7, 1e-2
EPS = float(np.finfo(np.float64).eps)
GOOD = 1e-9  # of the slope: a tenth of what the tolerance allows on top of the error
FLOOR = 1e-11  # of the size of the outputs: about what rounding leaves at the first step, where the slope is 0


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


class Ray:
    """forward along x + t u. Each point is evaluated once, however many upstream gradients are tried on it."""

    def __init__(self, forward: Forward, u: Mapping[str, np.ndarray]) -> None:
        self.forward = forward
        self.u = u
        self._seen: dict[float, tuple[np.ndarray, ...]] = {0.0: forward.start}

    def loss(self, dout: Sequence[np.ndarray], t: float) -> float:
        if t not in self._seen:
            self._seen[t] = self.forward.along(self.u, t)
        return weighted_sum(dout, self._seen[t])

    def bends(self, t: float = START) -> set[float]:
        """The signs in which single outputs bend at a kink: {1.0} when all that do bend upwards, both when some do and some do not."""
        self.loss([0.0] * len(self.forward.start), t), self.loss([0.0] * len(self.forward.start), -t)
        bend = np.concatenate([np.ravel(a + b - 2 * m) for a, m, b in zip(self._seen[t], self._seen[0.0], self._seen[-t], strict=True)])
        clear = np.abs(bend) > np.maximum(1e-2 * np.max(np.abs(bend), initial=0.0), 1e-12)  # curvature is of the order of t * t
        return set(np.sign(bend[clear]).tolist())

    def slope(self, dout: Sequence[np.ndarray], *, start: float = START, most: int = 4, enough: float = 0.0, best: Slope | None = None) -> Slope:
        """The best slope of at most ``most`` steps h, beginning with ``start``; four evaluations a step that is new.

        enough : absolute error that is good enough to stop at, besides GOOD times the slope
        best   : a slope at hand that is to be bettered
        """
        if self.forward.complex_safe:
            return self._complex_step(dout)
        tried: set[float] = set()
        h = float(f"{start:.0e}")
        while h not in tried and len(tried) < most and SMALLEST <= h <= LARGEST:
            tried.add(h)
            found, truncation, rounding = self._at_step(dout, h)
            if best is None or not found.error >= best.error:
                best = found
            if best is found and best.error <= max(GOOD * abs(best.value), FLOOR * best.size, enough):
                break
            h = float(f"{h / 10 if not truncation < rounding else h * 10:.0e}")
        return best

    def _at_step(self, dout, h):
        up, half_up, half_down, down = (self.loss(dout, t) for t in (h, h / 2, -h / 2, -h))
        middle = self.loss(dout, 0.0)
        outer, inner = (up - down) / (2 * h), (half_up - half_down) / h
        value = (4 * inner - outer) / 3
        size = norm(d * o for d, o in zip(dout, self.forward.start, strict=True))
        truncation, rounding = abs(value - inner), 4 * EPS * size / h
        right, left = (4 * half_up - up - 3 * middle) / h, (3 * middle - 4 * half_down + down) / h
        error = truncation + rounding
        return Slope(value, error if np.isfinite(error) else np.inf, h, right, left, size), truncation, rounding

    def _complex_step(self, dout):
        """Im f(x + ih u) / h: no difference, so no step to choose (Squire and Trapp 1998)."""
        out = self.forward.along(self.u, 1j * COMPLEX_STEP)
        value = weighted_sum(dout, [np.imag(o) / COMPLEX_STEP for o in out])
        size = norm(d * o for d, o in zip(dout, self.forward.start, strict=True))
        return Slope(value, 16 * EPS * max(abs(value), size), 0.0, value, value, size)


def weighted_sum(dout: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> float:
    """sum(dout * outputs) over all outputs: the loss whose gradient a backward pass gives."""
    return float(sum(np.add.reduce(d * o, axis=None) for d, o in zip(dout, outputs, strict=True)))


def norm(products: Iterable[np.ndarray]) -> float:
    """The 2-norm of all of them together."""
    return math.sqrt(sum(float(np.vdot(p, p)) for p in products))


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
            slopes.value[index] = slope.value
            low, high = sorted((slope.left, slope.right)) if is_kink(slope) else (slope.value, slope.value)
            slopes.low[index], slopes.high[index] = low, high
    return found


def is_kink(slope: Slope) -> bool:
    """Whether the slopes to the two sides differ by more than curvature and rounding explain."""
    gap = abs(slope.right - slope.left)
    return gap > 1e-7 * (abs(slope.right) + abs(slope.left)) and gap > 50 * slope.error + 200 * EPS * slope.size / max(slope.step, SMALLEST)
