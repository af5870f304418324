"""Worker processes and crash safety: whatever is killed, the next run ends with every submission graded exactly once, with the same scores."""

import contextlib
import gc
import os
import random
import shutil
import signal
import sqlite3
import time
import weakref
from pathlib import Path

import pytest
from nbgrader.api import Base
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Engine
from toy_course import NAME, answered, hand_in

from zerohero_autograder import driver
from zerohero_autograder.course_folder import open_course
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.record import files, only_writer, open_gradebook
from zerohero_autograder.sandbox import NoSandbox, Sandbox, warm

SQUARES = ("def square(x):\n    return x * x", "def square(x):\n    return x * x if x > 0 else 0.0", "def square(x):\n    raise ValueError(x)")
STUDENTS = [f"s{number:02}" for number in range(9)]
TIME = "2030-01-01 10:00:00 UTC"


def handed_in(course):
    for number, student in enumerate(STUDENTS):
        hand_in(course, student, answered(SQUARES[number % len(SQUARES)]), TIME)


def recorded(course):
    """All that grading leaves behind: the rows of the gradebook, and every file in autograded/ with its bytes."""
    with open_gradebook(course) as gradebook:
        rows = sorted(
            (s.student.id, s.score, s.timestamp.isoformat(), *sorted((g.name, g.auto_score, g.needs_manual_grade) for n in s.notebooks for g in n.grades))
            for s in gradebook.assignment_submissions(NAME)
        )
    return rows, {str(file.relative_to(course)): file.read_bytes() for file in course.glob("autograded/**/*") if file.is_file()}


