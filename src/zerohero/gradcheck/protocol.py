"""Before any number is compared: were the inputs left alone, and does a second call give the same?"""

import copy
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ..plaindata import to_plain
from ..report import Finding


def observe(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call ``function(**arguments)`` twice, positionally, on fresh copies; return what was seen as plain data.

    {"value": what it returned, "again": what the second call returned, "changed": names of arguments it wrote into}.
    Arguments that are no plain data (a function handed in) are passed on as they are and not watched.
    """
    seen: dict[str, Any] = {"changed": []}
    for key in ("value", "again"):
        seen[key] = watched_call(function, arguments, seen["changed"])
    return seen


def watched_call(function: Callable[..., Any], arguments: Mapping[str, Any], changed: list[str]) -> Any:
    """One call on fresh copies: its result as plain data. Names of arguments it wrote into are added to ``changed``."""
    given = {name: copied(value) for name, value in arguments.items()}
    result = to_plain(function(*given.values()))
    changed += [name for name, value in given.items() if name not in changed and not callable(value) and not same(value, arguments[name])]
    return result


def copied(value: Any) -> Any:
    """A copy that may be written into, whatever the original allows."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    return value if callable(value) else copy.deepcopy(value)


def same(a: Any, b: Any) -> bool:
    """Equal byte for byte: kind, dtype, shape and every bit, NaN included."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)) or a.dtype != b.dtype or a.shape != b.shape:
            return False
        return bool((a == b).all()) or a.tobytes() == b.tobytes()  # NaN is equal in its bytes alone
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and (a == b or (a != a and b != b))


def protocol_findings(seen: Mapping[str, Any], where: str = "", arguments: Collection[str] = ()) -> list[Finding]:
    """What the observation says against the answer: an argument changed, a second call that differs.

    Only names in ``arguments`` are repeated: the observation may come from a graded process, and what it says is shown.
    """
    if seen["changed"]:
        names = " and ".join(f"`{name}`" for name in arguments if name in seen["changed"])
        return [
            Finding(f"{names or 'an argument'} was changed by the call", where=where, mistake="MUTATES", next="work on a copy; never write into an argument")
        ]
    if not same(seen["value"], seen["again"]):
        return [Finding("a second call with the same input gives another answer", where=where, mistake="STATE_LEAK")]
    return []
