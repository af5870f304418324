"""Set a student's plain value beside the true one and say, as one Finding, how they differ."""

import math
from typing import Any

import numpy as np

from ..plaindata import Other, describe
from ..report import Finding

RTOL, ATOL = 1e-7, 1e-10  # float64 answers; the truth itself is good to about 1e-9


def difference(name: str, expected: Any, actual: Any, *, where: str = "", rtol: float = RTOL, atol: float = ATOL) -> Finding | None:
    """None when ``actual`` equals ``expected`` within |expected| * rtol + atol, else what is wrong with `name`.

    name     : how the student calls the value: "slope", "grads"
    expected : bool, number, string, float array, list or dict of these
    actual   : plain data (``zerohero.plaindata.to_plain``)

    Form before numbers: missing, kind, length or shape, finite; only then values. The order of dict keys is free.
    """
    if actual is None and expected is not None:
        return Finding(f"`{name}` is missing: None came back", where=where, expected=short(expected), next="is there a `return` on every path?")
    if isinstance(actual, Other):
        return Finding(f"`{name}` is of the wrong kind", where=where, expected=kind(expected), actual=kind(actual))
    if isinstance(expected, dict):
        return _dict_difference(name, expected, actual, where, rtol, atol)
    if isinstance(expected, (list, tuple)):
        return _list_difference(name, expected, actual, where, rtol, atol)
    if isinstance(expected, (str, bool)) or expected is None:
        if type(actual) is type(expected) and actual == expected:
            return None
        return Finding(f"`{name}` is wrong", where=where, expected=short(expected), actual=short(actual))
    return _number_difference(name, expected, actual, where, rtol, atol)


def _dict_difference(name, expected, actual, where, rtol, atol):
    if not isinstance(actual, dict):
        return Finding(f"`{name}` is of the wrong kind", where=where, expected=f"a dict with keys {', '.join(expected)}", actual=kind(actual))
    absent = [key for key in expected if key not in actual]
    if absent:
        return Finding(
            f"`{name}` has no key `{absent[0]}`", where=where, expected=f"keys {', '.join(expected)}", actual=f"keys {', '.join(map(str, actual))}"[:200]
        )
    for key in expected:
        found = difference(f"{name}[{key!r}]", expected[key], actual[key], where=where, rtol=rtol, atol=atol)
        if found:
            return found
    return None


def _list_difference(name, expected, actual, where, rtol, atol):
    if isinstance(actual, np.ndarray) and actual.ndim == 1:
        actual = actual.tolist()
    if not isinstance(actual, list):
        return Finding(f"`{name}` is of the wrong kind", where=where, expected=f"{len(expected)} values", actual=kind(actual))
    if len(actual) != len(expected):
        return Finding(f"`{name}` has the wrong number of values", where=where, expected=f"{len(expected)} values", actual=f"{len(actual)} values")
    for index, (e, a) in enumerate(zip(expected, actual, strict=True)):
        found = difference(f"{name}[{index}]", e, a, where=where, rtol=rtol, atol=atol)
        if found:
            return found
    return None


def _number_difference(name, expected, actual, where, rtol, atol):
    if not _all_numbers(actual) or isinstance(actual, bool) or (isinstance(actual, list) and not isinstance(expected, np.ndarray)):
        return Finding(f"`{name}` is of the wrong kind", where=where, expected=kind(expected), actual=kind(actual))
    true = np.asarray(expected, dtype=np.float64)
    try:
        got = np.asarray(actual)
        got = got if got.dtype.kind == "c" else got.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return Finding(f"`{name}` is of the wrong kind", where=where, expected=kind(expected), actual=kind(actual))
    if got.dtype.kind == "c":
        return Finding(f"`{name}` is a complex number", where=where, expected=short(expected), actual=short(actual))
    if got.shape != true.shape:
        if got.size == true.size and np.allclose(got.ravel(), true.ravel(), rtol=rtol, atol=atol):
            return Finding(
                f"`{name}` has the right values in the wrong shape", where=where, expected=f"shape {true.shape}", actual=f"shape {got.shape}", mistake="SHAPE"
            )
        return Finding(f"`{name}` has the wrong shape", where=where, expected=f"shape {true.shape}", actual=f"shape {got.shape}")
    if not np.isfinite(got).all() and np.isfinite(true).all():
        bad = got.ravel()[~np.isfinite(got).ravel()][0]
        return Finding(f"`{name}` is not finite", where=where, expected=short(expected), actual="nan" if math.isnan(bad) else str(bad))
    with np.errstate(invalid="ignore"):
        error = np.where(got == true, 0.0, np.abs(got - true))  # infinity less infinity is NaN
    wrong = ~(error <= atol + rtol * np.where(np.isfinite(true), np.abs(true), 0.0))
    if not wrong.any():
        return None
    if true.ndim == 0:
        return Finding(f"`{name}` is wrong", where=where, expected=short(float(true)), actual=short(float(got)))
    worst = np.unravel_index(int(np.argmax(np.where(wrong, error, -1.0))), true.shape)
    at = f"{name}[{', '.join(map(str, worst))}], {int(wrong.sum())} of {true.size} wrong"
    return Finding(f"`{name}` is wrong", where=f"{at}; {where}" if where else at, expected=short(float(true[worst])), actual=short(float(got[worst])))


def _all_numbers(value):
    """Whether NumPy may be handed this: it makes every string of a list as long as the longest, which turns kilobytes into gigabytes."""
    return all(map(_all_numbers, value)) if isinstance(value, list) else isinstance(value, (int, float, complex, np.ndarray))


def short(value: Any) -> str:
    """A value in the width of a report line."""
    return describe(value)


def kind(value: Any) -> str:
    """What a value is, not how large: "a number", "an array of shape (3, 2)"."""
    if isinstance(value, Other):
        return f"a {value.type_name}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, (int, float)):
        return "a number"
    names = {str: "a string", list: "a list", tuple: "a tuple", dict: "a dict", type(None): "None"}
    return names.get(type(value), f"a {type(value).__name__}")
