"""The gradebook as CSV, safe to open in a spreadsheet: nbgrader's table, or one that Canvas or Moodle imports.

Canvas and Moodle find a student by an identifier, never by name here. So names may be changed to be no formula, while an
identifier goes out as it is or not at all.
"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..course_folder import open_course
from ..errors import CourseError
from .files import write_whole
from .gradebook import gradebook_of

if TYPE_CHECKING:
    from nbgrader.api import Gradebook, Student

COLUMNS = ("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score", "late_submission_penalty", "score", "max_score")
"""nbgrader's own columns, so that what reads its export reads ours."""
FORMULA = re.compile(r"^(?=[\t\r\n])|(?:^|(?<=[;\t\r\n]))(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""Also behind a semicolon or a tab, which divide cells where a spreadsheet is set to another language, and in full width."""
ADD = "add it to a CSV file with the columns id and {column}, and run `nbgrader db student import FILE` in the course folder"


@dataclass(frozen=True)
class Exported:
    """What was written."""

    rows: int
    notes: tuple[str, ...] = ()
    """What to know before the file is imported."""


def export_csv(root: Path, file: Path, format: str = "plain") -> Exported:
    """Write the grades of all students of the roster to ``file``.

    "plain": one row per module and student, a missing submission as 0. "canvas", "moodle": one row per student, one column
    per module that somebody handed in; see canvas_rows() and moodle_rows(). Raises CourseError, with nothing written, for an
    unknown format and where the gradebook lacks what the format needs.
    """
    if format not in FORMATS:
        raise CourseError(f"no format {format!r}: there are {', '.join(FORMATS)}")
    with gradebook_of(open_course(root)) as gradebook:
        header, rows, notes = FORMATS[format](gradebook)
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    write_whole(Path(file), out.getvalue().encode("utf-8"))
    return Exported(sum(row[0] != POINTS for row in rows), tuple(notes))


def plain_rows(gradebook: "Gradebook"):
    """nbgrader's table."""
    rows = []
    for assignment in sorted(gradebook.assignments, key=lambda assignment: assignment.name):
        for student in _students(gradebook):
            submission = _submission(gradebook, assignment.name, student.id)
            raw, penalty, score = _scores(submission)
            who = (student.id, student.last_name, student.first_name, student.email)
            rows.append((assignment.name, assignment.duedate, submission.timestamp if submission else "", *who, raw, penalty, score, assignment.max_score))
    return COLUMNS, [[safe_cell(value) for value in row] for row in rows], ()


POINTS = "    Points Possible"
"""As Canvas writes it."""


def canvas_rows(gradebook: "Gradebook"):
    """What Canvas takes under Grades, Import.

    From the source of Canvas (instructure/canvas-lms, lib/gradebook_importer.rb and gradebook_exporter.rb): the header is
    Student, ID, an optional SIS Login ID, Section, then one column per assignment, found by its title; a row of points
    follows. A student is found by ID, Canvas' own number, else by SIS login, else by name. Section is not read. An empty
    cell where Canvas has a score counts as a change: it takes the score away. So a missing submission is 0, as in the plain
    table. Not tried on a running Canvas.

    Raises CourseError when a student has no lms_user_id that is a number: by login or name a grade could reach another one.
    """
    students, modules = _students(gradebook), _handed_in(gradebook)
    # "12x" would be taken for 12, somebody else
    if bad := [student for student in students if not re.fullmatch(r"[0-9]+", student.lms_user_id or "")]:
        raise CourseError(
            _lacks("Canvas finds students by its own number, lms_user_id in the roster (the column ID of Canvas' own export)", "lms_user_id", bad)
        )
    _insist_on_own(students, "lms_user_id", "Canvas")
    header = ("Student", "ID", "SIS Login ID", "Section", *(module.name for module in modules))
    rows: list[list[Any]] = [[POINTS, "", "", "", *(_number(module.max_score) for module in modules)]]
    for student in students:
        name = ", ".join(filter(None, (student.last_name, student.first_name))) or student.id
        rows.append([_one_line(name), student.lms_user_id, safe_cell(student.id), "", *_row(gradebook, modules, student)])
    return (
        header,
        rows,
        (f"in Canvas, name the assignments as in the file ({', '.join(m.name for m in modules)}); for another name it offers to make a new one",),
    )


IDENTIFIERS = (("ID number", "lms_user_id"), ("Email address", "email"), ("Username", "id"))
"""Moodle's column, and ours."""


def moodle_rows(gradebook: "Gradebook"):
    """What Moodle takes under Grades, Import, CSV file.

    From docs.moodle.org ("Grade import") and Moodle's source (grade/import/csv/classes/load_data.php): columns are mapped by
    hand, the students by one of id number, email address (case matters) or user name; names are those of Moodle's own export.
    A student it does not find ends the import. Where an identifier is empty, that version of the source goes on with the student
    of the row before, and so gives them another's grade: a column that does not name every student, each by their own, is left
    out. An empty grade takes away the one that is there: a missing submission is 0, as in the plain table. Moodle refuses
    grades above its limit, 100 by default. Not tried on a running Moodle.

    Raises CourseError when no identifier is left.
    """
    students, modules = _students(gradebook), _handed_in(gradebook)
    kept, left_out = [], []
    for column, key in IDENTIFIERS:
        reason = _unfit([getattr(student, key) or "" for student in students])
        if reason:
            left_out.append(f"{column} ({key} in the roster) is left out: {reason}")
        else:
            kept.append((column, key))
    if not kept:
        raise CourseError(f"no column tells all students apart in Moodle: {'; '.join(left_out)}. For email, {ADD.format(column='email')}")
    header = ("First name", "Last name", *(column for column, _ in kept), *(module.name for module in modules))
    rows = []
    for student in students:
        who = [_one_line(student.first_name or ""), _one_line(student.last_name or ""), *(getattr(student, key) for _, key in kept)]
        rows.append([*who, *_row(gradebook, modules, student)])
    return header, rows, (f"in Moodle, identify users by {' or '.join(column for column, _ in kept)}", *left_out)


FORMATS = {"plain": plain_rows, "canvas": canvas_rows, "moodle": moodle_rows}


def safe_cell(value: Any) -> Any:
    """Numbers stay numbers; text that a spreadsheet would take for a formula gets an apostrophe in front."""
    return value if value is None or isinstance(value, (int, float)) else FORMULA.sub("'", str(value))


def _one_line(name):
    """A name, which no import looks at, without line ends."""
    return safe_cell(" ".join(name.split()))


def _students(gradebook) -> "Sequence[Student]":
    return sorted(gradebook.students, key=lambda student: (student.last_name or "", student.first_name or "", student.id))


def _submission(gradebook, module, student):
    from nbgrader.api import MissingEntry

    try:
        return gradebook.find_submission(module, student)
    except MissingEntry:
        return None


def _scores(submission):
    """(raw, penalty, score)."""
    raw, penalty = (submission.score, submission.late_submission_penalty or 0.0) if submission else (0.0, 0.0)
    return raw, penalty, max(0.0, raw - penalty)


def _handed_in(gradebook):
    """The modules somebody handed in: a column of zeros for a module to come would be everybody's grade."""
    modules = [assignment for assignment in sorted(gradebook.assignments, key=lambda assignment: assignment.name) if assignment.submissions]
    if not modules:
        raise CourseError("no grades yet: run `zerohero grade MODULE` first (nothing was written)")
    return modules


def _row(gradebook, modules, student):
    return [_number(_scores(_submission(gradebook, module.name, student.id))[2]) for module in modules]


def _number(value):
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _unfit(values):
    """Why these do not identify every student in a file that a spreadsheet may open; "" when they do."""
    if not all(values):
        return f"{sum(not value for value in values)} of {len(values)} students have none"
    if twice := next((value for value in values if values.count(value) > 1), None):
        return f"two students have {twice!r}"
    if odd := next((value for value in values if safe_cell(value) != value or value != " ".join(value.split())), None):
        return f"a spreadsheet would not leave {odd!r} as it is"
    return ""


def _insist_on_own(students, key, where):
    values = [getattr(student, key) for student in students]
    if twice := next((value for value in values if values.count(value) > 1), None):
        raise CourseError(f"two students have the {key} {twice}: one would get the other's grade in {where}. Correct it: {ADD.format(column=key)}")


def _lacks(why, key, students):
    names = ", ".join(repr(student.id) for student in students[:5]) + (", ..." if len(students) > 5 else "")
    return f"{why}; {len(students)} of the roster have none that can be used: {names}. For each, {ADD.format(column=key)} (nothing was written)"
