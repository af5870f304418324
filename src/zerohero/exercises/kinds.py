"""Exercises of a common kind, made from what is particular to each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..exercise import Case, Exercise
from ..gradcheck import Trial, difference, gradient_parts, judge_backward, name_gradients, observe, observe_backward, protocol_findings
from ..gradcheck.compare import ATOL, RTOL
from ..gradcheck.design import GROUPS, Signature, design
from ..gradcheck.forward import Forward
from ..gradcheck.naming import name_numbers
from ..mistakes import MISTAKES
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
    by_formula: bool = False,
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

    return Exercise(id, title, takes, cases, probe, judge, hints, proven, allows, by_formula=by_formula)


TRIALS = 3
"""Wrong cases that a name has to explain, the smallest ones, and as many right ones: their slopes are measured element by element."""


def gradient_exercise(
    id: str,
    title: str,
    takes: str,
    forward: Callable[..., Any],
    inputs: Signature,
    hints: tuple[str, str, str],
    *,
    name: Callable[..., tuple[str, ...] | None] | None = None,
    allows: frozenset[str] = frozenset(),
) -> Exercise:
    """An exercise whose answer is a backward pass, answer(dout, *arguments) -> one gradient per Array of the signature.

    forward : forward(*arguments), in float64. It is the truth: gradients are measured on it, so no backward pass is needed here
    inputs  : the signature; its groups are those of the report
    name    : proves a mistake from all cases and outputs, before the generic hypotheses are tried

    Hidden cases are those of another generator: ``CASES = {"m99-softplus-backward": softplus_backward.cases}``.
    """

    def cases(rng):
        return [Case(one.group, {"dout": one.dout, **one.arguments}) for one in design(inputs, forward, rng)]

    def probe(backward, case_inputs):
        return observe_backward(backward, *_split(case_inputs))

    def judge(case, seen):
        return judge_backward(forward, *_split(case.inputs), seen, differentiable=inputs.differentiable)

    def proven(all_cases, outputs):
        own = name(all_cases, outputs) if name else None
        if own or any(output["status"] != "ok" for output in outputs):
            return own
        seen = sorted(((case, output["value"]) for case, output in zip(all_cases, outputs, strict=True)), key=lambda pair: _size(pair[0].inputs))
        wrong = [pair for pair in seen if judge(*pair)]
        if all(case.group == GROUPS["huge"] and not _finite(given["value"]) for case, given in wrong):
            return "UNSTABLE", MISTAKES["UNSTABLE"][0]
        right = [pair for pair in seen if not any(pair is one for one in wrong)]
        return name_gradients([trial(*pair) for pair in wrong[:TRIALS] + right[:TRIALS]])

    def trial(case, seen):
        dout, arguments = _split(case.inputs)
        return Trial(Forward(forward, arguments, inputs.differentiable), dout, seen)

    stand_ins = {one: 0.0 if one in inputs.differentiable else None for one in inputs.arguments}
    return Exercise(
        id, title, takes, cases, probe, judge, hints, proven, allows=allows,
        parts=lambda seen: gradient_parts(stand_ins, seen, inputs.differentiable), by_formula=True,
    )  # fmt: skip


def _split(inputs):
    """(upstream gradient, arguments) of a case; as plain data, a tuple of upstream gradients came as a list."""
    dout, arguments = inputs["dout"], {name: value for name, value in inputs.items() if name != "dout"}
    return tuple(dout) if isinstance(dout, list) else dout, arguments


def _size(inputs):
    return sum(np.size(value) for value in inputs.values() if isinstance(value, np.ndarray))


def _finite(value):
    return all(map(_finite, value)) if isinstance(value, list) else bool(np.isfinite(value).all())


def tidy(numbers: np.ndarray) -> list[Any]:
    """The numbers as lists, rounded: three digits are enough for an input, and read better in a report."""
    return np.round(numbers, 3).tolist()
