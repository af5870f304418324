"""Values of hidden cases are known inside the jail. Nothing a graded process sends comes back to its student in words."""

import copy
from pathlib import Path

import numpy as np
import pytest

from zerohero.exercise import MODULES, find, load, run_probe
from zerohero.plaindata import Other, encode
from zerohero.show import html, text
from zerohero_autograder.build.atlas import wrong_answers
from zerohero_autograder.hidden import hidden_cases
from zerohero_autograder.judge import judge

COURSE = Path(__file__).parents[3] / "course"
EXERCISES = [e for module in MODULES.values() for e in load(module)[0]]
WORD, NUMBER = "Canary", 7919.123456789
SAID = [WORD, NUMBER, [WORD] * 3, [NUMBER] * 3, {WORD: WORD}, Other(WORD), np.full((2, 3), NUMBER), {"raised": WORD, "message": WORD}, {"kind": WORD}]


@pytest.fixture(scope="module")
def honest():
    """{exercise id: (a hidden case of each group, an output for each)}: what a known wrong answer gives has the form that a right one gives."""
    found = {}
    for module in MODULES.values():
        for _, wrong in wrong_answers(COURSE, module):
            if wrong.exercise not in found or not any(output["status"] == "ok" for output in found[wrong.exercise][1]):
                exercise = find(wrong.exercise)
                cases = list({case.group: case for case in hidden_cases(module, exercise.id, "one-secret-one-secret")}.values())
                found[exercise.id] = cases, [run_probe(exercise, wrong.answer, case.inputs) for case in cases]
    return found


def places(value, place=()):
    yield place
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*place, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*place, 0))


def put(value, place, new):
    if not place:
        return new
    value = copy.copy(value)
    value[place[0]] = put(value[place[0]], place[1:], new)
    return value


def forged(outputs, place, new):
    """The outputs with ``new`` in one place of each that has it."""
    made = []
    for output in outputs:
        try:
            made.append({"status": "ok", "value": put(output["value"], place, new)})
        except (LookupError, TypeError):
            made.append(output)
    return made


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_nothing_sent_is_shown(honest, exercise_id):
    exercise, (cases, outputs) = find(exercise_id), honest[exercise_id]
    every = [output["value"] for output in outputs if output["status"] == "ok"]
    assert every
    sent = [forged(outputs, place, new) for place in sorted({p for value in every for p in places(value)}, key=str) for new in SAID]
    for kind in (WORD, "ZeroDivisionError", "int", "__import__", "<b>"):
        sent.append([{"status": "raised", "type": kind, "message": WORD, "line": f"{WORD} {NUMBER}"}] * len(cases))
    for one in sent:
        verdict = judge(exercise, cases, [encode(one)])
        shown = html(verdict.report.without_values()) + text(verdict.report.without_values())
        assert WORD not in shown and "7919" not in shown and verdict.note == "", one


def test_of_an_exception_only_pythons_own_names_are_shown(module):
    exercise, cases = find("m99-square"), module.cases["m99-square"]
    for kind, shown in (("ZeroDivisionError", "ZeroDivisionError"), ("Hidden7919", "an exception"), ("int", "an exception"), ("print", "an exception")):
        report = judge(exercise, cases, [encode([{"status": "raised", "type": kind, "message": "7919", "line": ""}] * len(cases))]).report
        assert report.findings[0].what == f"your code raised {shown}"
