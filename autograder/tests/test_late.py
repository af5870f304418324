"""Penalties for lateness are nbgrader's, by the plugin of the course's configuration, whichever command grades."""

import datetime

import pytest
from nbgrader.apps import AutogradeApp
from toy_course import NAME, answered, hand_in

from zerohero_autograder.driver import grade_all
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.record import open_gradebook, register_course

DUE = "2030-01-01 00:00:00 UTC"
HOURLY = """
from nbgrader.plugins import LateSubmissionPlugin

class Hourly(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 1.0 * total_seconds_late / 3600

c.AssignLatePenalties.plugin_class = Hourly
"""
NONE, ZERO = (f"\nc.LateSubmissionPlugin.penalty_method = '{method}'\n" for method in ("none", "zero"))
HANDED_IN = {
    "early": "2030-01-01 01:30:00 +0200",  # half an hour before, in a zone of its own
    "late": "2029-12-31 23:30:00 -0200",  # an hour and a half after
    "never_said": "",
    "nameless": "2029-12-31 23:30:00 -02",  # the same, as the exchange writes it in a zone without a name
    "weeks": "2030-01-15 12:00:00.123456 UTC",
}


@pytest.fixture
def policy(course):
    """policy(text) adds to the configuration, sets the deadline, and hands five notebooks in."""

    def set_up(text):
        config = course / "nbgrader_config.py"
        config.write_text(config.read_text() + text)
        register_course(course)
        due(course, DUE)
        for student, timestamp in HANDED_IN.items():
            hand_in(course, student, answered(square="def square(x):\n    return 0.0"), timestamp)
        return course

    return set_up


def due(course, when):
    with open_gradebook(course) as gradebook:
        gradebook.update_or_create_assignment(NAME, duedate=when)


def penalties(course):
    with open_gradebook(course) as gradebook:
        return {s.student.id: s.late_submission_penalty for s in gradebook.assignment_submissions(NAME)}


@pytest.mark.parametrize(("text", "late", "weeks"), [(NONE, 0, 0), (ZERO, 1.5, 1.5), (HOURLY, 1.5, 1.5)], ids=["none", "zero", "a plugin of the course"])
@pytest.mark.parametrize("theirs", [False, True], ids=["zerohero grade", "nbgrader autograde"])
def test_every_policy_by_either_command(policy, nbgrader, sandbox, theirs, text, late, weeks):
    course = policy(text)
    if theirs:
        assert nbgrader(AutogradeApp)[0] == 0
    else:
        grade_all(course, NAME, sandbox=sandbox)
    assert penalties(course) == {"early": 0, "late": late, "nameless": late, "never_said": 0, "weeks": weeks}
    with open_gradebook(course) as gradebook:
        assert gradebook.find_submission(NAME, "early").timestamp == datetime.datetime(2029, 12, 31, 23, 30)  # in UTC
    pages = {file.parent.parent.name: file.read_text() for file in make_feedback(course, NAME)}
    assert "points were taken off" not in pages["early"] and f"{1.5 - late:g} of 3.5 points" in pages["late"]
    assert ("1.5 points were taken off because it was handed in late" in pages["late"]) == bool(late)


def test_a_deadline_that_was_moved_counts_for_what_is_graded_already(policy, sandbox):
    course = policy(HOURLY.replace("1.0", "0.5"))
    grade_all(course, NAME, sandbox=sandbox)
    assert penalties(course)["late"] == 0.75
    due(course, "2030-01-01 01:00:00 UTC")
    assert all(o.skipped for o in grade_all(course, NAME, sandbox=sandbox))
    assert penalties(course)["late"] == 0.25 and penalties(course)["weeks"] == 1.5
    due(course, "2030-02-01 00:00:00 UTC")
    grade_all(course, NAME, sandbox=sandbox)
    assert set(penalties(course).values()) == {0}
    due(course, DUE)
    with open_gradebook(course) as gradebook:
        gradebook.grant_extension(NAME, "late", hours=1)
    grade_all(course, NAME, sandbox=sandbox)
    assert penalties(course)["late"] == 0.25


def test_the_penalty_follows_the_score_that_a_person_gave(policy, sandbox):
    course = policy(ZERO)
    grade_all(course, NAME, sandbox=sandbox)
    with open_gradebook(course) as gradebook:
        gradebook.find_grade("m99-square", NAME, NAME, "late").manual_score = 1.0
        gradebook.db.commit()
    assert all(o.skipped for o in grade_all(course, NAME, sandbox=sandbox))
    assert penalties(course)["late"] == 2.5
