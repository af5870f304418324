"""grade_all: everyone is graded, nobody twice, and one student's trouble stays theirs."""

import contextlib
import os
import random
import signal
import sqlite3
import time

import pytest
import toy_course
from toy_course import NAME, answered, hand_in

from zerohero_autograder import driver, workers
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.intake import one_line
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


def test_a_changed_secret_or_changed_points_are_graded_anew(course, sandbox):
    hand_in(course, "ada", answered())
    grade_all(course, NAME, sandbox=sandbox)
    (course / "secret_seed").write_text("another-secret-0123456789")
    assert [o.skipped for o in grade_all(course, NAME, sandbox=sandbox)] == [False]
    assert [o.skipped for o in grade_all(course, NAME, sandbox=sandbox)] == [True]
    file = course / "source" / NAME / f"{NAME}.ipynb"
    file.write_text(file.read_text().replace('"points": 2', '"points": 6'))
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert (outcome.score, outcome.max_score, outcome.skipped) == (7.5, 7.5, False) and scores(course) == {"ada": 7.5}


def test_killed_at_any_point_and_run_again(course, sandbox):
    """Each submission is graded exactly once, whatever was half done; five times SIGKILL."""
    students = [f"s{number}" for number in range(12)]
    for name in students:
        hand_in(course, name, answered())
    grade_all(course, NAME, students=["s0"], sandbox=sandbox)  # makes the gradebook
    rng = random.Random(7)
    for _ in range(5):
        child = os.fork()
        if child == 0:
            try:
                grade_all(course, NAME, sandbox=sandbox, force=True)
            finally:
                os._exit(0)
        time.sleep(rng.uniform(0.05, 0.6))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert {o.score for o in grade_all(course, NAME, sandbox=sandbox)} == {3.5}
    assert scores(course) == dict.fromkeys(students, 3.5)
    with open_gradebook(course) as gradebook:
        assert len(gradebook.assignment_submissions(NAME)) == len(students)
    assert all(o.skipped for o in grade_all(course, NAME, sandbox=sandbox))


def test_interrupted_and_run_again(course, sandbox):
    for name in ("ada", "bob", "cleo"):
        hand_in(course, name, answered())

    def stop(outcome, done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade_all(course, NAME, sandbox=sandbox, on_progress=stop)
    assert [o.skipped for o in grade_all(course, NAME, sandbox=sandbox)] == [True, True, False]
    assert scores(course) == dict.fromkeys(("ada", "bob", "cleo"), 3.5)


def test_a_gradebook_that_another_program_holds(course, sandbox, monkeypatch):
    for name in ("ada", "bob"):
        hand_in(course, name, answered())
    grade_all(course, NAME, students=["ada"], sandbox=sandbox)
    with contextlib.closing(sqlite3.connect(course / "gradebook.db", isolation_level=None)) as other:
        other.execute("begin exclusive")
        with pytest.raises(CourseError, match=r"database is locked.*another program is writing to it"):
            grade_all(course, NAME, sandbox=sandbox)
        other.execute("rollback")
    assert [o.skipped for o in grade_all(course, NAME, sandbox=sandbox)] == [True, False]


def test_a_file_that_is_gone_while_it_is_graded(course, sandbox, monkeypatch):
    file = hand_in(course, "ada", answered())
    hand_in(course, "bob", answered())
    real = workers.grade

    def gone(submission, *rest, **options):
        if submission == file:
            file.unlink()
        return real(submission, *rest, **options)

    monkeypatch.setattr(workers, "grade", gone)
    ada, bob = grade_all(course, NAME, sandbox=sandbox)
    assert (ada.score, bob.score) == (0, 3.5) and "there is no file" in ada.messages[0]


NAMES = [
    "-rf",
    "--help",
    "a b",
    "=1+1",
    "'; drop table student;--",
    "<b>x",
    "\u202eadb",
    "\u0637\u0627\u0644\u0628",
    "e\u0301",
    "x" * 200,
    "new\nline",
    "%s{0}",
    "[red]x",
]


def test_any_folder_name_is_a_student(course, sandbox):
    for name in NAMES:
        hand_in(course, name, answered())
    hand_in(course, b"\xff".decode("utf-8", "surrogateescape"), answered())
    outcomes = grade_all(course, NAME, sandbox=sandbox)
    assert [o.student for o in outcomes if o.failed] == ["\udcff"] and scores(course) == dict.fromkeys(NAMES, 3.5)
    assert "run this again" in next(o.failed for o in outcomes if o.failed)
    assert len(make_feedback(course, NAME)) == len(NAMES)


def test_what_a_terminal_is_told_is_one_line():
    assert one_line("new\nline \x1b[31mred \u202eadb \udcff \u0637 \t") == "new\\nline \\x1b[31mred \\u202eadb \\udcff \u0637 \\t"
