"""Seen in a class: unnamed answers are grouped, a group is named once, and every student of it is told."""

import dataclasses
import json

import pytest
import toy
import toy_course
from toy_course import NAME, answered, hand_in
from typer.testing import CliRunner

from zerohero.errors import UnknownExercise, ZeroheroError
from zerohero_autograder import seen
from zerohero_autograder.cli import app
from zerohero_autograder.course_folder import open_course
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.feedback.redact import redacted
from zerohero_autograder.graded_module import KNOWN
from zerohero_autograder.run.notebook import RECORD, reports_of

ODD = "def square(x):\n    return x * x + x / 3"
ODD_TOO = "def square(number):\n    return number * (number + 1 / 3)"  # the same mistake in other words
OTHER = "def square(x):\n    return abs(x) ** 1.5"


@pytest.fixture
def class_of_five(course, sandbox):
    """Two with one mistake, one with another, one right, one not started; graded."""
    for student, text in {"ada": ODD, "bob": ODD_TOO, "cleo": OTHER, "dora": toy_course.SQUARE}.items():
        hand_in(course, student, answered(text), "2030-01-01 10:00:00 UTC")
    hand_in(course, "emil", toy_course.student(), "2030-01-01 10:00:00 UTC")
    grade_all(course, NAME, sandbox=sandbox)
    return course


def notebook(course, student):
    return json.loads((course / "autograded" / student / NAME / f"{NAME}.ipynb").read_text())


def finding(course, student):
    return reports_of(notebook(course, student))["m99-square"].findings[0]


def test_the_same_mistake_in_other_words_is_one_group_and_the_largest_comes_first(class_of_five):
    groups = seen.unnamed(open_course(class_of_five), NAME)
    assert [(g.exercise, g.students, g.parts) for g in groups] == [("m99-square", ("ada", "bob"), ("",)), ("m99-square", ("cleo",), ("",))]
    assert groups[0].finding == finding(class_of_five, "ada").what and len({g.id for g in groups}) == 2
    assert seen.unnamed(open_course(class_of_five), NAME) == groups


def test_a_name_reaches_every_student_of_the_group_and_no_other(class_of_five, sandbox):
    course = open_course(class_of_five)
    group = seen.unnamed(course, NAME)[0]
    seen.add(course, "m99-square", group.id, "MISSING_PATH", "a third of  x\nis added", "leave it out")
    outcomes = {o.student: o for o in grade_all(class_of_five, NAME, sandbox=sandbox)}
    assert [s for s, o in outcomes.items() if not o.skipped] == ["ada", "bob"]  # nobody else is graded again
    for student in ("ada", "bob"):
        told = finding(class_of_five, student)
        assert (told.mistake, told.because) == ("MISSING_PATH", "a third of x is added") and told.next.startswith("leave it out")
    assert not finding(class_of_five, "cleo").mistake
    make_feedback(class_of_five, NAME)
    pages = {s: (class_of_five / "feedback" / s / NAME / f"{NAME}.html").read_text() for s in outcomes}
    assert [s for s, page in pages.items() if "a third of x is added" in page] == ["ada", "bob"]
    assert [g.students for g in seen.unnamed(course, NAME)] == [("cleo",)]
    assert all(o.skipped for o in grade_all(class_of_five, NAME, sandbox=sandbox))


def test_a_student_who_hands_in_later_is_named_at_once(class_of_five, sandbox):
    course = open_course(class_of_five)
    seen.add(course, "m99-square", seen.unnamed(course, NAME)[0].id, "FORMULA", "a third of x is added")
    hand_in(class_of_five, "zoe", answered(ODD))
    grade_all(class_of_five, NAME, sandbox=sandbox, students=["zoe"])
    assert finding(class_of_five, "zoe").because == "a third of x is added"


def test_naming_a_group_again_replaces_the_name(class_of_five, sandbox):
    course = open_course(class_of_five)
    group = seen.unnamed(course, NAME)[0]
    for kind in ("FORMULA", "MISSING_PATH"):
        seen.add(course, "m99-square", group.id, kind, "said again")
    entries = json.loads((class_of_five / KNOWN).read_text())["exercises"]["m99-square"]
    assert [e["mistake"] for e in entries] == ["MISSING_PATH"]


