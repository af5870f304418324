"""Exercises of a common kind, made from what is particular to each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..exercise import Case, Exercise
from ..gradcheck import difference, observe, protocol_findings
from ..gradcheck.compare import ATOL, RTOL
from ..gradcheck.naming import name_numbers
from ..plaindata import describe


def function_exercise(
    id: str,
    title: str,
    takes: str,
    cases: Callable[..., Sequence[Case]],
    hints: tuple[str, str, str],
    *,
    truth: Callable[[Mapping[str, Any]], Any] | None = None,
    prepare: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
    result: str = "result",
    name: Callable[..., tuple[str, str] | None] | None = None,
    rtol: float = RTOL,
    atol: float = ATOL,
    allows: frozenset[str] = frozenset(),
) -> Exercise:
    """An exercise whose answer is a function of plain data.

    takes   : the signature shown to the student; the case inputs are passed in the order they stand in the case
    truth   : case inputs -> the right result, from a measured slope or a closed form; without it ``Case.truth`` is used
    prepare : case inputs -> arguments, for inputs that stand for something else (a name for a function)
    result  : what the student calls the value that is returned
    name    : proves a mistake from all cases and outputs, before the generic hypotheses are tried
    """

    def true(case):
        return truth(case.inputs) if truth else case.truth

    def probe(function, inputs):
        return observe(function, prepare(inputs))

    def judge(case, seen):
        where = describe(case.inputs)
        found = protocol_findings(seen, where, list(case.inputs))
        if not found:
            one = difference(result, true(case), seen["value"], where=where, rtol=rtol, atol=atol)
            found = [one] if one else []
        return found

    def proven(all_cases, outputs):
        own = name(all_cases, outputs) if name else None
        if own:
            return own
        if any(output["status"] != "ok" for output in outputs):
            return None
        return name_numbers([(true(case), output["value"]["value"]) for case, output in zip(all_cases, outputs, strict=True)])

    return Exercise(id, title, takes, cases, probe, judge, hints, proven, allows)


def tidy(numbers: np.ndarray) -> list[Any]:
    """The numbers as lists, rounded: three digits are enough for an input, and read better in a report."""
    return np.round(numbers, 3).tolist()
