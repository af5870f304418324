"""Exercise and Case, the registry, and the three steps of a check: sample -> probe -> judge.

``run_probe`` is all that ever happens in a graded process; ``conclude`` is all that happens in the trusted one;
``examine`` is both, in place, for a student's own check.
"""

import builtins
import gc
import linecache
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from . import atlas
from .errors import UnknownExercise
from .mistakes import MISTAKES, with_texts
from .plaindata import describe, to_plain
from .report import Finding, Group, Report

# module prefix of an id -> the file that holds its exercises and questions
MODULES = {
    "m01": "m01_derivatives",
    "m02": "m02_micrograd",
    "m03": "m03_layers",
    "m04": "m04_bigram",
    "m05": "m05_mlp",
}


@dataclass(frozen=True)
class Case:
    """One trial."""

    group: str
    """The kind of input this is, in the student's words: "values", "large logits"."""
    inputs: dict[str, Any]
    """Plain data handed to the probe."""
    truth: Any = None
    """What the judge needs and the student's process must not get: a figure worked by hand, an expected value."""
    hidden: bool = False


@dataclass(frozen=True)
class Exercise:
    """One thing the student writes."""

    id: str
    title: str
    takes: str
    """How the object handed to check() is made: "forward_difference(f, x, h)", "class Value"."""
    cases: Callable[[np.random.RandomState], Sequence[Case]]
    """The visible cases. RandomState, because NumPy froze its streams (NEP 19): the same cases on every version."""
    probe: Callable[[Any, dict[str, Any]], Any]
    """probe(student's object, case inputs) -> plain data. The only function that touches the student's object."""
    judge: Callable[[Case, Any], Sequence[Finding]]
    """judge(case, probe output) -> what is wrong; nothing when all is right. Truth never comes from the output."""
    hints: tuple[str, str, str]
    """Concept; rule or shape; the nearest thing to an answer that is not the answer."""
    name: Callable[[Sequence[Case], Sequence[Any]], tuple[str, str] | None] | None = None
    """Proves a mistake from all cases and outputs of a failed check: (kind, one sentence), or None."""
    allows: frozenset[str] = frozenset()
    """Libraries beyond NumPy that an answer may use: {"torch"}. The grader takes the others away."""
    parts: Callable[[Any], Mapping[str, Any]] | None = None
    """parts(probe output) -> {part: plain data}: what is right or wrong by itself, each gradient of a backward pass. None: the output as a whole."""
    by_formula: bool = False
    """Whether slopes are to be derived. An answer that measures them, by a nudge or a complex step, is shown to the instructor; no check looks at it."""

    def visible_cases(self) -> list[Case]:
        """The cases a student's own check runs: the same on every machine."""
        return list(self.cases(np.random.RandomState(zlib.crc32(self.id.encode()))))


@dataclass(frozen=True)
class Question:
    """One predict-then-run question."""

    id: str
    asks: str
    answer: Any
    """A number (compared within ``tolerance``), a string or a tuple."""
    why: str
    """Shown after the guess, right or wrong."""
    tolerance: float = 1e-9


def module_of(exercise_id: str) -> str:
    """ "m01-best-h" -> "m01_derivatives". Raises UnknownExercise."""
    try:
        return MODULES[exercise_id[:3]]
    except (KeyError, TypeError):
        raise UnknownExercise(f"no exercise {exercise_id!r}: ids look like m01-forward-difference") from None


def load(module: str) -> tuple[dict[str, Exercise], dict[str, Question]]:
    """Exercises and questions of one course module ("m01_derivatives"), by id, in lesson order."""
    if module not in MODULES.values():
        raise UnknownExercise(f"no module {module!r}: there are {', '.join(MODULES.values())}")
    content = import_module(f"zerohero.exercises.{module}")
    return {e.id: e for e in content.EXERCISES}, {q.id: q for q in content.QUESTIONS}


def find(exercise_id: str) -> Exercise:
    """The exercise with this id. Raises UnknownExercise, with the nearest id, when there is none."""
    exercises, _ = load(module_of(exercise_id))
    return _look_up(exercise_id, exercises, "exercise")


def find_question(question_id: str) -> Question:
    """The question with this id. Raises UnknownExercise, with the nearest id, when there is none."""
    _, questions = load(module_of(question_id))
    return _look_up(question_id, questions, "question")


