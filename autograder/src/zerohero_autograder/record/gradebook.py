"""Scores and comments into nbgrader's gradebook, through its own API."""

import json
import os
import shutil
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from zerohero.report import Report
from zerohero.show import text

from ..course_folder import CourseFolder, open_course
from ..errors import CourseError
from ..graded_module import GradedModule
from ..run import Graded
from ..run.notebook import KERNEL

if TYPE_CHECKING:
    from nbgrader.api import Gradebook


def gradebook_of(course: CourseFolder) -> "Gradebook":
    """The open gradebook; a context manager. Raises CourseError when the database cannot be opened."""
    from nbgrader.api import Gradebook
    from sqlalchemy.exc import SQLAlchemyError

    alembic_on_path()
    try:
        return Gradebook(course.db_url, course.directory.course_id)
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", error)).splitlines()[0]
        why = "another program is writing to it: wait for it to end, and repeat" if "locked" in said else "is the path right, and the disk not full?"
        raise CourseError(f"the gradebook {course.db_url} cannot be opened ({said}): {why}") from None


def alembic_on_path() -> None:
    """nbgrader runs `alembic` by name for a new gradebook; it is beside our Python, which is not on PATH unless the environment is activated."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])


def open_gradebook(root: Path) -> "Gradebook":
    """The gradebook of the course folder ``root``."""
    return gradebook_of(open_course(root))


def register_course(root: Path) -> list[str]:
    """Enter every module that has a source notebook into the gradebook, as nbgrader's generate_assignment does. Returns their names."""
    course = open_course(root)
    with gradebook_of(course) as gradebook:
        for name in course.modules():
            register(gradebook, course.module(name))
    return course.modules()


def register(gradebook: "Gradebook", module: GradedModule) -> None:
    """Make sure the gradebook knows the module, its graded cells and their points.

    Raises CourseError when it still knows a cell that the module no longer has: its points would count for nothing.
    """
    from nbgrader.api import MissingEntry

    gradebook.update_or_create_assignment(module.name)
    try:
        notebook = gradebook.find_notebook(module.name, module.name)
    except MissingEntry:
        notebook = gradebook.add_notebook(module.name, module.name, kernelspec=json.dumps(KERNEL["kernelspec"]))
    graded = {cell.name: cell.max_score for cell in notebook.grade_cells}
    answers = {cell.name for cell in notebook.solution_cells}
    if stale := sorted(graded.keys() - module.points.keys()):
        raise CourseError(
            f"the gradebook has graded cells that {module.name} no longer has: {', '.join(stale[:3])}. "
            f"Back it up, run `nbgrader db assignment remove {module.name} --force`, and grade again"
        )
    for id, points in module.points.items():
        if graded.get(id) != points:
            gradebook.update_or_create_grade_cell(id, module.name, module.name, max_score=points, cell_type="code")
        if f"{id}-answer" not in answers:
            gradebook.update_or_create_solution_cell(f"{id}-answer", module.name, module.name)


def record(gradebook: "Gradebook", student: str, graded: Graded, timestamp: str | None = None) -> None:
    """Enter one graded submission. A student who is not in the roster is added, as nbgrader does.

    timestamp: when it was handed in, as nbgrader's timestamp.txt has it; ValueError when it is no time.
    """
    from nbgrader.api import MissingEntry

    try:
        gradebook.find_student(student)
    except MissingEntry:
        gradebook.add_student(student)
    with warnings.catch_warnings():  # SQLAlchemy's, about the order in which nbgrader adds rows
        warnings.simplefilter("ignore")
        gradebook.update_or_create_submission(graded.module, student, **({"timestamp": timestamp} if timestamp else {}))
    write_grades(gradebook, graded.module, student, graded.scores, graded.reports)


def write_grades(gradebook: "Gradebook", module: str, student: str, scores: Mapping[str, float], reports: Mapping[str, Report]) -> None:
    """Scores and comments of a submission that the gradebook has, in one transaction.

    A score that a person gave stays, and is flagged for another look, as nbgrader's own autograde does.
    """
    notebook = gradebook.find_submission_notebook(module, module, student)
    _complete(gradebook, notebook)
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {comment.name: comment for comment in notebook.comments}
    for id, score in scores.items():
        grades[id].auto_score = score
        grades[id].needs_manual_grade = grades[id].manual_score is not None
        comments[f"{id}-answer"].auto_comment = comment_of(reports[id])
    gradebook.db.commit()


def _complete(gradebook, submitted):
    """Give a submission that is older than one of the module's cells its rows for it."""
    from nbgrader.api import Comment, Grade

    for rows, cells, make in ((submitted.grades, submitted.notebook.grade_cells, Grade), (submitted.comments, submitted.notebook.solution_cells, Comment)):
        have = {row.cell_id for row in rows}
        gradebook.db.add_all([make(cell_id=cell.id, notebook_id=submitted.id) for cell in cells if cell.id not in have])
    gradebook.db.flush()
    gradebook.db.refresh(submitted)


def comment_of(report: Report) -> str:
    """What the gradebook says about one answer; students get to see it, so it holds no value of a hidden case."""
    return text(report.without_values())
