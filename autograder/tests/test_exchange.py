"""nbgrader's exchange, there and back: what a student submits with it is graded, and the page of feedback reaches them and nobody else."""

import json
import os
import stat

import pytest
from nbgrader.apps import CollectApp, FetchFeedbackApp, ReleaseAssignmentApp, ReleaseFeedbackApp, SubmitApp
from nbgrader.utils import get_username
from toy_course import NAME, answered, hand_in, student

from zerohero_autograder.driver import grade_all
from zerohero_autograder.feedback import make_feedback


def test_a_student_submits_and_fetches_the_page(course, nbgrader, sandbox, tmp_path, monkeypatch):
    exchange = tmp_path / "exchange"
    exchange.mkdir(mode=0o777)
    os.chmod(exchange, 0o777)
    places = (f"--Exchange.root={exchange}", f"--Exchange.cache={tmp_path / 'cache'}", "--course=toy")

    def run(app, folder, *more):
        monkeypatch.chdir(folder)
        code, log = nbgrader(app, *places, *more)
        assert code == 0, log

    (course / "release" / NAME).mkdir(parents=True)
    (course / "release" / NAME / f"{NAME}.ipynb").write_text(json.dumps(student()))
    run(ReleaseAssignmentApp, course)
    home = tmp_path / "home"
    (home / NAME).mkdir(parents=True)
    (home / NAME / f"{NAME}.ipynb").write_text(json.dumps(answered()))
    run(SubmitApp, home)
    run(CollectApp, course)
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert (outcome.student, outcome.score, outcome.notes) == (get_username(), 3.5, ())
    (page,) = make_feedback(course, NAME)
    run(ReleaseFeedbackApp, course)
    run(FetchFeedbackApp, home)
    (fetched,) = home.rglob("*.html")
    assert fetched.read_bytes() == page.read_bytes() and fetched.name == f"{NAME}.html" and fetched.parent.parent.name == "feedback"
    hand_in(course, "by_mail", answered())
    grade_all(course, NAME, sandbox=sandbox)
    make_feedback(course, NAME)
    monkeypatch.chdir(course)
    with pytest.raises(FileNotFoundError, match=r"timestamp\.txt"):  # nbgrader's: it needs what the exchange puts beside a submission
        nbgrader(ReleaseFeedbackApp, *places, "--student=by_mail")
    run(ReleaseFeedbackApp, course, f"--student={get_username()}")
    folder = exchange / "toy" / "feedback"
    assert not folder.stat().st_mode & stat.S_IROTH and [file.stem for file in folder.iterdir()] != [NAME]  # nobody else can list or guess the name
