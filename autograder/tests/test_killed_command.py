"""`zerohero grade` itself, with two workers in real jails: killed, run again, nothing left over."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import toy_course
from test_workers import below, running, wait_until

from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.course_folder import open_course
from zerohero_autograder.record import open_gradebook, recorded_scores

pytestmark = pytest.mark.jail
LESSONS = Path(__file__).parents[2] / "course"
MODULE = "m01_derivatives"
ZEROHERO = Path(sys.executable).with_name("zerohero")
STUDENTS = [f"s{number}" for number in range(6)]


def ends_early(source, wanted):
    """The student's notebook with the instructor's answers up to the check of ``wanted``, where the Python process ends: quick to grade, some points."""
    cells = []
    solved = {cell["id"]: cell for cell in source["cells"]}
    for cell in student_notebook(source)["cells"]:
        cells.append({**cell, "source": solved[cell["id"]]["source"]} if cell["id"].endswith("-answer") else cell)
        if cell["id"] == wanted:
            return {**student_notebook(source), "cells": [*cells, toy_course.code("import os\nos._exit(0)")]}
    raise ValueError(wanted)


@pytest.fixture
def handed_in(course):
    source = source_notebook((LESSONS / MODULE / f"{MODULE}.py").read_text(), MODULE)
    (course / "source" / MODULE).mkdir()
    (course / "source" / MODULE / f"{MODULE}.ipynb").write_text(json.dumps(source))
    for number, student in enumerate(STUDENTS):
        toy_course.hand_in(course, student, ends_early(source, ("m01-forward-difference", "m01-central-difference")[number % 2]), module=MODULE)
    return course


def start(root, *options):
    command = [ZEROHERO, "grade", MODULE, "--course", root, "--workers", "2", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "COLUMNS": "200"})


def test_killed_and_run_again_in_jails(handed_in):
    root = handed_in
    driver = start(root)
    while not (line := driver.stdout.readline()).startswith("[2/6]"):
        assert line, "it ended before it was killed"
    started = below(driver.pid)
    assert any("bwrap" in name_of(pid) for pid in started) and len(started) > 2
    driver.kill()
    driver.wait()
    assert wait_until(lambda: not any(map(running, started))), [name_of(pid) for pid in started if running(pid)]

    driver = start(root)  # this time a worker is killed
    while not (line := driver.stdout.readline()).startswith("[4/6]"):
        assert line, "it ended before its worker was killed"
    workers = [pid for pid in below(driver.pid) if name_of(pid) == name_of(driver.pid)]
    os.kill(workers[0], signal.SIGKILL)
    rest, _ = driver.communicate(timeout=300)
    assert driver.returncode == 0 and rest.endswith(f"6 submissions of {MODULE}: 6 in the gradebook, 0 not recorded\n")

    scores = {student: sum(of.values()) for student, of in recorded_scores(open_course(root), MODULE).items()}
    assert sorted(scores) == STUDENTS and scores["s0"] == scores["s2"] == scores["s4"] > 0 and scores["s1"] == scores["s3"] == scores["s5"] > scores["s0"]
    with open_gradebook(root) as gradebook:
        assert len(gradebook.assignment_submissions(MODULE)) == 6
    assert sorted(file.name for file in root.glob("autograded/*/*/*")) == [f"{MODULE}.ipynb"] * 6
    assert not list(root.glob("autograded/*/*/.*"))


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
