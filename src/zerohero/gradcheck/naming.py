"""Generic hypotheses: mistakes that the true and the given numbers alone can prove."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

RTOL = 1e-6
ENOUGH = 3  # different true numbers: fewer agree with a hypothesis by chance


def name_numbers(pairs: Sequence[tuple[Any, Any]]) -> tuple[str, str] | None:
    """(kind, one sentence) that explains every pair of (true, given) plain values, or None when nothing is proven.

    SIGN_FLIP: given = -true everywhere. WRONG_CONSTANT: given = c * true everywhere, c the same everywhere.
    SWAPPED: each given list holds the true values with the same two in each other's place.
    """
    if any(isinstance(true, dict) != isinstance(given, dict) for true, given in pairs):
        return None  # a list in place of a dict has no names, so it cannot be told which number stands where
    rows = [(_numbers(true), _numbers(given)) for true, given in pairs]
    if not rows or any(t is None or g is None or t.size != g.size or not np.isfinite(g).all() for t, g in rows):
        return None
    true, given = np.concatenate([t for t, _ in rows]), np.concatenate([g for _, g in rows])
    if np.unique(np.abs(true[true != 0])).size < ENOUGH or _close(given, true):
        return None
    if _close(given, -true):
        return "SIGN_FLIP", "a sign is wrong: your values are the right ones negated"
    with np.errstate(over="ignore", invalid="ignore"):  # numbers of 1e200 have squares beyond every float; then nothing is proven
        c = float(given @ true / (true @ true))
    if c != 0 and _close(given, c * true):
        return "WRONG_CONSTANT", f"your values are the right ones times {constant(c)}"
    return _swapped(rows)


def constant(c):
    """ "2", "1/3": a constant that a formula could hold. Any other stays unsaid: the sentence is shown for hidden cases too,
    and a constant of the student's choice could carry one of their numbers out."""
    simple = Fraction(c).limit_denominator(12)
    return str(simple) if abs(simple) <= 12 and abs(float(simple) - c) <= RTOL * abs(c) else "a constant"


def _numbers(value):
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return np.array([float(value)])
    if isinstance(value, np.ndarray):
        return value.astype(np.float64).ravel() if value.dtype.kind in "fiu" else None
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        parts = [_numbers(v) for v in value]
        return np.concatenate(parts) if parts and all(p is not None for p in parts) else None
    return None


def _close(a, b):
    return bool(np.all(np.abs(a - b) <= RTOL * np.abs(b) + 1e-9))


def _swapped(rows):
    size = rows[0][0].size
    if size < 2 or size > 12 or any(t.size != size for t, _ in rows):
        return None
    for i in range(size):
        for j in range(i):
            order = np.arange(size)
            order[[i, j]] = j, i
            if all(_close(given, true[order]) for true, given in rows):
                return "SWAPPED", "two of the results are in each other's place"
    return None
