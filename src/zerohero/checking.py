"""check(id, obj) and hint(id): the student's door.

In a notebook check() shows a report and raises CheckFailed when something is wrong. In the grader's sandbox the same
call only runs the probe on the cases it was handed and emits what came out: there is nothing to judge with, and
nothing to learn the verdict from.
"""

from textwrap import fill
from typing import Any

from . import grading
from .errors import CheckFailed, NotStarted, WrongObject
from .exercise import examine, find
from .predicting import WIDTH
from .report import Report
from .show import show, text

_hints_given: dict[str, int] = {}


def check(exercise_id: str, obj) -> Report | None:
    """Check the student's function or class ``obj`` for one exercise, and show the report.

    Returns the report outside a notebook; in one it is shown, and a returned one would be printed below it once more.
    Raises NotStarted when obj still is the stub, CheckFailed when it is not right (its ``.report`` says why),
    WrongObject when obj is nothing this exercise could be, UnknownExercise when there is no such id.
    """
    exercise = find(exercise_id)
    _insist_on_kind(exercise, obj)
    session = grading.session()
    if session is not None:
        session.probe(exercise, obj)
        return None
    report = examine(exercise, obj)
    if report.status == "not started":
        raise NotStarted(report.headline, report)
    shown = show(report)
    if not report.passed:
        raise CheckFailed(f"{report.headline}; see the report above" if shown else text(report), report)
    return None if shown else report


def _insist_on_kind(exercise, obj):
    wants_class = exercise.takes.startswith("class ")
    kind = f"{type(obj).__name__} object" if not isinstance(obj, type) else f"class {obj.__name__}"
    if wants_class and not isinstance(obj, type):
        raise WrongObject(f"{exercise.id} checks {exercise.takes}, but was handed a {kind}; pass the class itself, without ()")
    if not wants_class and (not callable(obj) or isinstance(obj, type)):
        raise WrongObject(f"{exercise.id} checks the function {exercise.takes}, but was handed a {kind}; pass the function itself, without ()")


def hint(exercise_id: str) -> None:
    """Print the next of three hints: the concept, then the rule, then the nearest thing to an answer that is not the answer."""
    hints = find(exercise_id).hints
    number = min(_hints_given.get(exercise_id, 0) + 1, len(hints))
    _hints_given[exercise_id] = number
    more = f"call hint({exercise_id!r}) again for the next" if number < len(hints) else "that was the last one"
    print(fill(f"hint {number} of {len(hints)}: {hints[number - 1]}", WIDTH) + f"\n({more})")


def _hint_for_lab(exercise_id: str, number: int) -> dict[str, Any]:
    """Hint ``number``, 1 to 3, as plain JSON: what the JupyterLab extension shows under a report. hint() then goes on after it.

    Raises UnknownExercise, and LookupError when there is no such hint.
    """
    hints = find(exercise_id).hints
    if number not in range(1, len(hints) + 1):
        raise LookupError(f"{exercise_id} has {len(hints)} hints, none with the number {number}")
    _hints_given[exercise_id] = max(_hints_given.get(exercise_id, 0), number)
    return {"exercise": exercise_id, "number": number, "of": len(hints), "text": hints[number - 1]}
