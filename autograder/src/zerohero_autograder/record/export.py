"""The gradebook as CSV, safe to open in a spreadsheet."""

import csv
import io
import re
from pathlib import Path
from typing import Any

from ..course_folder import open_course
from .files import write_whole
from .gradebook import gradebook_of

COLUMNS = ("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score", "late_submission_penalty", "score", "max_score")
"""nbgrader's own columns, so that what reads its export reads ours."""
FORMULA = re.compile(r"^(?=[\t\r\n])|(?:^|(?<=[;\t\r\n]))(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""Also behind a semicolon or a tab, which divide cells where a spreadsheet is set to another language, and in full width."""


def export_csv(root: Path, file: Path) -> int:
    """One row per module and student of the roster, a missing submission as 0. Returns the number of rows."""
    from nbgrader.api import MissingEntry

    rows = []
    with gradebook_of(open_course(root)) as gradebook:
        students = sorted(gradebook.students, key=lambda student: (student.last_name or "", student.first_name or "", student.id))
        for assignment in sorted(gradebook.assignments, key=lambda assignment: assignment.name):
            for student in students:
                try:
                    submission = gradebook.find_submission(assignment.name, student.id)
                except MissingEntry:
                    handed_in, raw, penalty = "", 0.0, 0.0
                else:
                    handed_in, raw, penalty = submission.timestamp, submission.score, submission.late_submission_penalty or 0.0
                who = (student.id, student.last_name, student.first_name, student.email)
                rows.append((assignment.name, assignment.duedate, handed_in, *who, raw, penalty, max(0.0, raw - penalty), assignment.max_score))
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in row] for row in rows)
    write_whole(Path(file), out.getvalue().encode("utf-8"))
    return len(rows)


def _cell(value: Any) -> Any:
    """Numbers stay numbers; text that a spreadsheet would take for a formula gets an apostrophe in front."""
    return value if value is None or isinstance(value, (int, float)) else FORMULA.sub("'", str(value))
