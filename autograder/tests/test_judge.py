"""Whatever text comes out of a jail, there is a verdict, and only right outputs earn points."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zerohero.exercise import find, run_probe
from zerohero.plaindata import encode
from zerohero_autograder.judge import MOST, judge


@pytest.fixture
def square(module):
    return find("m99-square"), module.cases["m99-square"]


def real(exercise, cases, function):
    return encode([run_probe(exercise, function, case.inputs) for case in cases])


def test_right_outputs_pass_and_wrong_ones_do_not(square):
    exercise, cases = square
    assert judge(exercise, cases, [real(exercise, cases, lambda x: x * x)]).report.score == 1
    assert judge(exercise, cases, [real(exercise, cases, lambda x: -x * x)]).report.score == 0


def test_a_table_of_the_visible_answers_fails_on_the_hidden_cases(square):
    exercise, cases = square
    table = {case.inputs["x"]: case.inputs["x"] ** 2 for case in exercise.visible_cases()}
    report = judge(exercise, cases, [real(exercise, cases, lambda x: table.get(x, 0.0))]).report
    assert [(g.name, g.passed) for g in report.groups] == [("values", False), ("large", True), ("negative", False)]


def test_the_best_of_several_outputs_counts(square):
    exercise, cases = square
    right, wrong = real(exercise, cases, lambda x: x * x), real(exercise, cases, lambda x: 0.0)
    assert judge(exercise, cases, [wrong, right, "nonsense"]).report.passed
    assert judge(exercise, cases, [right, wrong]).report.passed


def test_a_check_in_a_loop_does_not_keep_the_judge_busy(square):
    exercise, cases = square
    judged = []
    counting = replace(exercise, judge=lambda case, out: judged.append(1) or [])
    judge(counting, cases, [real(exercise, cases, lambda x: x * x)] * 500)
    assert len(judged) == MOST * len(cases)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{",
        '"passed"',
        '{"status": "passed"}',
        "[" * 100_000,
        "[1, 2]",
        json.dumps([{"status": "ok"}] * 8),
        json.dumps([{"status": "passed", "value": 1}] * 8),
        json.dumps([{"status": "ok", "value": 9, "score": 1}] * 8),
        json.dumps([{"status": "raised", "type": 1, "message": "", "line": ""}] * 8),
        json.dumps([{"status": "raised", "type": "E"}] * 8),
        '[{"__array__": "object", "shape": [1], "data": ""}]',
        '[{"__array__": ["float64"], "shape": [1], "data": ""}]',
        '[{"__array__": "float64", "shape": [1e400], "data": ""}]',
        '[{"__float__": []}]',
    ],
)
def test_what_is_no_output_of_a_check_is_no_points(square, text):
    report = judge(*square, [text]).report
    assert report.score == 0 and "cannot be read" in report.findings[0].what


def test_too_many_or_too_few_outputs_are_no_points(square):
    exercise, cases = square
    for number in (len(cases) - 1, len(cases) + 1):
        assert judge(exercise, cases, [encode([{"status": "ok", "value": 9.0}] * number)]).report.score == 0


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "again", "status", "a"]), inner, max_size=3), max_leaves=10))  # fmt: skip
def test_any_value_gets_a_verdict(square, value):
    exercise, cases = square
    text = json.dumps([{"status": "ok", "value": value}] * len(cases))
    assert judge(exercise, cases, [text]).report.score <= 1


def test_a_judge_that_fails_costs_one_exercise_and_says_where(square):
    exercise, cases = square

    def fails(case, out):
        raise RuntimeError("a mistake of ours")

    verdict = judge(replace(exercise, judge=fails), cases, [real(exercise, cases, lambda x: x)])
    assert verdict.report.score == 0 and "your instructor has been told" in verdict.report.findings[0].next
    assert verdict.note.startswith("m99-square: judging raised RuntimeError at test_judge.py:")


def test_half_surrogates_do_not_reach_a_file(square):
    exercise, cases = square
    text = json.dumps([{"status": "raised", "type": "\ud800", "message": "\udfff", "line": "\ud800"}] * len(cases))
    json.dumps(judge(exercise, cases, [text]).report.to_json(), ensure_ascii=False).encode()
    text = json.dumps([{"status": "ok", "value": {"\ud800": "\udfff"}}] * len(cases))
    json.dumps(judge(exercise, cases, [text]).report.to_json(), ensure_ascii=False).encode()


def test_an_unwritten_answer_is_not_started(square):
    exercise, cases = square
    assert judge(exercise, cases, [encode([{"status": "stub"}] * len(cases))]).report.status == "not started"
