"""Judging what a stranger sent costs bounded time and memory, and one exercise at most."""

import json
import os
import resource
import signal
import time
from dataclasses import replace

import numpy as np
import psutil
import pytest

from zerohero.exercise import find
from zerohero.gradcheck import difference
from zerohero.plaindata import encode
from zerohero.report import ErrorMap, Finding
from zerohero_autograder import child, judging
from zerohero_autograder.judge import MAX_FIELD, judge
from zerohero_autograder.judging import judge_all

MIB = 2**20


@pytest.fixture
def square(module):
    return find("m99-square"), module.cases["m99-square"]


def outputs(cases, value):
    """The text of an output whose every value is ``value``, given as JSON."""
    one = f'{{"status": "ok", "value": {{"value": {value}, "again": {value}, "changed": []}}}}'
    return "[" + ",".join([one] * len(cases)) + "]"


def todo(square, *judges):
    """One exercise per judge, each with the same output."""
    exercise, cases = square
    return {f"m99-{i}": (replace(exercise, id=f"m99-{i}", judge=one), cases, [outputs(cases, "1.0")]) for i, one in enumerate(judges)}


def passes(case, output):
    return []


def test_a_judge_without_end_costs_its_exercise_only(square, monkeypatch):
    def spins(case, output):
        while True:
            pass

    monkeypatch.setattr(judging, "SECONDS", 0.2)
    verdicts = judge_all(todo(square, passes, spins, passes))
    assert [v.report.score for v in verdicts.values()] == [1, 0, 1]
    assert verdicts["m99-1"].note == "m99-1: judging ended without a verdict (limits: 0.2 s of processor time, 120 s in all)"
    assert "takes too long to judge" in verdicts["m99-1"].report.findings[0].what


def test_a_judge_that_waits_is_ended_too(square, monkeypatch):
    monkeypatch.setattr(judging, "WALL", 0.3)
    started = time.monotonic()
    verdicts = judge_all(todo(square, lambda case, output: time.sleep(60), passes))
    assert [v.report.score for v in verdicts.values()] == [0, 1] and time.monotonic() - started < 5


def test_a_judge_that_ends_the_process_ends_its_own(square):
    verdicts = judge_all(todo(square, lambda case, output: os._exit(0), passes))
    assert [v.report.score for v in verdicts.values()] == [0, 1]


def test_a_judge_that_somebody_kills_is_asked_once_more(square, tmp_path):
    """A kernel short of memory, say. It says nothing about the answer, so it costs no points."""

    def killed_once(case, output):
        if not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return []

    verdicts = judge_all(todo(square, passes, killed_once, passes))
    assert [(v.report.score, v.note) for v in verdicts.values()] == [(1, "")] * 3


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the limit needs /proc")
def test_a_judge_that_fills_the_memory_is_told_so(square, monkeypatch):
    monkeypatch.setattr(child, "MEMORY", 200 * MIB)
    verdicts = judge_all(todo(square, lambda case, output: np.ones(400 * MIB // 8)[:0].tolist(), passes))
    assert [v.report.score for v in verdicts.values()] == [0, 1] and "MemoryError" in verdicts["m99-0"].note


def test_no_process_is_left(square):
    before = psutil.Process().children()  # other tests of this process may have some
    judge_all(todo(square, passes))
    assert psutil.Process().children() == before


def test_the_verdict_is_the_one_of_judge(square):
    exercise, cases = square
    text = outputs(cases, "9.0")
    assert judge_all({exercise.id: (exercise, cases, [text])}) == {exercise.id: judge(exercise, cases, [text])}


def repeated(item, number):
    return "[" + ",".join([item] * number) + "]"


BOMBS = {
    "numbers": repeated("1", 350_000),
    "lists": repeated("[]", 300_000),
    "dicts": repeated('{"a":1}', 90_000),
    "deep": "[" * 10 + repeated("1.5", 200_000) + "]" * 10,
    "one long string": '["' + "x" * 900_000 + '"]',
    "long strings": repeated(f'"{"x" * 9_999}"', 90),
    "long and short strings": repeated('""', 12_000)[:-1] + ',"' + "x" * 9_999 + '"]',
    "digits": repeated("9" * 4_000, 200),
    "beyond digits": "9" * 900_000,
    "array": json.dumps({"__array__": "uint8", "shape": [600_000], "data": "A" * 800_000}),
    "array of arrays": repeated(encode(np.zeros(1)), 10_000),
    "empty array of any size": '{"__array__": "float64", "shape": [0, 9223372036854775807], "data": ""}',
}


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("expected", ["a number", "an array"])
def test_megabytes_of_anything_are_judged_in_a_second(square, bomb, expected):
    exercise, cases = square
    if expected == "an array":
        exercise = replace(exercise, judge=lambda case, out: [difference("x", np.ones(3), out["value"])])
    text = f"[{outputs(cases[:4], BOMBS[bomb])[1:-1]}, {outputs(cases[4:], '1.0')[1:-1]}]"
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    assert judge(exercise, cases, [text]).report.score == 0
    assert time.process_time() - started < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024


def test_a_report_has_short_fields_whatever_was_sent(square):
    exercise, cases = square
    talks = replace(exercise, judge=lambda case, out: [exercise.judge(case, out)[0].__class__("w" * 9_000, actual=str(out) * 500)])
    report = judge(talks, cases, [outputs(cases, "1.0")]).report
    assert all(len(value) <= MAX_FIELD for finding in report.findings for value in vars(finding).values() if isinstance(value, str))


def test_a_map_and_every_kind_come_through(square):
    exercise, cases = square
    drawn = ErrorMap("dx", (2, 2), (1, 1), ((0.0, 0.5), (None, 0.0)))
    found = Finding("`x` is wrong", mistake="OVERWRITE", alternatives=("MISSING_PATH",), error_map=drawn)
    first = judge(replace(exercise, judge=lambda case, out: [found]), cases, [outputs(cases, "1.0")]).report.findings[0]
    assert (first.error_map, first.kinds) == (drawn, ("OVERWRITE", "MISSING_PATH"))
