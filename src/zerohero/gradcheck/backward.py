"""Run a backward pass and keep what came out as plain data.

This is all of a gradient check that happens in the student's process. What is made of it, ``verdict`` decides anywhere.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..plaindata import Other, describe, to_plain
from ..report import Finding
from .forward import as_argument, checked_names
from .protocol import copied, same, watched_call


def observe_backward(backward: Callable[..., Any], dout: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call ``backward(dout, *arguments)`` three times on fresh copies; return what was seen as plain data.

    backward  : backward(dout, *arguments) -> the gradient of sum(dout * forward(*arguments)) for each float argument
    dout      : upstream gradient, an array or float shaped as the output; a tuple of these when there are several outputs
    arguments : by name, in the order they are passed

    {"value": result, "again": result of a second call with the same, "other": result for ``other_upstream(dout)``,
     "changed": names of what it wrote into, "dout" among them}. Raises what ``backward`` raises.
    """
    given = {"dout": dout, **{name: as_argument(name, value) for name, value in arguments.items()}}
    seen: dict[str, Any] = {"changed": []}
    seen["value"] = watched_call(_with_arrays(backward), given, seen["changed"])
    seen["other"] = to_plain(_with_arrays(backward)(*map(copied, {**given, "dout": other_upstream(dout)}.values())))
    seen["again"] = watched_call(_with_arrays(backward), given, seen["changed"])
    return seen


def _with_arrays(backward):
    """NumPy's scalars come back as arrays without axes, which keep their dtype as plain data."""

    def call(*arguments):
        result = backward(*arguments)
        return [_widest(r) for r in result] if isinstance(result, (list, tuple)) else _widest(result)

    return call


def _widest(value):
    """An array in place of a NumPy scalar, float64 in place of what is longer."""
    value = np.asarray(value) if isinstance(value, np.generic) else value
    return value.astype(np.float64) if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.dtype.itemsize > 8 else value


def other_upstream(dout: Any) -> Any:
    """Another upstream gradient of the same signs, so that a check at a kink holds for both; never a multiple of ``dout``."""
    if isinstance(dout, tuple):
        return tuple(other_upstream(d) for d in dout)
    d = np.asarray(dout, dtype=np.float64)
    weights = 1.3 + np.cos(1.0 + np.arange(d.size)).reshape(d.shape)  # 0.3 to 2.3
    return weights * d if d.ndim else float(weights * d)


def upstream(dout: Any) -> tuple[np.ndarray, ...]:
    """``dout`` as one float64 array an output."""
    return tuple(np.asarray(d, dtype=np.float64) for d in (dout if isinstance(dout, (tuple, list)) else (dout,)))


def gradient_parts(arguments: Mapping[str, Any], seen: Mapping[str, Any], differentiable: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """{"dx": float64 array, ...} of an observation, whether the gradients came as array, tuple or list; {} when they have another form.

    The names of the parts are those of reports and of the atlas.
    """
    given = {name: as_argument(name, v) for name, v in arguments.items()}
    names = checked_names(given, differentiable)
    values = listed(seen["value"], given, names)
    if values is None:
        return {}
    arrays = [as_array(v) for v in values]
    return {gradient_name(name): a.astype(np.float64) for name, a in zip(names, arrays, strict=True) if a is not None}


def gradient_name(name: str) -> str:
    return f"d{name}"


def listed(value: Any, arguments: Mapping[str, Any], names: Sequence[str]) -> list[Any] | None:
    """The gradients, one a name, in order; None when their number is wrong.

    A single one may come as it is or in a list of one. One for every argument, None at those without a gradient, will do too.
    """
    every = isinstance(value, list) and len(value) == len(arguments) != len(names)
    if every and all(v is None for name, v in zip(arguments, value, strict=True) if name not in names):
        return [v for name, v in zip(arguments, value, strict=True) if name in names]
    if len(names) == 1:
        if not isinstance(value, list):
            return [value]
        shape = np.shape(arguments[names[0]])
        if len(value) == 1 and (len(shape) != 1 or _has_axes(value[0])) and not _is_one_row(value, shape):
            return value
        return [value] if _is_rows(value, shape) else None
    return value if isinstance(value, list) and len(value) == len(names) else None


def _is_one_row(value, shape):
    """Whether a list of one list is an array of one row, written as lists: not a list of one gradient."""
    array = as_array(value) if isinstance(value[0], list) else None
    return array is not None and array.shape == shape


def _is_rows(value, shape):
    """Whether a list is an array written as a list, and not several gradients."""
    if any(v is None for v in value):
        return False
    arrays = any(isinstance(v, np.ndarray) and v.ndim for v in value)
    return not arrays or (len(value) == (shape[0] if shape else 0) and all(np.shape(v) == shape[1:] for v in value))


def _has_axes(value):
    return isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim > 0)


