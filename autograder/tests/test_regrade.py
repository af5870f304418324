"""Regrading: everyone, one student, one exercise, after a change of the hidden cases; and what a dry run says before."""

import io
import json
import re
import sys

import pytest
from rich.console import Console
from toy_course import NAME, SQUARE, answered, hand_in

from zerohero.exercise import Case
from zerohero_autograder import cli
from zerohero_autograder.course_folder import open_course
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.progress import Progress
from zerohero_autograder.record import open_gradebook, recorded_scores
from zerohero_autograder.run.notebook import RECORD, reports_of

BUT_ONE = "def square(x):\n    return x * x if x != 9000 else 0.0"
"""Right for the cases of the toy module, wrong for the harder one below."""
WRONG_CLASS = "class Toy:\n    value = 2.0"


@pytest.fixture
def graded(course, sandbox):
    hand_in(course, "ada", answered())
    hand_in(course, "bob", answered(square=BUT_ONE))
    hand_in(course, "cleo", answered(cls=WRONG_CLASS))
    grade_all(course, NAME, sandbox=sandbox)
    sandbox.runs.clear()
    return course


def harder(monkeypatch):
    """Other hidden cases, as after an edit of the hidden module."""
    monkeypatch.setitem(sys.modules["zerohero_autograder.hidden.m99_toy"].CASES, "m99-square", lambda rng: [Case("large", {"x": 9000.0})])


def everything(course):
    return {file.relative_to(course): (file.read_bytes(), file.stat().st_mtime_ns) for file in course.rglob("*") if file.is_file()}


def notebook(course, student):
    return json.loads((course / "autograded" / student / NAME / f"{NAME}.ipynb").read_text())


def scores(course):
    found = recorded_scores(open_course(course), NAME)
    assert found == {student: notebook(course, student)["metadata"][RECORD]["scores"] for student in found}
    return {student: tuple(of[id] for id in ("m99-square", "m99-class")) for student, of in found.items()}


def test_changed_hidden_cases_are_graded_without_collecting_again(graded, sandbox, monkeypatch):
    before = scores(graded)
    harder(monkeypatch)
    outcomes = grade_all(graded, NAME, sandbox=sandbox)
    assert [o.reason for o in outcomes] == ["cells, points or cases of the module changed"] * 3 and not [o for o in outcomes if o.skipped]
    now = scores(graded)
    assert before["bob"][0] == 2 > now["bob"][0] and now["ada"] == before["ada"] == (2, 1.5) and now["cleo"] == before["cleo"]
    assert all(o.skipped for o in grade_all(graded, NAME, sandbox=sandbox))


def test_a_dry_run_says_what_would_change_and_writes_nothing(graded, sandbox, monkeypatch):
    harder(monkeypatch)
    hand_in(graded, "dan", answered())
    before = everything(graded)
    outcomes = {o.student: o for o in grade_all(graded, NAME, sandbox=sandbox, dry_run=True, workers=2)}
    assert everything(graded) == before
    assert {s: (o.reason, dict(o.changes)) for s, o in outcomes.items()} == {
        "ada": ("cells, points or cases of the module changed", {}),
        "bob": ("cells, points or cases of the module changed", {"m99-square": (2.0, 1.0)}),
        "cleo": ("cells, points or cases of the module changed", {}),
        "dan": ("not graded yet", {"m99-square": (None, 2.0), "m99-class": (None, 1.5)}),
    }
    grade_all(graded, NAME, sandbox=sandbox)
    assert {s: sum(of) for s, of in scores(graded).items()} == {s: o.score for s, o in outcomes.items()}


def test_a_dry_run_before_the_first_grading_makes_no_gradebook(course, sandbox):
    hand_in(course, "ada", answered())
    before = everything(course)
    assert [o.reason for o in grade_all(course, NAME, sandbox=sandbox, dry_run=True)] == ["not graded yet"]
    assert everything(course) == before


