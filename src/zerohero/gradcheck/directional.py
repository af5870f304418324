"""Slopes by central differences with Richardson extrapolation, in float64, each with its own error estimate."""

from collections.abc import Callable, Sequence

import numpy as np

STEPS = (1e-3, 1e-4, 1e-5)  # tried in this order; 1e-3 is the optimum for smooth functions of size 1


def directional_derivative(f: Callable[..., float], x: Sequence[np.ndarray], u: Sequence[np.ndarray]) -> tuple[float, float]:
    """Derivative of ``f(*x)`` along ``u``, and an estimate of its error.

    f : takes len(x) float64 arrays, returns one float
    x, u : arrays of equal shapes; the derivative is d/dt f(x + t u) at t = 0

    D(h) = (f(x+hu) - f(x-hu)) / 2h has an error of order h^2; (4 D(h/2) - D(h)) / 3 cancels it (Richardson 1911).
    The estimate is the change that the extrapolation made plus the rounding of f divided by h. Steps are tried until
    it is small; the best is returned.
    """
    best = (np.nan, np.inf)
    for h in STEPS:
        outer, size_outer = _central(f, x, u, h)
        inner, size_inner = _central(f, x, u, h / 2)
        value = (4 * inner - outer) / 3
        error = abs(value - inner) + 4 * np.finfo(np.float64).eps * max(size_outer, size_inner) / h
        if error < best[1]:
            best = (value, error)
        if error <= 1e-9 * max(1.0, abs(value)):
            break
    return best


def _central(f, x, u, h):
    up = float(f(*[xi + h * ui for xi, ui in zip(x, u, strict=True)]))
    down = float(f(*[xi - h * ui for xi, ui in zip(x, u, strict=True)]))
    return (up - down) / (2 * h), max(abs(up), abs(down))


def numerical_gradient(f: Callable[..., float], x: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The whole gradient of ``f(*x)``, one element at a time. For small arrays: it costs at least four calls an element."""
    gradients = []
    for which, xi in enumerate(x):
        gradient = np.zeros_like(xi, dtype=np.float64)
        for index in np.ndindex(xi.shape):
            u = [np.zeros_like(xj, dtype=np.float64) for xj in x]
            u[which][index] = 1.0
            gradient[index], _ = directional_derivative(f, x, u)
        gradients.append(gradient)
    return gradients
