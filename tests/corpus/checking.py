"""One backward pass checked and named as an exercise would do it: its case sets are the modes of the operation."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from zerohero import atlas
from zerohero.gradcheck.backward import gradient_name, gradient_parts, observe_backward, upstream
from zerohero.gradcheck.directional import ElementSlopes, element_slopes
from zerohero.gradcheck.forward import Forward, argument_names, as_argument
from zerohero.gradcheck.hypotheses import Trial, name_gradients
from zerohero.gradcheck.protocol import copied
from zerohero.gradcheck.verdict import judged
from zerohero.plaindata import to_plain
from zerohero.report import Finding
from zerohero_autograder.mutants import bank

from . import new_operations
from .corpus import Op, make_dout
from .references import REFERENCES

Backward = Callable[..., Sequence[Any]]


@dataclass(frozen=True)
class CaseSet:
    """One input of an operation."""

    mode: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    differentiable: tuple[str, ...]
    dout: Any

    def forward(self) -> Forward:
        """The forward pass, with its own count of evaluations."""
        return Forward(self.function, self.arguments, self.differentiable)

    def observe(self, fn: Backward) -> dict[str, Any]:
        """What a probe would return: {"status": "ok", "value": observation} or {"status": "raised", "type": ...}."""
        try:
            with np.errstate(all="ignore"):
                return {"status": "ok", "value": observe_backward(fn, self.dout, self.arguments)}
        except Exception as error:
            return {"status": "raised", "type": type(error).__name__}

    def value(self, fn: Backward) -> dict[str, Any]:
        """As observe, of one call alone."""
        arguments = {name: as_argument(name, value) for name, value in self.arguments.items()}
        try:
            with np.errstate(all="ignore"):
                result = fn(copied(self.dout), *arguments.values())
        except Exception as error:
            return {"status": "raised", "type": type(error).__name__}
        return {"status": "ok", "value": {"value": to_plain(result)}}

    def parts(self, output: Mapping[str, Any]) -> dict[str, Any]:
        """The same output, with its gradients by name as the value."""
        if output["status"] != "ok":
            return dict(output)
        return {"status": "ok", "value": gradient_parts(self.arguments, output["value"], self.differentiable)}


def case_sets(op: Op, seed: int) -> list[CaseSet]:
    """All case sets of an operation for one input seed, easiest first."""
    sets = []
    for number, mode in enumerate(op.modes):
        rng = np.random.default_rng([seed, number])
        args = op.make(rng, mode)
        names = argument_names(op.forward, len(args))
        sets.append(CaseSet(mode, op.forward, dict(zip(names, args, strict=True)), tuple(names[i] for i in op.diff), make_dout(op, args, rng)))
    return sets


class Checked(NamedTuple):
    finding: Finding | None
    output: dict[str, Any]
    evaluations: int
    """Forward passes; those that localise the wrong element of a rejected answer are among them."""


def check(case_set: CaseSet, fn: Backward, *, seed: int = 0) -> Checked:
    """The verdict on one case set; ``seed`` draws the directions."""
    return conclude(case_set, fn, case_set.observe(fn), seed=seed)


def conclude(case_set: CaseSet, fn: Backward, output: dict[str, Any], *, seed: int = 0) -> Checked:
    """As ``check``, of an observation at hand."""
    if output["status"] != "ok":
        return Checked(Finding(f"backward raised {output['type']}"), output, 0)

    def observe(dout, arguments):
        with np.errstate(all="ignore"):
            return observe_backward(fn, dout, arguments)

    forward = case_set.forward()
    found = judged(forward, case_set.dout, output["value"], seed=seed, observe=observe)
    return Checked(found[0] if found else None, output, forward.evaluations)


def rejected(op: Op, fn: Backward, seed: int, *, all_modes: bool = True) -> list[str]:
    """The modes on which the checker rejects this backward pass; without ``all_modes`` the hardest of them only."""
    found = []
    for case_set in reversed(case_sets(op, seed)):
        if check(case_set, fn, seed=seed).finding:
            found.append(case_set.mode)
            if not all_modes:
                break
    return found


# ---------------------------------------------------------------- naming


class Name(NamedTuple):
    mistake: str
    """A kind, or nothing when none is proven."""
    alternatives: tuple[str, ...]
    because: str
    by: str
    """What proved it: "protocol", "hypothesis", "mutant" or nothing."""


class MeasuredTrial(Trial):
    """A trial whose truth is measured already: it is the same for every answer to an operation."""

    def __init__(self, case_set: CaseSet, seen: Mapping[str, Any], slopes: Mapping[str, ElementSlopes]) -> None:
        super().__init__(case_set.forward(), case_set.dout, seen)
        self._measured = slopes

    def slopes(self, name: str) -> ElementSlopes:
        return self._measured[gradient_name(name)]


def name(op: Op, fn: Backward, seed: int) -> Name:
    """The name of a rejected answer: by the protocol, by generic hypotheses, then by the mutants of the references."""
    sets, slopes = _measured(_hashable(op), seed)
    outputs = [case_set.observe(fn) for case_set in sets]
    verdicts = (conclude(case_set, fn, output, seed=seed).finding for case_set, output in zip(sets, outputs, strict=True))
    first = next((finding for finding in verdicts if finding), None)
    if first and first.mistake:
        return Name(first.mistake, first.alternatives, first.because, "protocol")
    ran = [(case_set, output["value"], one) for case_set, output, one in zip(sets, outputs, slopes, strict=True) if output["status"] == "ok"]
    proven = name_gradients([MeasuredTrial(*one) for one in ran])
    if proven:
        return Name(proven[0], tuple(proven[2:]), proven[1], "hypothesis")
    known = atlas.named(entries(op, seed), values(sets, outputs))
    return Name(known["mistake"], tuple(known["alternatives"]), known["because"], "mutant") if known else Name("", (), "", "")


def values(sets: Sequence[CaseSet], outputs: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """{part: its value in each case set}, as the atlas takes fingerprints of."""
    return atlas.parts_of([case_set.parts(output) for case_set, output in zip(sets, outputs, strict=True)], dict)


@functools.cache
def _entries(op: Op, seed: int) -> tuple[dict[str, Any], ...]:
    references = {**REFERENCES, **new_operations.REFERENCES}.get(op.name, ())
    sets, slopes = _measured(op, seed)
    if not references or any(check(case_set, reference.function).finding for reference in references for case_set in sets):
        return ()  # no reference, or one of another operation of the same name

    def run(fn):
        return values(sets, [case_set.value(fn) for case_set in sets])

    bent = any(np.any(known.low < known.high) for one in slopes for known in one.values())

    def right(fn):
        """At kinks: whether each number is a valid one; then, and it is rare, whether they are so together."""
        for part, given in run(fn).items():
            for value, one in zip(given, slopes, strict=True):
                fits = isinstance(value, np.ndarray) and part in one and value.shape == one[part].value.shape
                if not fits or not np.allclose(value, np.clip(value, one[part].low, one[part].high), rtol=1e-6, atol=1e-9):
                    return False
        return not any(check(case_set, fn).finding for case_set in sets)

    return tuple(bank([r.source for r in references], references[0].names, [r.name for r in references], run, right=right if bent else None))


def entries(op: Op, seed: int) -> Sequence[Mapping[str, Any]]:
    """The bank of mutants of the operation's references, run on the case sets of this seed."""
    return _entries(_hashable(op), seed)


def _hashable(op):
    return op._replace(diff=tuple(op.diff), modes=tuple(op.modes))


@functools.cache
def _measured(op, seed):
    """(case sets, for each the slopes of every element by name of the gradient)."""
    sets = case_sets(op, seed)
    forwards = [case_set.forward() for case_set in sets]
    slopes = [{gradient_name(n): element_slopes(f, n, [upstream(s.dout)])[0] for n in f.names} for s, f in zip(sets, forwards, strict=True)]
    return sets, slopes


def verdict_on(label: str, named: Name) -> str:
    """ "right", "one of", "unnamed" or "wrong"."""
    if not named.mistake:
        return "unnamed"
    if named.mistake == label:
        return "right"
    return "one of" if label in named.alternatives else "wrong"