def test_one_exercise_again_leaves_the_others(graded, sandbox, monkeypatch):
    """Even where they would score otherwise now. A submission that is new or changed is graded in full."""
    harder(monkeypatch)
    hand_in(graded, "dan", answered(square=BUT_ONE))
    hand_in(graded, "cleo", answered())
    old = {student: notebook(graded, student) for student in ("ada", "bob", "cleo")}
    before = scores(graded)
    grade_all(graded, NAME, students=["ada", "bob"], sandbox=sandbox, exercises=["m99-class"])
    assert scores(graded) == before  # bob's square is wrong by now, but was not asked for
    with open_gradebook(graded) as gradebook:  # a score that a person gave
        gradebook.find_grade("m99-class", NAME, NAME, "bob").manual_score = 1.0
        gradebook.db.commit()
    outcomes = {o.student: o for o in grade_all(graded, NAME, sandbox=sandbox, exercises=["m99-square"])}
    now = scores(graded)
    assert now["ada"] == before["ada"] and now["bob"] == (1.0, before["bob"][1]) and now["dan"][0] == 1.0 and now["cleo"] == (2.0, 1.5)
    assert outcomes["bob"].changes == {"m99-square": (2.0, 1.0)} and outcomes["bob"].score == sum(now["bob"])
    new = notebook(graded, "bob")
    reports, were = reports_of(new), reports_of(old["bob"])
    assert reports["m99-class"] == were["m99-class"] and reports["m99-square"] != were["m99-square"]
    with open_gradebook(graded) as gradebook:
        kept = gradebook.find_grade("m99-class", NAME, NAME, "bob")
        assert (kept.manual_score, kept.needs_manual_grade) == (1.0, False)  # not touched, so not to be looked at again
    assert [o.student for o in grade_all(graded, NAME, sandbox=sandbox) if o.skipped] == ["cleo", "dan"]  # the others' second exercise is out of date


def test_one_exercise_again_when_nothing_else_changed_leaves_nothing_to_do(graded, sandbox):
    before = everything(graded / "autograded")
    outcomes = grade_all(graded, NAME, sandbox=sandbox, exercises=["m99-square"])
    assert len(sandbox.runs) == 3 and not [o for o in outcomes if o.changes or o.skipped]
    assert {name: data for name, (data, _) in everything(graded / "autograded").items()} == {name: data for name, (data, _) in before.items()}
    assert all(o.skipped for o in grade_all(graded, NAME, sandbox=sandbox))


def test_one_student_and_one_exercise(graded, sandbox, monkeypatch):
    harder(monkeypatch)
    before = scores(graded)
    assert [o.student for o in grade_all(graded, NAME, students=["bob"], exercises=["m99-square"], sandbox=sandbox)] == ["bob"]
    assert scores(graded) == {**before, "bob": (1.0, 1.5)}


def test_an_unknown_exercise(graded, sandbox):
    with pytest.raises(CourseError, match=r"m99_toy has no exercise 'm99-sqare'; did you mean 'm99-square'\?"):
        grade_all(graded, NAME, sandbox=sandbox, exercises=["m99-sqare"])


# ---------------------------------------------------------------- what is shown


def shown(outcomes, **terminal):
    out = io.StringIO()
    with Progress(Console(file=out, highlight=False, soft_wrap=True, markup=False, emoji=False, width=160, **terminal), dry_run=False) as progress:
        for done, outcome in enumerate(outcomes, 1):
            progress.tell(outcome, done, len(outcomes))
    return out.getvalue()


def test_lines_without_a_terminal_and_a_bar_with_counts_on_one(course, sandbox):
    hand_in(course, "ada", answered())
    grade_all(course, NAME, sandbox=sandbox)
    hand_in(course, "[red]x", answered(square=SQUARE + "\nimport zerohero.exercises"))
    hand_in(course, b"\xff".decode("utf-8", "surrogateescape"), answered())
    outcomes = sorted(grade_all(course, NAME, sandbox=sandbox), key=lambda outcome: not outcome.skipped)
    lines = shown(outcomes).splitlines()
    assert lines[:2] == ["[1/3] ada: 3.5 of 3.5 (unchanged)", "[2/3] [red]x: 3.5 of 3.5 (graded)"] and lines[2].startswith(
        "    for you: m99-square: a part of the checker is named"
    )
    assert lines[3] == "[3/3] \\udcff: 0 of 3.5 (not recorded)" and len(lines) == 5 and lines[4].endswith("run this again to grade it")
    bar = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown(outcomes, force_terminal=True))
    assert "3/3 1 graded, 1 unchanged, 1 failed, 1 flagged" in bar and lines[1] in bar


def test_the_command_and_its_dry_run(graded, sandbox, monkeypatch, capsys):
    from typer.testing import CliRunner

    from zerohero_autograder import driver

    monkeypatch.setattr(driver, "choose", lambda unsafe: sandbox)
    harder(monkeypatch)
    before = everything(graded)
    result = CliRunner().invoke(cli.app, ["grade", NAME, "--course", str(graded), "--dry-run", "--workers", "1", "--exercise", "m99-square"])
    assert result.exit_code == 0 and everything(graded) == before
    assert "bob: 2.5 of 3.5 (would be graded: cells, points or cases of the module changed)\n    m99-square: 2 -> 1\n" in result.output
    assert result.output.endswith("3 submissions of m99_toy: scores of 1 would change, 0 could not be graded. Nothing was recorded\n")
    result = CliRunner().invoke(cli.app, ["grade", NAME, "--course", str(graded), "--workers", "2"])
    assert result.exit_code == 0 and result.output.endswith("3 submissions of m99_toy: 3 in the gradebook, 0 not recorded\n")
    assert sum(scores(graded)["bob"]) == 2.5
