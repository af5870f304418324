"""grade_all: everyone is graded, nobody twice, and one student's trouble stays theirs."""

import os

import pytest
import toy_course
from toy_course import NAME, answered, hand_in

from zerohero_autograder import driver
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.record import open_gradebook
from zerohero_autograder.sandbox import NoSandbox


def scores(root):
    with open_gradebook(root) as gradebook:
        return {s.student.id: s.score for s in gradebook.assignment_submissions(NAME)}


def test_everyone_is_graded_and_recorded(course, sandbox):
    hand_in(course, "ada", answered())
    hand_in(course, "bob", toy_course.student())
    hand_in(course, "cut", b'{"cells": [')
    seen = []
    outcomes = grade_all(course, NAME, sandbox=sandbox, on_progress=lambda outcome, done, total: seen.append((outcome.student, done, total)))
    assert [(o.student, o.score, o.max_score, o.failed) for o in outcomes] == [("ada", 3.5, 3.5, ""), ("bob", 0, 3.5, ""), ("cut", 0, 3.5, "")]
    assert seen == [("ada", 1, 3), ("bob", 2, 3), ("cut", 3, 3)]
    assert scores(course) == {"ada": 3.5, "bob": 0.0, "cut": 0.0}
    assert (course / "autograded" / "cut" / NAME / f"{NAME}.ipynb").is_file()


def test_a_second_run_grades_only_what_changed(course, sandbox):
    for name in ("ada", "bob", "cleo"):
        hand_in(course, name, toy_course.student(), "2030-01-01 10:00:00 UTC")
    grade_all(course, NAME, sandbox=sandbox)
    hand_in(course, "bob", answered(), "2030-01-01 10:00:00 UTC")
    hand_in(course, "cleo", toy_course.student(), "2030-01-02 10:00:00 UTC")
    outcomes = grade_all(course, NAME, sandbox=sandbox)
    assert [(o.student, o.score, o.skipped) for o in outcomes] == [("ada", 0, True), ("bob", 3.5, False), ("cleo", 0, False)]
    assert scores(course)["bob"] == 3.5
    assert not any(o.skipped for o in grade_all(course, NAME, sandbox=sandbox, force=True))


def test_one_student_can_be_graded_alone(course, sandbox):
    for name in ("ada", "bob"):
        hand_in(course, name, answered())
    assert [o.student for o in grade_all(course, NAME, students=["bob"], sandbox=sandbox)] == ["bob"]
    assert scores(course) == {"bob": 3.5}


def test_trouble_with_one_does_not_stop_the_others(course, sandbox, monkeypatch):
    for name in ("ada", "bob", "cleo"):
        hand_in(course, name, answered())
    real = driver.write_autograded
    monkeypatch.setattr(driver, "write_autograded", lambda course, student, *rest: real(course, student, *rest) if student != "bob" else full_disk())
    outcomes = grade_all(course, NAME, sandbox=sandbox)
    assert [bool(o.failed) for o in outcomes] == [False, True, False] and "No space left" in outcomes[1].failed
    monkeypatch.undo()
    toy_course.register(monkeypatch)
    sandbox = toy_course.FakeSandbox(monkeypatch)
    assert [o.skipped for o in grade_all(course, NAME, sandbox=sandbox)] == [True, False, True]
    assert scores(course) == dict.fromkeys(("ada", "bob", "cleo"), 3.5)


def full_disk():
    raise OSError(28, "No space left on device")


def test_links_lead_nowhere(course, sandbox, tmp_path):
    toy_course.hand_in(tmp_path, "other", answered())
    (course / "submitted" / "eve").mkdir(parents=True)
    (course / "submitted" / "eve" / NAME).symlink_to(tmp_path / "submitted" / "other" / NAME)
    (course / "submitted" / "fay" / NAME).mkdir(parents=True)
    (course / "submitted" / "fay" / NAME / f"{NAME}.ipynb").symlink_to(tmp_path / "submitted" / "other" / NAME / f"{NAME}.ipynb")
    outcomes = grade_all(course, NAME, sandbox=sandbox)
    assert [o.score for o in outcomes] == [0, 0] and sandbox.runs == []
    assert outcomes[0].messages == (f"the folder of {NAME}.ipynb is a link to another place; hand in the notebook itself",)
    assert outcomes[1].messages == (f"{NAME}.ipynb is a link to another file; hand in the notebook itself",)


def test_a_folder_without_the_notebook(course, sandbox):
    file = hand_in(course, "ada", answered())
    os.rename(file, file.with_name("Untitled.ipynb"))
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert outcome.score == 0 and f"it holds Untitled.ipynb. The file must be named {NAME}.ipynb" in outcome.messages[0]


def test_a_timestamp_that_is_none(course, sandbox):
    hand_in(course, "ada", answered(), "yesterday, about tea time")
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert outcome.score == 3.5 and "timestamp.txt holds no time" in outcome.notes[0]


def test_nothing_handed_in_and_nothing_known(course, sandbox):
    with pytest.raises(CourseError, match="nothing was handed in for m99_toy: put submissions into"):
        grade_all(course, NAME, sandbox=sandbox)
    with pytest.raises(CourseError, match="did you mean 'm99_toy'"):
        grade_all(course, "m99_toys", sandbox=sandbox)


def test_without_a_sandbox_nothing_is_graded(course, monkeypatch):
    hand_in(course, "ada", answered())

    def none(unsafe):
        raise NoSandbox("bubblewrap is not installed")

    monkeypatch.setattr(driver, "choose", none)
    with pytest.raises(NoSandbox):
        grade_all(course, NAME)
    assert not (course / "autograded").exists() and not (course / "gradebook.db").exists()


def test_late_penalties_are_nbgraders(course, sandbox):
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text() + "from late_policy import OnePoint\nc.AssignLatePenalties.plugin_class = OnePoint\n")
    import sys
    import types

    from nbgrader.plugins import LateSubmissionPlugin

    policy = types.ModuleType("late_policy")
    policy.OnePoint = type("OnePoint", (LateSubmissionPlugin,), {"late_submission_penalty": lambda self, student, score, late: 1.0})
    sys.modules["late_policy"] = policy
    try:
        with open_gradebook(course) as gradebook:
            gradebook.update_or_create_assignment(NAME, duedate="2030-01-01 00:00:00 UTC")
        hand_in(course, "ada", answered(), "2030-01-02 00:00:00 UTC")
        hand_in(course, "bob", answered(), "2029-12-31 00:00:00 UTC")
        grade_all(course, NAME, sandbox=sandbox)
        with open_gradebook(course) as gradebook:
            penalties = {s.student.id: s.late_submission_penalty for s in gradebook.assignment_submissions(NAME)}
        assert penalties == {"ada": 1.0, "bob": 0.0}
    finally:
        del sys.modules["late_policy"]