def test_only_the_wrong_parts_make_a_group_and_its_name(class_of_five, sandbox, monkeypatch):
    parted = dataclasses.replace(toy.square, parts=lambda value: {"dx": value["value"], "changed": value["changed"]})
    monkeypatch.setattr(toy.content, "EXERCISES", [parted, toy.toy_class])
    grade_all(class_of_five, NAME, sandbox=sandbox, force=True)
    course = open_course(class_of_five)
    assert notebook(class_of_five, "ada")["metadata"][RECORD]["unnamed"]["m99-square"].keys() == {"dx", "changed"}
    groups = seen.unnamed(course, NAME)
    assert [(g.students, g.parts) for g in groups] == [(("ada", "bob"), ("dx",)), (("cleo",), ("dx",))]
    seen.add(course, "m99-square", groups[0].id, "FORMULA", "a third of x is added")
    assert json.loads((class_of_five / KNOWN).read_text())["exercises"]["m99-square"][0]["parts"].keys() == {"dx"}
    grade_all(class_of_five, NAME, sandbox=sandbox)
    assert finding(class_of_five, "bob").mistake == "FORMULA"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"exercise_id": "m99-sqare"}, "did you mean 'm99-square'"),
        ({"group_id": "zzzzzz"}, "has no unnamed group 'zzzzzz'"),
        ({"mistake": "OVERWRITES"}, "did you mean 'OVERWRITE'"),
        ({"because": " \n"}, "needs one sentence"),
    ],
)
def test_a_wrong_word_is_answered_with_the_nearest(class_of_five, change, says):
    course = open_course(class_of_five)
    given = {"exercise_id": "m99-square", "group_id": seen.unnamed(course, NAME)[0].id, "mistake": "FORMULA", "because": "so it is"} | change
    with pytest.raises((CourseError, UnknownExercise), match=says):
        seen.add(course, **given)
    assert not (class_of_five / KNOWN).exists()


def test_the_nearest_group_is_named(class_of_five):
    course = open_course(class_of_five)
    id = seen.unnamed(course, NAME)[0].id
    with pytest.raises(CourseError, match=f"did you mean {id!r}"):
        seen.add(course, "m99-square", id[:-1], "FORMULA", "so it is")


def test_an_unknown_module_is_said(class_of_five):
    with pytest.raises(CourseError, match=f"did you mean '{NAME}'"):
        seen.unnamed(open_course(class_of_five), "m99_tuy")


def test_a_spoilt_file_of_names_is_said(class_of_five):
    (class_of_five / KNOWN).write_text("[]")
    with pytest.raises(ZeroheroError, match="not a file of known mistakes"):
        open_course(class_of_five).module(NAME)


def test_fingerprints_are_not_in_what_a_student_gets(class_of_five):
    graded = notebook(class_of_five, "ada")
    prints = graded["metadata"][RECORD]["unnamed"]["m99-square"][""]
    make_feedback(class_of_five, NAME)
    page = (class_of_five / "feedback" / "ada" / NAME / f"{NAME}.html").read_text()
    assert prints["form"] not in page and prints["form"] not in json.dumps(redacted(graded))


def test_right_named_and_unwritten_answers_leave_no_fingerprint(class_of_five, sandbox):
    hand_in(class_of_five, "neg", answered("def square(x):\n    return -x * x"))
    grade_all(class_of_five, NAME, sandbox=sandbox, students=["neg"])
    assert finding(class_of_five, "neg").mistake == "SIGN_FLIP"
    assert not any(notebook(class_of_five, s)["metadata"][RECORD]["unnamed"] for s in ("neg", "dora", "emil"))


def test_the_commands(class_of_five, sandbox):
    def run(*words):
        made = CliRunner().invoke(app, ["atlas", *words, "--course", str(class_of_five)])
        assert made.exit_code == 0, made.output
        return made.output

    listed = run("unnamed", NAME)
    first = listed.splitlines()[0].split()
    assert first[0] == "m99-square" and "2 students" in listed and "ada, bob" in listed
    assert "MISSING_PATH for 2 students: ada, bob" in run("add", "m99-square", first[1], "--mistake", "MISSING_PATH", "--because", "a third of x is added")
    grade_all(class_of_five, NAME, sandbox=sandbox)
    assert "1 student:" in run("unnamed", NAME)
    run("add", "m99-square", run("unnamed", NAME).split()[1], "--mistake", "FORMULA", "--because", "the exponent is 1.5")
    grade_all(class_of_five, NAME, sandbox=sandbox)
    assert "has a name" in run("unnamed", NAME)
