"""zerohero course new: an nbgrader course with our configuration, its assignments released and its roster imported."""

import csv
import os
import secrets
import shutil
import tempfile
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from .build import build_course
from .build.course import read_course
from .course_folder import CONFIG as CONFIG_FILE
from .course_folder import SECRET
from .errors import CourseError
from .record import open_gradebook, register_course
from .record.files import LOCK

CONFIG = '''"""nbgrader configuration of a zerohero course: `nbgrader autograde` takes the same safe path as `zerohero grade`."""

from pathlib import Path

from zerohero_autograder.nbgrader_plugin import configure

c = get_config()  # noqa: F821 - traitlets defines it
c.CourseDirectory.course_id = {course_id!r}
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
{db_url}
configure(c)
'''
ABOUT_A_STUDENT = ("first_name", "last_name", "email", "lms_user_id")
"""nbgrader's names; lms_user_id is Canvas' number of a student, or Moodle's ID number."""
SQLITE = '# c.CourseDirectory.db_url = "postgresql+psycopg://USER@HOST/DATABASE"  # SQLite (gradebook.db in this folder) when left out'
NOT_FOR_GIT = f"{SECRET}\ngradebook.db\n{LOCK}\nsubmitted/\nautograded/\nfeedback/\n"


def new_course(lessons: Path, folder: Path, roster: Path | None = None, db_url: str = "") -> tuple[tuple[str, ...], int]:
    """Make ``folder``. Returns the modules and the number of students imported.

    db_url: an SQLAlchemy address of an empty database for the gradebook; without it the gradebook is a file in ``folder``.
    Raises CourseError when the folder is not empty or the roster cannot be read, before anything is written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise CourseError(f"{folder} exists and is not empty: name a new folder (nothing was changed)")
    modules = read_course(lessons).modules
    students = read_roster(roster) if roster else []
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as scratch:
        # whole or not at all: the folder gets its name when everything is in it
        unfinished = Path(scratch, "course")
        _fill(unfinished, lessons, modules, students, folder.name, db_url)
        unfinished.replace(folder)
    return modules, len(students)


def _fill(folder, lessons, modules, students, course_id, db_url):
    folder.mkdir()
    built = folder / ".built"
    build_course(lessons, built)
    for module in modules:
        for side, name in (("source", "source"), ("student", "release")):
            (folder / name).mkdir(exist_ok=True)
            (built / side / module).rename(folder / name / module)
    shutil.rmtree(built)
    (folder / "submitted").mkdir()
    (folder / CONFIG_FILE).write_text(
        CONFIG.format(course_id=course_id, db_url=f"c.CourseDirectory.db_url = {db_url!r}" if db_url else SQLITE), encoding="utf-8"
    )
    (folder / ".gitignore").write_text(NOT_FOR_GIT, encoding="utf-8")
    with open(os.open(folder / SECRET, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_hex(16) + "\n")
    try:
        register_course(folder)
        import_roster(folder, students)
    except SQLAlchemyError as error:
        raise CourseError(f"the gradebook cannot be written: {error.args[0] if error.args else error}. Is the disk full? Nothing was made") from None


def read_roster(file: Path) -> list[dict[str, str]]:
    """[{"id", "first_name", "last_name", "email", "lms_user_id"}]. The header must name a column id; others than these are ignored."""
    try:
        with open(file, newline="", encoding="utf-8-sig") as text:
            rows = list(csv.DictReader(text))
    except FileNotFoundError:
        raise CourseError(f"{file} is missing: give the roster as a CSV file with a header line") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{file} is not a UTF-8 CSV file: {error}") from None
    students: list[dict[str, str]] = []
    seen: set[str] = set()
    for number, row in enumerate(rows, start=2):
        student = {key: (row.get(key) or "").strip() for key in ("id", *ABOUT_A_STUDENT)}
        name = student["id"]
        if not name or name in seen or "/" in name or name.startswith("."):
            why = "is given twice" if name in seen else "is missing" if not name else "cannot be the name of a folder"
            raise CourseError(f"{file}, line {number}: the id {name!r} {why}; the header needs a column `id`, and every student one of their own")
        seen.add(name)
        students.append(student)
    return students


def import_roster(folder: Path, students: list[dict[str, str]]) -> None:
    """Put the students into the course's gradebook."""
    with open_gradebook(folder) as gradebook:
        for student in students:
            gradebook.update_or_create_student(student["id"], **{key: student[key] for key in ABOUT_A_STUDENT})
