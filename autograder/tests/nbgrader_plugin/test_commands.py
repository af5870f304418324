"""`nbgrader autograde` and `nbgrader generate_feedback` in our courses, run in this process; the end-to-end test runs the programs."""

import json
import shutil

import nbformat
import pytest
import toy_course
from nbgrader.apps import AutogradeApp, GenerateFeedbackApp
from toy_course import NAME, answered, hand_in

from zerohero_autograder.driver import grade_all
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.nbgrader_plugin import grading
from zerohero_autograder.record import open_gradebook
from zerohero_autograder.sandbox import NoSandbox


def handed_in(course):
    hand_in(course, "ada", answered(), "2030-01-01 10:00:00 UTC")
    hand_in(course, "bob", answered(square="def square(x):\n    return x * x if x > 0 else 0.0"))
    hand_in(course, "cut", json.dumps(answered()).encode()[:-100])
    duplicate = answered()
    duplicate["cells"] += [dict(toy_course.cell(duplicate, "m99-square"), source="pass"), dict(toy_course.cell(duplicate, "m99-square-answer"), id="again")]
    hand_in(course, "dup", duplicate)
    tampered = answered(square="square = 1")
    toy_course.cell(tampered, "m99-square")["metadata"]["nbgrader"].update(grade=False, solution=True, points=1000)
    hand_in(course, "eve", tampered)


def gradebook_rows(course):
    with open_gradebook(course) as gradebook:
        return {
            s.student.id: (
                s.score,
                s.needs_manual_grade,
                s.timestamp,
                sorted((g.name, g.auto_score) for n in s.notebooks for g in n.grades),
                sorted((c.name, c.comment) for n in s.notebooks for c in n.comments),
            )
            for s in gradebook.assignment_submissions(NAME)
        }


def graded_notebooks(course):
    return {file.parent.parent.name: nbformat.read(file, as_version=4) for file in (course / "autograded").glob("*/*/*.ipynb")}


def test_both_ways_give_the_same(course, nbgrader, sandbox):
    handed_in(course)
    code, log = nbgrader(AutogradeApp)
    assert code == 0 and "cut: the file is not a whole notebook" in log
    theirs = gradebook_rows(course)
    assert {student: row[0] for student, row in theirs.items()} == {"ada": 3.5, "bob": pytest.approx(2 / 3 + 1.5), "cut": 0, "dup": 3.5, "eve": 1.5}
    notebooks = graded_notebooks(course)
    shutil.rmtree(course / "autograded")
    with open_gradebook(course) as gradebook:
        for student in theirs:
            gradebook.remove_submission(NAME, student)
    grade_all(course, NAME, sandbox=sandbox)
    assert gradebook_rows(course) == theirs
    assert graded_notebooks(course) == notebooks


def test_what_nbgrader_graded_is_not_graded_again(course, nbgrader, sandbox):
    handed_in(course)
    nbgrader(AutogradeApp)
    assert [o.student for o in grade_all(course, NAME, sandbox=sandbox) if not o.skipped] == ["cut"]


def test_both_ways_give_the_same_feedback(course, nbgrader, sandbox):
    handed_in(course)
    nbgrader(AutogradeApp)
    make_feedback(course, NAME)
    ours = {file.parent.parent.name: file.read_text() for file in (course / "feedback").glob("*/*/*.html")}
    shutil.rmtree(course / "feedback")
    code, _ = nbgrader(GenerateFeedbackApp)
    assert code == 0 and len(ours) == 5
    assert {file.parent.parent.name: file.read_text() for file in (course / "feedback").glob("*/*/*.html")} == ours


def test_nothing_a_link_points_to_is_kept(course, nbgrader, tmp_path):
    hand_in(course, "ada", answered())
    (tmp_path / "secret.txt").write_text("canary")
    (course / "submitted" / "ada" / NAME / "notes.html").symlink_to(tmp_path / "secret.txt")
    _, log = nbgrader(AutogradeApp)
    nbgrader(GenerateFeedbackApp)
    assert "notes.html is a link" in log
    assert not [f for step in ("autograded", "feedback") for f in (course / step).rglob("notes.html")]


def test_without_a_sandbox_nothing_is_graded(course, nbgrader, monkeypatch):
    def none(unsafe):
        raise NoSandbox("bubblewrap is not installed")

    monkeypatch.setattr(grading, "choose", none)
    hand_in(course, "ada", answered())
    code, log = nbgrader(AutogradeApp)
    assert code == 1 and "bubblewrap is not installed" in log
    assert gradebook_rows(course) == {}


def test_unsafe_is_said_in_the_configuration(course, nbgrader, monkeypatch):
    asked = []
    monkeypatch.setattr(grading, "choose", lambda unsafe: asked.append(unsafe) or toy_course.FakeSandbox(monkeypatch))
    hand_in(course, "ada", answered())
    nbgrader(AutogradeApp, "--GradingExporter.unsafe=True")
    assert asked == [True]