def as_array(gradient: Any) -> np.ndarray | None:
    """An array of numbers, also from a number or a (nested) list of numbers; None for anything else."""
    if isinstance(gradient, bool) or not isinstance(gradient, (int, float, list, np.ndarray)):
        return None
    try:
        array = np.asarray(gradient if not isinstance(gradient, list) or _only_numbers(gradient) else None)
        array = array.astype(np.float64) if array.dtype.kind in "iu" and not isinstance(gradient, np.ndarray) else array
    except (ValueError, OverflowError):  # lists of different lengths; an int beyond every float
        return None
    return array if array.dtype.kind in "fiu" else None


def _only_numbers(values):
    # NumPy makes every string of a list as long as the longest, which turns kilobytes into gigabytes
    return all(_only_numbers(v) if isinstance(v, list) else isinstance(v, (int, float, np.ndarray)) for v in values)


def form_finding(value: Any, arguments: Mapping[str, Any], names: Sequence[str], where: str = "") -> Finding | None:
    """What is wrong with the form of a result, before any number of it is looked at: number, kind, shape, dtype, finite."""
    if value is None:
        return Finding("backward returned None", where=where, expected=_count(names), actual="None", next="is there a `return` on every path?")
    values = listed(value, arguments, names)
    if values is None:
        got = f"{len(value)} values" if isinstance(value, list) else f"one {_kind(value)}"
        return Finding(
            "the number of gradients is wrong",
            where=where,
            expected=_count(names),
            actual=got,
            next=_one_each(arguments, names, value),
        )
    for name, gradient in zip(names, values, strict=True):
        found = _one_form(name, gradient, np.shape(arguments[name]), where)
        if found:
            return found
    return None


def _one_each(arguments, names, value):
    rest = [name for name in arguments if name not in names]
    if rest and isinstance(value, list) and len(value) == len(arguments):
        return f"`{rest[0]}` is no float, so it has no gradient here: leave it out, or return None for it"
    return "return one gradient for each float input, in the order of the inputs"


def _count(names):
    return f"{len(names)}: " + ", ".join(map(gradient_name, names)) if len(names) > 1 else gradient_name(names[0])


def _kind(value):
    return f"array of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__


def _one_form(name, gradient, shape, where):
    label = f"`{gradient_name(name)}`"
    if gradient is None:
        return Finding(
            f"{label} is None",
            where=where,
            expected=f"an array of shape {shape}",
            actual="None",
            next=f"`{name}` is a float, so it has a gradient, if only zeros",
        )
    array = as_array(gradient)
    if array is None:
        actual = str(gradient) if isinstance(gradient, Other) else describe(gradient)
        return Finding(
            f"{label} is not an array of numbers", where=where, expected=f"an array of shape {shape}", actual=actual, next="return a NumPy array of float64"
        )
    if array.shape != shape:
        return Finding(f"{label} has the wrong shape", where=where, expected=f"shape {shape}", actual=f"shape {array.shape}",
                       next=f"a gradient has the shape of what it is the gradient of: `{name}`")  # fmt: skip
    if array.dtype.kind != "f":
        return Finding(f"{label} is not of a float dtype", where=where, expected="float64", actual=str(array.dtype), mistake="DTYPE")
    if array.dtype.itemsize < 4:
        return Finding(f"{label} is {array.dtype}, which keeps three digits", where=where, expected="float64", actual=str(array.dtype), mistake="DTYPE")
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0]
        place = f"{gradient_name(name)}[{', '.join(map(str, at))}]" if len(at) else gradient_name(name)
        return Finding(f"{label} is not finite", where=f"{place}; {where}" if where else place, expected="a number", actual=str(array[tuple(at)]),
                       next="look for a division by 0, or for exp or log of a number that is out of their reach")  # fmt: skip
    return None


def ignores_upstream(seen: Mapping[str, Any]) -> bool:
    """Whether another upstream gradient gave the very same result."""
    return same(seen["value"], seen["other"])