def below(pid):
    """The processes that a process started, and theirs."""
    try:
        direct = [int(child) for task in os.listdir(f"/proc/{pid}/task") for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    except OSError:
        return []
    return [*direct, *(one for child in direct for one in below(child))]


BEFORE: set[int] = set()


@pytest.fixture(autouse=True)
def others():
    """What other tests have left running in this process, such as the browser of the session, is not ours."""
    BEFORE.clear()
    BEFORE.update(below(os.getpid()))


def ours():
    return [pid for pid in below(os.getpid()) if pid not in BEFORE]


def running(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.005)
    return found


@pytest.fixture(scope="module", autouse=True)
def no_other_processes():
    """Those that other tests' jails are forked from would be counted as left behind."""
    warm.end_zygotes()


# ---------------------------------------------------------------- several workers


def test_many_workers_give_what_one_gives(course, sandbox):
    handed_in(course)
    hand_in(course, "cut", b'{"cells": [', TIME)
    seen = []
    outcomes = grade_all(course, NAME, sandbox=sandbox, workers=3, on_progress=lambda outcome, done, total: seen.append((done, total)))
    assert [o.student for o in outcomes] == ["cut", *STUDENTS] and not [o for o in outcomes if o.failed or o.skipped]
    assert seen == [(done, 10) for done in range(1, 11)] and sandbox.runs == []  # nothing was run in this process
    found = recorded(course)
    assert {row[0]: row[1] for row in found[0]} == {o.student: o.score for o in outcomes} and {o.score for o in outcomes} == {3.5, 2.166667, 1.5, 0}
    grade_all(course, NAME, sandbox=sandbox, force=True)
    assert recorded(course) == found and len(sandbox.runs) == 9
    assert ours() == []


class Deadly(Sandbox):
    """Kills the worker that runs a cell with `die` in it, as the kernel does when memory is short; `die once` only the first time."""

    def __init__(self, sandbox, folder):
        self.sandbox, self.died = sandbox, folder / "died"

    def run(self, cells, cases, **options):
        text = "".join(cells)
        if "# die" in text and not ("# die once" in text and self.died.exists()):
            self.died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.sandbox.run(cells, cases, **options)


def test_a_submission_over_which_every_worker_dies_is_lost_alone(course, sandbox, tmp_path):
    handed_in(course)
    hand_in(course, "s05", answered(SQUARES[0] + "\n# die"), TIME)
    hand_in(course, "s07", answered(SQUARES[0] + "\n# die once"), TIME)
    outcomes = {o.student: o for o in grade_all(course, NAME, sandbox=Deadly(sandbox, tmp_path), workers=2)}
    assert [s for s, o in outcomes.items() if o.failed] == ["s05"] and "the process that graded it was killed" in outcomes["s05"].failed
    assert outcomes["s07"].score == 3.5 and len(outcomes) == 9 and ours() == []
    assert [row[0] for row in recorded(course)[0]] == sorted(outcomes.keys() - {"s05"})
    assert [o.student for o in grade_all(course, NAME, sandbox=sandbox, workers=2) if not o.skipped] == ["s05"]
    assert [row[0] for row in recorded(course)[0]] == STUDENTS


def test_a_sandbox_that_does_not_work_stops_all(course):
    class None_(Sandbox):
        def run(self, *cells, **options):
            raise NoSandbox("no jail can be made")

    handed_in(course)
    with pytest.raises(NoSandbox, match="no jail can be made"):
        grade_all(course, NAME, sandbox=None_(), workers=2)
    assert recorded(course) == ([], {}) and ours() == []


def test_control_c_ends_the_workers(course, sandbox):
    handed_in(course)

    def stop(outcome, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade_all(course, NAME, sandbox=sandbox, workers=2, on_progress=stop)
    assert ours() == []
    assert [o.skipped for o in grade_all(course, NAME, sandbox=sandbox, workers=2)].count(True) == 1


def test_nothing_of_a_submission_stays_in_memory(course, sandbox, monkeypatch):
    handed_in(course)
    kept = []
    real = driver.record

    def record(gradebook, student, graded, *rest):
        kept.append(weakref.ref(graded))
        real(gradebook, student, graded, *rest)
        assert len(list(gradebook.db.identity_map)) < 30

    monkeypatch.setattr(driver, "record", record)
    outcomes = grade_all(course, NAME, sandbox=sandbox, workers=2)
    gc.collect()
    assert len(kept) == len(outcomes) == 9 and not [one for one in kept if one() is not None]


# ---------------------------------------------------------------- killed


def test_killed_thirty_times(course, sandbox):
    """The driver, or one of its workers, at a random moment of a first grading or a regrade; then one more run."""
    handed_in(course)
    grade_all(course, NAME, sandbox=sandbox)
    undisturbed = recorded(course)
    rng, span = random.Random(20), {}
    for workers in (1, 3):  # how long one takes, left alone
        started = time.monotonic()
        grade_all(course, NAME, sandbox=sandbox, force=True, workers=workers)
        span[workers] = time.monotonic() - started
    killed = 0
    for trial in range(30):
        workers, victim = (1, 3)[trial % 2], "worker" if trial % 4 == 3 else "driver"
        if trial % 3:  # from the start, the making of the gradebook included
            shutil.rmtree(course / "autograded", ignore_errors=True)
            (course / "gradebook.db").unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                grade_all(course, NAME, sandbox=sandbox, force=True, workers=workers)
                code = 0
            finally:
                os._exit(code)
        time.sleep(rng.uniform(0, span[workers]))
        started_by_it = below(child)
        if victim == "driver":
            os.kill(child, signal.SIGKILL)
        elif started_by_it:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(started_by_it), signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        killed += victim == "driver" and code == -signal.SIGKILL
        assert code == 0 or (victim == "driver" and code == -signal.SIGKILL), trial
        assert wait_until(lambda pids=started_by_it: not any(map(running, pids))), trial
        outcomes = grade_all(course, NAME, sandbox=sandbox)
        assert not [o for o in outcomes if o.failed] and recorded(course) == undisturbed, trial
        with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as database:
            assert database.execute("select count(*) from alembic_version").fetchone() == (1,), trial
    assert killed  # in time, and not after the end


def test_what_a_kill_left_is_swept_and_no_notebook(course, sandbox):
    handed_in(course)
    grade_all(course, NAME, sandbox=sandbox)
    found = recorded(course)
    folder = course / "autograded" / "s03" / NAME
    for name in (f".{NAME}.ipynb.abcdefgh", ".timestamp.txt.abcdefgh"):
        (folder / name).write_bytes(b"{")
    assert [file.name for file in folder.glob("*.ipynb")] == [f"{NAME}.ipynb"]  # what nbgrader looks for
    assert all(o.skipped for o in grade_all(course, NAME, sandbox=sandbox)) and recorded(course) == found


def test_a_power_cut_can_empty_a_notebook(course, sandbox):
    handed_in(course)
    grade_all(course, NAME, sandbox=sandbox)
    found = recorded(course)
    for student, content in (("s03", b""), ("s04", b"\0" * 5000)):
        files.write_whole(course / "autograded" / student / NAME / f"{NAME}.ipynb", content)
    assert [o.student for o in grade_all(course, NAME, sandbox=sandbox) if not o.skipped] == ["s03", "s04"] and recorded(course) == found


def test_a_gradebook_that_is_older_or_lost_is_filled_again(course, sandbox):
    handed_in(course)
    grade_all(course, NAME, students=STUDENTS[:5], sandbox=sandbox)
    older = (course / "gradebook.db").read_bytes()
    grade_all(course, NAME, sandbox=sandbox)
    found = recorded(course)
    (course / "gradebook.db").write_bytes(older)
    outcomes = grade_all(course, NAME, sandbox=sandbox)
    assert [o.student for o in outcomes if not o.skipped] == STUDENTS[5:] and {o.reason for o in outcomes[5:]} == {"the gradebook has other scores, or none"}
    assert recorded(course) == found


def test_a_gradebook_whose_making_was_killed_is_made_again(course, sandbox):
    hand_in(course, "ada", answered(), TIME)
    engine = create_engine(f"sqlite:///{course / 'gradebook.db'}")
    Base.metadata.create_all(engine)  # nbgrader's first step; the second enters the version
    engine.dispose()
    grade_all(course, NAME, sandbox=sandbox)
    with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as database:
        assert database.execute("select count(*) from alembic_version").fetchone() == (1,)
        database.execute("delete from alembic_version")
        database.commit()
    assert recorded(course)[0][0][:2] == ("ada", 3.5)  # a gradebook with anything in it is left alone


# ---------------------------------------------------------------- in the way of others


def test_only_one_grades_a_course_at_a_time(course, sandbox):
    hand_in(course, "ada", answered())
    ready, say = os.pipe()
    other = os.fork()
    if other == 0:
        with only_writer(open_course(course)):
            os.write(say, b"x")
            time.sleep(600)
    os.read(ready, 1)
    with pytest.raises(CourseError, match=rf"another `zerohero grade` \(process {other} on .*\) records in .*: wait for it to end"):
        grade_all(course, NAME, sandbox=sandbox)
    assert not (course / "gradebook.db").exists()
    os.kill(other, signal.SIGKILL)
    os.waitpid(other, 0)
    assert [o.score for o in grade_all(course, NAME, sandbox=sandbox)] == [3.5]


def test_a_gradebook_that_is_locked_meanwhile(course, sandbox):
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.CourseDirectory.db_url = 'sqlite:///gradebook.db?timeout=0.1'\n")
    handed_in(course)
    with contextlib.ExitStack() as stack:

        def lock(outcome, done, total):
            if done == 3:
                other = stack.enter_context(contextlib.closing(sqlite3.connect(course / "gradebook.db", isolation_level=None)))
                other.execute("begin exclusive")

        outcomes = grade_all(course, NAME, sandbox=sandbox, on_progress=lock)
    assert [bool(o.failed) for o in outcomes] == [False] * 3 + [True] * 6
    assert {o.failed for o in outcomes[3:]} == {"another program is writing to the gradebook: wait for it to end, and run this again to grade it"}
    assert [o.skipped for o in grade_all(course, NAME, sandbox=sandbox)] == [True] * 3 + [False] * 6
    assert [row[0] for row in recorded(course)[0]] == STUDENTS


def test_a_full_disk_under_the_gradebook(course, sandbox):
    handed_in(course)
    more = [f"t{number:02}" for number in range(10)]  # more than fit into the pages that the first one has begun
    for student in more:
        hand_in(course, student, answered(), TIME)
    grade_all(course, NAME, students=STUDENTS[:1], sandbox=sandbox)
    pages = (course / "gradebook.db").stat().st_size // 4096

    def limit(connection, record):
        connection.execute(f"pragma max_page_count = {pages}")

    event.listen(Engine, "connect", limit)
    try:
        outcomes = grade_all(course, NAME, sandbox=sandbox)
    finally:
        event.remove(Engine, "connect", limit)
    failed = [o for o in outcomes if o.failed]
    assert failed and outcomes[0].skipped
    assert all(o.failed.startswith("the disk is full (") and o.failed.endswith("make room, and run this again to grade it") for o in failed)
    assert [o.student for o in grade_all(course, NAME, sandbox=sandbox) if not o.skipped] == [o.student for o in failed]
    assert [row[0] for row in recorded(course)[0]] == [*STUDENTS, *more]


def test_a_full_disk_under_the_notebooks(course, sandbox, monkeypatch):
    handed_in(course)
    real = os.fsync

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    outcomes = grade_all(course, NAME, sandbox=sandbox)
    assert {o.failed for o in outcomes} == {"the disk is full ([Errno 28] No space left on device): make room, and run this again to grade it"}
    assert not [file for file in course.glob("autograded/**/*") if file.is_file()]
    monkeypatch.setattr(os, "fsync", real)
    assert not [o for o in grade_all(course, NAME, sandbox=sandbox) if o.failed or o.skipped]
    assert [row[0] for row in recorded(course)[0]] == STUDENTS
