"""A gradebook in PostgreSQL: a real server, started here, that nobody else can reach."""

import glob
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import pytest
import toy_course
from toy_course import NAME, answered, hand_in

from zerohero_autograder.course_folder import open_course
from zerohero_autograder.course_new import new_course
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.record import export_csv, gradebook_of, open_gradebook, recorded_scores

pytestmark = pytest.mark.postgres
ROOT = Path(__file__).parents[3]
TIME = "2030-01-01 10:00:00 UTC"
STUDENTS = [f"s{number:02}" for number in range(8)]


class Server:
    """A PostgreSQL server in a folder of its own, on a socket there and on no network. It refuses to run as root, so root becomes nobody."""

    def __init__(self, folder):
        self.folder = folder
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(Path(path).parent.name))
        self.bin = Path(found[-1] if found else os.path.dirname(os.path.realpath(shutil.which("initdb"))))
        self.as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        if self.as_user:
            os.chown(folder, 65534, 65534)
        command = [*self.as_user, self.bin / "initdb", "-D", folder / "data", "-U", "course", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        self.start()

    def start(self):
        import psycopg

        command = [*self.as_user, self.bin / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        while True:
            try:
                return psycopg.connect(host=str(self.folder), user="course", dbname="postgres").close()
            except psycopg.OperationalError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)  # at once, as a crash is
        self.process.wait(60)

    def database(self):
        """The address of a new, empty database."""
        import psycopg

        name = f"course_{uuid.uuid4().hex}"
        with psycopg.connect(host=str(self.folder), user="course", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return f"postgresql+psycopg://course@/{name}?host={self.folder}"


@pytest.fixture(scope="module")
def server():
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: the path of a socket has at most 107 characters
    server = None
    try:
        server = Server(folder)
        yield server
    finally:
        if server and server.process.poll() is None:
            server.stop()
        shutil.rmtree(folder)


def put_into(course, url):
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text() + f"c.CourseDirectory.db_url = {url!r}\n")


@pytest.fixture
def handed_in(course, server):
    """The toy course with a gradebook in PostgreSQL that does not exist yet."""
    put_into(course, server.database())
    for number, student in enumerate(STUDENTS):
        hand_in(course, student, answered(square=("def square(x):\n    return x * x", "def square(x):\n    return 0.0")[number % 2]), TIME)
    return course


def rows(course):
    with open_gradebook(course) as gradebook:
        return sorted(
            (s.student.id, s.score, s.timestamp.isoformat(), *sorted((g.name, g.auto_score, g.needs_manual_grade) for n in s.notebooks for g in n.grades))
            for s in gradebook.assignment_submissions(NAME)
        )


def test_the_same_as_in_a_file(handed_in, sandbox, tmp_path):
    toy_course.make_course(tmp_path / "file")
    shutil.copytree(handed_in / "submitted", tmp_path / "file" / "submitted")
    for course in (handed_in, tmp_path / "file"):
        hand_in(course, "cut", b'{"cells": [', TIME)
        assert not [o for o in grade_all(course, NAME, sandbox=sandbox, workers=2) if o.failed]
        assert len(make_feedback(course, NAME)) == 9 and export_csv(course, course / "grades.csv").rows == 9
    assert rows(handed_in) == rows(tmp_path / "file") and len(rows(handed_in)) == 9
    for name in ("autograded", "feedback", "grades.csv"):
        assert subprocess.run(["diff", "-r", handed_in / name, tmp_path / "file" / name], check=False).returncode == 0
    assert not (handed_in / "gradebook.db").exists()
    assert [o.student for o in grade_all(handed_in, NAME, sandbox=sandbox) if not o.skipped] == ["cut"]
    assert recorded_scores(open_course(handed_in), NAME) == recorded_scores(open_course(tmp_path / "file"), NAME)


def test_a_new_course_with_its_roster_there(server, tmp_path, course):
    lessons = tmp_path / "lessons"
    shutil.copytree(ROOT / "course" / "m01_derivatives", lessons / "m01_derivatives")
    (lessons / "course.toml").write_text('title = "t"\nmodules = ["m01_derivatives"]\n')
    (tmp_path / "roster.csv").write_text("id,first_name\nada,Ada\n")
    new_course(lessons, tmp_path / "cs101", tmp_path / "roster.csv", server.database())
    with open_gradebook(tmp_path / "cs101") as gradebook:
        assert [s.first_name for s in gradebook.students] == ["Ada"] and gradebook.find_assignment("m01_derivatives").max_score == 20
    assert not (tmp_path / "cs101" / "gradebook.db").exists()


def test_killed_and_run_again(handed_in, sandbox):
    """The driver, at a random moment, from the making of the tables on."""
    rng, expected = random.Random(5), None
    for trial in range(4):
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            try:
                grade_all(handed_in, NAME, sandbox=sandbox, workers=1 + trial % 2, force=True)
            finally:
                os._exit(0)
        if trial < 2:
            time.sleep(rng.uniform(0, 0.5))
        elif trial == 2:  # once to the end, which shows how long one takes
            os.waitpid(child, 0)
            span, expected = time.monotonic() - started, rows(handed_in)
            continue
        else:
            time.sleep(rng.uniform(0, span))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if trial:
            assert not [o for o in grade_all(handed_in, NAME, sandbox=sandbox) if o.failed]
            assert expected is None or rows(handed_in) == expected
    assert [row[0] for row in expected] == STUDENTS and [row[1] for row in expected] == [3.5, 1.5] * 4


def test_a_server_that_is_restarted_meanwhile(handed_in, sandbox, server):
    def restart(outcome, done, total):
        if done == 3:
            server.stop()
            if outcome.student == STUDENTS[2]:
                server.start()

    outcomes = grade_all(handed_in, NAME, sandbox=sandbox, on_progress=restart)
    failed = [o.student for o in outcomes if o.failed]
    assert outcomes[-1].failed == "" and len(failed) <= 1  # the one whose connection was cut
    assert [o.student for o in grade_all(handed_in, NAME, sandbox=sandbox) if not o.skipped] == failed
    assert [row[:2] for row in rows(handed_in)] == [(s, (3.5, 1.5)[n % 2]) for n, s in enumerate(STUDENTS)]


def test_messages_say_what_is_missing_and_no_password(handed_in, sandbox, server):
    put_into(handed_in, f"postgresql+psycopg://course:hunter2@/nowhere?host={server.folder}")
    with pytest.raises(CourseError, match=r'course:\*\*\*@/nowhere.*database "nowhere" does not exist.*is there a database of that name'):
        grade_all(handed_in, NAME, sandbox=sandbox)
    put_into(handed_in, "postgresql+psycopg2://course@/nowhere")
    with pytest.raises(CourseError, match=r'pip install "zerohero-autograder\[postgres\]".*begins with "postgresql\+psycopg://"'):
        gradebook_of(open_course(handed_in))


def test_no_transaction_is_left_open_while_the_next_one_is_graded(handed_in, sandbox, server):
    import psycopg

    seen = []

    def look(outcome, done, total):
        with psycopg.connect(host=str(server.folder), user="course", dbname="postgres") as connection:
            seen.append(connection.execute("select count(*) from pg_stat_activity where state like 'idle in transaction%'").fetchone()[0])

    grade_all(handed_in, NAME, sandbox=sandbox, on_progress=look)
    assert seen == [0] * len(STUDENTS)
