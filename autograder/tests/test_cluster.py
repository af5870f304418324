"""Grading on a Dask cluster: a real scheduler and real workers, in processes of their own on this machine."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toy_course import NAME, answered, hand_in

from zerohero_autograder.course_folder import open_course
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.record import recorded_scores

pytestmark = pytest.mark.distributed
TESTS = Path(__file__).parent
PATHS = [str(TESTS), str(TESTS.parents[1] / "tests")]


class Cluster:
    """A scheduler, and the workers that were started."""

    def __init__(self, folder):
        self.folder, self.processes, self.workers = folder, [], []
        file = folder / "scheduler.json"
        self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
        while not file.exists() or not file.read_text():
            time.sleep(0.1)
        self.address = json.loads(file.read_text())["address"]

    def add_worker(self, **environment):
        self.workers.append(
            self._start(
                "dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder), "--preload", str(TESTS / "toy_worker.py"),
                **environment,
            )
        )  # fmt: skip

    def _start(self, program, *arguments, **environment):
        paths = os.pathsep.join([*PATHS, *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--host", "127.0.0.1", "--no-dashboard", *arguments]
        with open(self.folder / f"{program}-{len(self.processes)}.log", "wb") as log:
            self.processes.append(subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths, **environment}, stdout=log, stderr=log, cwd=self.folder))
        return self.processes[-1]

    def wait_for_workers(self, count):
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=120)

    def stop(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        for _ in range(2):
            cluster.add_worker()
        cluster.wait_for_workers(2)
        yield cluster
    finally:
        cluster.stop()


SQUARES = {
    "right": "import time\ntime.sleep(0.2)\ndef square(x):\n    return x * x",
    "wrong": "import time\ntime.sleep(0.2)\ndef square(x):\n    return x * x if x > 0 else 0.0",
}


def handed_in(course):
    for number in range(12):
        hand_in(course, f"s{number:02}", answered(SQUARES["wrong" if number % 3 else "right"]))
    hand_in(course, "cut", b'{"cells": [')


def scores(course):
    return recorded_scores(open_course(course), NAME)


def notebooks(course):
    return {file.relative_to(course): file.read_bytes() for file in course.glob("autograded/*/*/*.ipynb")}


def test_a_worker_is_killed_and_the_others_go_on(course, cluster, sandbox):
    """Same scores and notebooks as in one process; each submission is recorded once."""
    handed_in(course)
    done = []

    def kill(outcome, number, total):
        done.append(outcome.student)
        if number == 3:
            os.kill(cluster.workers[0].pid, signal.SIGKILL)

    outcomes = grade_all(course, NAME, scheduler=cluster.address, on_progress=kill)
    assert cluster.workers[0].wait(30) == -signal.SIGKILL
    assert not [o for o in outcomes if o.failed or o.skipped] and sorted(done) == [o.student for o in outcomes] == sorted(set(done))
    found = scores(course), notebooks(course)
    assert len(found[0]) == 13 and {o.student: o.score for o in outcomes} == {s: sum(them.values()) for s, them in found[0].items()}
    assert len(set(map(str, found[0].values()))) == 3
    grade_all(course, NAME, sandbox=sandbox, force=True)
    assert (scores(course), notebooks(course)) == found
    assert all(o.skipped for o in grade_all(course, NAME, scheduler=cluster.address) if o.student != "cut")


def test_a_worker_of_another_version_is_refused(course, cluster):
    handed_in(course)
    cluster.add_worker(TOY_WORKER_NUMPY="0.1")
    cluster.wait_for_workers(2)
    try:
        with pytest.raises(CourseError, match=r"the worker tcp://127.0.0.1:\d+ has numpy 0.1 where this process has .*: scores would not be the same"):
            grade_all(course, NAME, scheduler=cluster.address)
    finally:
        cluster.workers.pop().kill()
    assert scores(course) == {} and notebooks(course) == {}


def test_nobody_is_left_to_grade(course, cluster, monkeypatch):
    """Meanwhile and before: first the last worker is killed, then the scheduler. What was recorded stays, and the rest is graded in the end."""
    from zerohero_autograder import cluster as tested

    handed_in(course)
    monkeypatch.setattr(tested, "CONNECT_S", 1)
    monkeypatch.setattr(tested, "LOOK_S", 1)

    def kill(processes):
        def at_the_first(outcome, done, total):
            if not outcome.skipped:
                for process in processes:
                    process.kill()
                    process.wait()

        return at_the_first

    again = rf"the scheduler {cluster.address} .*run this again; what was graded is kept"
    with pytest.raises(CourseError, match=again):
        grade_all(course, NAME, scheduler=cluster.address, on_progress=kill(cluster.workers))
    with pytest.raises(CourseError, match=rf"the scheduler {cluster.address} has no workers; start some with `dask worker {cluster.address}"):
        grade_all(course, NAME, scheduler=cluster.address)
    cluster.add_worker()
    cluster.wait_for_workers(1)
    with pytest.raises(CourseError, match=again):
        grade_all(course, NAME, scheduler=cluster.address, on_progress=kill(cluster.processes[:1]))
    assert 0 < len(scores(course)) < 13
    with pytest.raises(CourseError, match=rf"no Dask scheduler answers at {cluster.address} .*dask scheduler"):
        grade_all(course, NAME, scheduler=cluster.address)


def test_without_dask_the_message_names_what_to_install(course, monkeypatch):
    hand_in(course, "ada", answered())
    monkeypatch.setitem(sys.modules, "zerohero_autograder.cluster", None)
    with pytest.raises(CourseError, match=r"pip install \"zerohero-autograder\[dask\]\""):
        grade_all(course, NAME, scheduler="tcp://127.0.0.1:9")
