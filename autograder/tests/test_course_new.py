"""zerohero course new, and the command line around a course."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from zerohero_autograder.course_new import new_course, read_roster
from zerohero_autograder.errors import CourseError

ROOT = Path(__file__).parents[2]
ZEROHERO = Path(sys.executable).with_name("zerohero")


def zerohero(*args, cwd=None):
    return subprocess.run([ZEROHERO, *map(str, args)], capture_output=True, text=True, cwd=cwd, env={**os.environ, "COLUMNS": "200"})


@pytest.fixture(scope="module")
def lessons(tmp_path_factory):
    """The course's own lessons, m01 only."""
    folder = tmp_path_factory.mktemp("lessons")
    shutil.copytree(ROOT / "course" / "m01_derivatives", folder / "m01_derivatives")
    (folder / "course.toml").write_text('title = "t"\nmodules = ["m01_derivatives"]\n')
    return folder


@pytest.fixture(scope="module")
def course(tmp_path_factory, lessons):
    folder = tmp_path_factory.mktemp("courses") / "cs101"
    roster = folder.parent / "roster.csv"
    roster.write_text("id,last_name,first_name,email,lms_user_id\nada,Lovelace,Ada,ada@example.org,4711\nbob,,,,\n", encoding="utf-8")
    assert new_course(lessons, folder, roster) == (("m01_derivatives",), 2)
    return folder


def test_what_students_get_holds_no_solution(course):
    text = (course / "release/m01_derivatives/m01_derivatives.ipynb").read_text()
    assert "is not written yet" in text and "SOLUTION" not in text
    assert "SOLUTION" in (course / "source/m01_derivatives/m01_derivatives.ipynb").read_text()


def test_the_secret_is_the_owners_alone_and_stays_out_of_git(course):
    file = course / "secret_seed"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and len(file.read_text().strip()) == 32
    assert "secret_seed" in (course / ".gitignore").read_text().split()


def test_the_roster_and_the_points_are_in_nbgraders_gradebook(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        assert {s.id: (s.last_name, s.lms_user_id) for s in gradebook.students} == {"ada": ("Lovelace", "4711"), "bob": ("", "")}
        assert gradebook.find_assignment("m01_derivatives").max_score == 20
        assert "m01-forward-difference" in [c.name for c in gradebook.find_notebook("m01_derivatives", "m01_derivatives").grade_cells]


def test_nbgraders_own_release_makes_the_same_stubs(course, tmp_path):
    shutil.copytree(course, tmp_path / "copy")
    ours = (course / "release/m01_derivatives/m01_derivatives.ipynb").read_text()
    done = subprocess.run(
        [Path(sys.executable).with_name("nbgrader"), "generate_assignment", "m01_derivatives", "--force"],
        capture_output=True, text=True, cwd=tmp_path / "copy", env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    import json

    theirs = json.loads((tmp_path / "copy/release/m01_derivatives/m01_derivatives.ipynb").read_text())
    assert [c["source"] if isinstance(c["source"], str) else "".join(c["source"]) for c in theirs["cells"]] == [c["source"] for c in json.loads(ours)["cells"]]


@pytest.mark.parametrize(
    "text, says",
    [
        ("id\nada\nada\n", "line 3: the id 'ada' is given twice"),
        ("name\nada\n", "is missing; the header needs a column `id`"),
        ("id\n../x\n", "cannot be the name of a folder"),
        ("id\n.x\n", "cannot be the name of a folder"),
    ],
)
def test_a_roster_with_a_mistake(tmp_path, text, says):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(CourseError, match=says):
        read_roster(tmp_path / "r.csv")


def test_a_roster_from_a_spreadsheet(tmp_path):
    (tmp_path / "r.csv").write_bytes("\ufeffid,email,seat,lms_user_id\r\nzoë,z@example.org,3, 4711\r\n".encode())
    assert read_roster(tmp_path / "r.csv") == [{"id": "zoë", "first_name": "", "last_name": "", "email": "z@example.org", "lms_user_id": "4711"}]


def test_a_roster_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(CourseError, match="is missing"):
        read_roster(tmp_path / "none.csv")
    (tmp_path / "r.csv").write_bytes(b"id\n\xff\xfe\n")
    with pytest.raises(CourseError, match="not a UTF-8 CSV"):
        read_roster(tmp_path / "r.csv")


def test_a_folder_in_use_is_left_alone(lessons, tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(CourseError, match="is not empty"):
        new_course(lessons, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_a_bad_roster_makes_no_course(lessons, tmp_path):
    (tmp_path / "r.csv").write_text("id\nx\nx\n")
    with pytest.raises(CourseError):
        new_course(lessons, tmp_path / "new", tmp_path / "r.csv")
    assert not (tmp_path / "new").exists()


def test_the_one_command_has_both_sides():
    text = zerohero("--help").stdout
    for command in ("doctor", "progress", "build", "lab", "course", "grade", "feedback", "insights", "export"):
        assert command in text
    assert zerohero("--version").stdout.startswith("zerohero ")


@pytest.mark.parametrize(
    "args, says",
    [
        (["grade", "m01_derivative", "--course", "{course}"], "did you mean 'm01_derivatives'?"),
        (["grade", "m01_derivatives", "--course", "{tmp}"], "is not a course folder"),
        (["grade", "m01_derivatives", "--course", "{tmp}/none"], "there is no folder"),
        (["grade", "m01_derivatives", "--course", "{course}"], "nothing was handed in for m01_derivatives"),
        (["feedback", "m01_derivatives", "--course", "{course}"], "no submission of m01_derivatives is graded yet"),
        (["export", "{tmp}/g.csv", "--course", "{tmp}"], "is not a course folder"),
        (["build", "--course", "{tmp}"], "it has no course.toml"),
        (["course", "new", "{course}", "--course", "{lessons}"], "is not empty"),
        (["lab", "--student", "{tmp}/none"], "run `zerohero build` first"),
        (["progress", "{tmp}/none"], "is not a folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(course, lessons, tmp_path, args, says):
    done = zerohero(*[a.format(course=course, tmp=tmp_path, lessons=lessons) for a in args])
    assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.startswith("zerohero: ")


def test_a_full_disk_makes_no_half_course(lessons, tmp_path, monkeypatch):
    import errno

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device", "somewhere")

    monkeypatch.setattr("zerohero_autograder.build.course.write_notebook", full)
    with pytest.raises(OSError, match="No space left"):
        new_course(lessons, tmp_path / "cs101")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said_in_one_line(monkeypatch, capsys):
    import errno

    from zerohero import cli

    def full():
        raise OSError(errno.ENOSPC, "No space left on device", "gradebook.db")

    monkeypatch.setattr(cli, "app", full)
    full.registered_commands, full.registered_groups = [], []
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert capsys.readouterr().err == "zerohero: the disk is full (gradebook.db): free some space and run the same command again\n"
