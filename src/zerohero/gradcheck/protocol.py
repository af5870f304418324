"""Before any number is compared: were the inputs left alone, and does a second call give the same?"""

import copy
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..plaindata import encode, to_plain
from ..report import Finding


def observe(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call ``function(**arguments)`` twice, positionally, on fresh copies; return what was seen as plain data.

    {"value": what it returned, "again": what the second call returned, "changed": names of arguments it wrote into}.
    Arguments that are no plain data (a function handed in) are passed on as they are and not watched.
    """
    seen = {}
    for key in ("value", "again"):
        given = {name: value if callable(value) else copy.deepcopy(value) for name, value in arguments.items()}
        seen[key] = to_plain(function(*given.values()))
        seen["changed"] = [name for name, value in given.items() if not callable(value) and not _same(value, arguments[name])]
    return seen


def _same(a, b):
    return encode(to_plain(a)) == encode(to_plain(b))


def protocol_findings(seen: Mapping[str, Any], where: str = "", arguments: Collection[str] = ()) -> list[Finding]:
    """What the observation says against the answer: an argument changed, a second call that differs.

    Only names in ``arguments`` are repeated: the observation may come from a graded process, and what it says is shown.
    """
    if seen["changed"]:
        names = " and ".join(f"`{name}`" for name in arguments if name in seen["changed"])
        return [
            Finding(f"{names or 'an argument'} was changed by the call", where=where, mistake="MUTATES", next="work on a copy; never write into an argument")
        ]
    if not _same(seen["value"], seen["again"]):
        return [Finding("a second call with the same input gives another answer", where=where, mistake="STATE_LEAK")]
    return []