def _look_up(wanted, table, kind):
    if wanted in table:
        return table[wanted]
    import difflib

    near = difflib.get_close_matches(wanted, table, n=1, cutoff=0.4)
    raise UnknownExercise(f"no {kind} {wanted!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


# ---------------------------------------------------------------- probe: in the student's process


def run_probe(exercise: Exercise, obj: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """Run one case. Returns plain data and raises nothing but KeyboardInterrupt.

    {"status": "ok", "value": ...}, {"status": "stub"} when the answer is not written, or
    {"status": "raised", "type": ..., "message": ..., "line": ...}.
    """
    collecting = gc.isenabled()
    gc.disable()  # a graph of 100,000 nodes costs twice the time when the collector walks it again and again
    try:
        return {"status": "ok", "value": to_plain(exercise.probe(obj, inputs))}
    except NotImplementedError:
        return {"status": "stub"}
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: an answer may not end the notebook
        return {"status": "raised", "type": type(error).__name__, "message": _message(error), "line": _line(error)}
    finally:
        if collecting:
            gc.enable()


def _message(error):
    try:
        return str(error)[:300]
    except Exception:
        return ""


NOT_THE_STUDENTS = tuple(os.path.dirname(os.path.abspath(file)) + os.sep for file in (__file__, np.__file__))
"""Folders of code that a student's function calls; where the course itself lies in a folder called zerohero, that is none of them."""


def _line(error):
    """The student's source line that raised, for the report. Empty when it is not to be had."""
    frames: list[tuple[str, int]] = []
    tb = error.__traceback__
    while tb is not None and len(frames) < 5000:
        frames.append((tb.tb_frame.f_code.co_filename, tb.tb_lineno))
        tb = tb.tb_next
    for filename, number in reversed(frames):
        if not filename.startswith(NOT_THE_STUDENTS):
            return linecache.getline(filename, number).strip()[:120]
    return ""


# ---------------------------------------------------------------- judge: in a trusted process

# what plain data of an unexpected form can make a judge raise
FORM = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def conclude(exercise: Exercise, cases: Sequence[Case], outputs: Sequence[dict[str, Any]], known: Sequence[Mapping[str, Any]] = ()) -> Report:
    """The report on ``outputs``, one per case. Touches no object of the student's. ``known``: entries of the atlas beyond the shipped ones."""
    if outputs and all(o["status"] == "stub" for o in outputs):
        return Report(exercise.id, exercise.title, "not started", tuple(Group(g, False) for g in _groups(cases)))
    failed: dict[str, Finding] = {}
    for case, output in zip(cases, outputs, strict=True):
        found = _judge_one(exercise, case, output)
        if found and case.group not in failed:
            failed[case.group] = replace(found[0], group=case.group)
    groups = tuple(Group(g, g not in failed) for g in _groups(cases))
    findings = [failed[g] for g in _groups(cases) if g in failed]
    if not findings:
        return Report(exercise.id, exercise.title, "passed", groups)
    if not findings[0].mistake:
        findings[0] = _named(exercise, cases, outputs, findings[0], known)
    return Report(exercise.id, exercise.title, "failed", groups, tuple(_with_texts(f, exercise.id) for f in findings))


def passes(exercise: Exercise, cases: Sequence[Case], outputs: Sequence[dict[str, Any]]) -> bool:
    """Whether ``conclude`` would say "passed"; no name is looked for, and the first wrong case ends it."""
    return not any(_judge_one(exercise, case, output) for case, output in zip(cases, outputs, strict=True))


def examine(exercise: Exercise, obj: Any) -> Report:
    """Probe and judge the visible cases in place."""
    cases = exercise.visible_cases()
    return conclude(exercise, cases, [run_probe(exercise, obj, case.inputs) for case in cases])


def _groups(cases):
    return list(dict.fromkeys(case.group for case in cases))


def _judge_one(exercise, case, output):
    if output["status"] == "stub":
        return [Finding("this part is not written yet", next="replace the line that raises NotImplementedError")]
    if output["status"] == "raised":
        return [_raised(case, output)]
    try:
        return list(exercise.judge(case, output["value"]))
    except FORM:
        # the answer's form surprised the judge: it is no right answer, and the report says what came
        return [
            Finding(
                f"the result is not what {exercise.takes} is to give",
                where=describe(case.inputs),
                actual=describe(output["value"]),
                next="read the docstring again: what is returned, in which shape and order?",
            )
        ]


def _raised(case, output):
    kind = output["type"]
    # a class of the student's own could be named anything: only names of Python's go into feedback
    found = getattr(builtins, kind, None)
    known = kind if isinstance(found, type) and issubclass(found, BaseException) else "an exception"
    mistake, because, step = "", "", "run your function on such an input in a cell of its own and read the traceback"
    if kind == "RecursionError":
        mistake, (because, step) = "RECURSION", MISTAKES["RECURSION"]
    actual = f"{kind}: {output['message']}" + (f"   in: {output['line']}" if output.get("line") else "")
    return Finding(f"your code raised {known}", where=describe(case.inputs), actual=actual, mistake=mistake, because=because, next=step)


def _named(exercise, cases, outputs, finding, more):
    if exercise.name:
        try:
            proven = exercise.name(cases, outputs)
        except FORM:
            proven = None  # the outputs have another form than the hypothesis: it is not proven
        if proven:
            return replace(finding, mistake=proven[0], because=proven[1], alternatives=tuple(proven[2:]))
    about = finding.error_map.of if finding.error_map else ""
    known = atlas.look_up(exercise.id, visible_outputs(cases, outputs), exercise.parts, about, more)
    return replace(finding, **known) if known else finding


def visible_outputs(cases: Sequence[Case], outputs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of the cases that every machine has: what fingerprints are taken of."""
    return [output for case, output in zip(cases, outputs, strict=True) if not case.hidden]


def _with_texts(finding, exercise_id):
    finding = with_texts(finding)
    hint = f'hint("{exercise_id}") for more'
    return replace(finding, next=f"{finding.next}; {hint}" if finding.next else hint)
