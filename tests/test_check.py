"""check(), hint() and predict(): what a student sees."""

import json

import pytest

from zerohero import check, hint, predict
from zerohero.checking import _hint_for_lab
from zerohero.errors import CheckFailed, NotStarted, UnknownExercise, WrongObject, ZeroheroError
from zerohero.exercise import examine, find, passes, run_probe


def test_a_right_answer_passes_and_says_so(toy, capsys):
    assert check("m99-square", lambda x: x * x).passed
    assert capsys.readouterr().out == "m99-square: passed\n"


def test_a_wrong_answer_raises_with_the_whole_report(toy):
    with pytest.raises(CheckFailed) as caught:
        check("m99-square", lambda x: 2 * x)
    lines = str(caught.value).split("\n")
    assert lines[0] == "m99-square: `square` is wrong (0 of 2 groups pass)"
    assert lines[2:5] == ["  where     x = 3", "  expected  9", "  actual    6"]
    assert isinstance(caught.value, AssertionError) and caught.value.report.score == 0


def _not_written(x):
    raise NotImplementedError


@pytest.mark.parametrize(
    ("answer", "right"), [(lambda x: x * x, True), (lambda x: 2 * x, False), (lambda x: x * x if x > 0 else 0, False), (_not_written, False)]
)
def test_passes_says_what_a_whole_report_would_say(toy, answer, right):
    exercise = find("m99-square")
    cases = exercise.visible_cases()
    assert passes(exercise, cases, [run_probe(exercise, answer, case.inputs) for case in cases]) == examine(exercise, answer).passed == right


def test_a_constant_factor_is_proven_and_named(toy):
    with pytest.raises(CheckFailed) as caught:
        check("m99-square", lambda x: x * x / 2)
    assert caught.value.report.findings[0].mistake == "WRONG_CONSTANT"
    assert "times 1/2" in caught.value.report.findings[0].because


def test_a_right_group_earns_its_share(toy):
    with pytest.raises(CheckFailed) as caught:
        check("m99-square", lambda x: x * x if x < 1e5 else 0.0)
    assert caught.value.report.score == 0.5
    assert [g.passed for g in caught.value.report.groups] == [True, False]


def test_a_stub_is_not_started_in_one_line(toy):
    def square(x):
        raise NotImplementedError("m99-square is not written yet")

    with pytest.raises(NotStarted) as caught:
        check("m99-square", square)
    assert caught.value._render_traceback_() == ["m99-square: not started"]


def test_an_exception_is_shown_with_its_line_and_without_our_frames(toy):
    def square(x):
        return 1 / (x - x)

    with pytest.raises(CheckFailed) as caught:
        check("m99-square", square)
    assert "your code raised ZeroDivisionError" in str(caught.value)
    assert "in: return 1 / (x - x)" in str(caught.value)
    assert all("Traceback" not in line for line in caught.value._render_traceback_())


def test_sys_exit_does_not_end_the_notebook(toy):
    with pytest.raises(CheckFailed, match="raised SystemExit"):
        check("m99-square", lambda x: exit(0))


def test_an_interrupt_is_passed_on(toy):
    def square(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("m99-square", square)


@pytest.mark.parametrize("obj", [3, None, 9.0, "square", [1], int])
def test_the_wrong_object_is_said_by_name(toy, obj):
    with pytest.raises(WrongObject, match=r"m99-square checks the function square\(x\), but was handed a"):
        check("m99-square", obj)


def test_an_instance_where_a_class_is_due(toy):
    with pytest.raises(WrongObject, match="pass the class itself"):
        check("m99-class", object())


@pytest.mark.parametrize("returned", [None, "9", [9.0], {"a": 1}, object(), 9 + 0j, float("nan"), True, lambda: 0])
def test_any_other_thing_that_comes_back_fails_without_a_crash(toy, returned):
    with pytest.raises(CheckFailed):
        check("m99-square", lambda x: returned)


def test_changing_state_between_calls_is_named(toy):
    calls = []

    def square(x):
        calls.append(x)
        return x * x + len(calls)

    with pytest.raises(CheckFailed) as caught:
        check("m99-square", square)
    assert caught.value.report.findings[0].mistake == "STATE_LEAK"


@pytest.mark.parametrize("wrong, near", [("m99-sqare", "m99-square"), ("m99-predict-sqare", "m99-predict-square")])
def test_an_unknown_id_gets_the_nearest(toy, wrong, near):
    with pytest.raises(UnknownExercise, match=near):
        predict(wrong) if "predict" in wrong else check(wrong, abs)


@pytest.mark.parametrize("odd", ["", "nonsense", 3, None])
def test_an_id_that_is_none(toy, odd):
    with pytest.raises(UnknownExercise):
        check(odd, abs)


def test_hints_come_one_at_a_time(toy, capsys, monkeypatch):
    monkeypatch.setattr("zerohero.checking._hints_given", {})
    for expected in ("hint 1 of 3: a concept", "hint 2 of 3: a rule", "hint 3 of 3: nearly the answer", "hint 3 of 3: nearly the answer"):
        hint("m99-square")
        assert capsys.readouterr().out.startswith(expected)


def test_the_lab_extension_gets_one_hint_as_plain_json_and_hint_goes_on_after_it(toy, capsys, monkeypatch):
    monkeypatch.setattr("zerohero.checking._hints_given", {})
    assert json.loads(json.dumps(_hint_for_lab("m99-square", 2))) == {"exercise": "m99-square", "number": 2, "of": 3, "text": "a rule"}
    _hint_for_lab("m99-square", 1)  # shown once more after a reload
    assert capsys.readouterr().out == ""
    hint("m99-square")
    assert capsys.readouterr().out.startswith("hint 3 of 3")


@pytest.mark.parametrize("number", [0, 4, -1, "2"])
def test_a_hint_that_is_none(toy, number):
    with pytest.raises(LookupError, match="m99-square has 3 hints"):
        _hint_for_lab("m99-square", number)


def test_predict_without_a_guess_keeps_the_answer(toy, capsys):
    predict("m99-predict-square", guess=None)
    out = capsys.readouterr().out
    assert "what is the square of 3?" in out and "3 times 3." not in out and " 9 " not in out


@pytest.mark.parametrize("guess, verdict", [(9, "as you said"), (9.0, "as you said"), (6, "not 6")])
def test_predict_says_why(toy, capsys, guess, verdict):
    predict("m99-predict-square", guess)
    out = capsys.readouterr().out
    assert verdict in out and "3 times 3." in out


def test_predict_refuses_another_kind_of_guess(toy):
    with pytest.raises(ZeroheroError, match="asks for a number"):
        predict("m99-predict-square", "nine")
