"""Scores and comments into nbgrader's gradebook, through its own API."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
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

VERSION = "alembic_version"


def gradebook_of(course: CourseFolder) -> "Gradebook":
    """The open gradebook; a context manager. Raises CourseError when the database cannot be opened."""
    from nbgrader.api import Gradebook

    alembic_on_path()
    with _opening(course):
        _finish(course.db_url)
        return Gradebook(course.db_url, course.directory.course_id)


@contextlib.contextmanager
def _opening(course):
    """Turns what SQLAlchemy raises about a database that cannot be opened into a CourseError."""
    from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError

    where = without_password(course.db_url)
    try:
        yield
    except (ImportError, NoSuchModuleError) as error:
        raise CourseError(
            f'the gradebook {where} needs a driver that is not installed ({error}). For PostgreSQL: pip install "zerohero-autograder[postgres]", '
            'and a db_url that begins with "postgresql+psycopg://"'
        ) from None
    except SQLAlchemyError as error:
        said = (str(getattr(error, "orig", error)).splitlines() or [""])[0]
        if "locked" in said:
            why = "another program is writing to it: wait for it to end, and repeat"
        elif where.startswith("sqlite"):
            why = "is the path right, and the disk not full?"
        else:
            why = "does the server run, is there a database of that name, and may you use it?"
        raise CourseError(f"the gradebook {where} cannot be opened ({said}): {why}") from None


def without_password(db_url: str) -> str:
    """The address of a database as it may be shown."""
    from sqlalchemy.engine import make_url

    return make_url(db_url).render_as_string(hide_password=True)


def _finish(db_url):
    """Take away the empty tables of a gradebook whose making was killed between nbgrader's two steps, so that it is made again.

    The second step enters the version of the tables, without which `nbgrader db upgrade` would not know what to do.
    """
    from nbgrader.api import Base
    from sqlalchemy import create_engine, inspect, select, table
    from sqlalchemy import text as sql

    engine = create_engine(db_url)
    try:
        names = set(inspect(engine).get_table_names())
        ours = [one for one in Base.metadata.sorted_tables if one.name in names]
        version = [table(VERSION)] if VERSION in names else []
        with engine.connect() as connection:
            if not ours or any(connection.execute(select(sql("1")).select_from(one).limit(1)).first() for one in [*version, *ours]):
                return
            Base.metadata.drop_all(connection)
            if version:
                connection.execute(sql(f"drop table {VERSION}"))
            connection.commit()
    finally:
        engine.dispose()


def recorded_scores(course: CourseFolder, module: str) -> dict[str, dict[str, float]]:
    """{student: {exercise id: score}} as the gradebook has them, without making or changing one. Raises CourseError when it cannot be opened."""
    from nbgrader.api import Assignment, Grade, GradeCell, SubmittedAssignment, SubmittedNotebook
    from sqlalchemy import create_engine, inspect, select
    from sqlalchemy.engine import make_url

    url = make_url(course.db_url)
    if url.get_backend_name() == "sqlite" and not os.path.exists(url.database or ""):
        return {}  # SQLite would make the file
    rows = (
        select(SubmittedAssignment.student_id, GradeCell.name, Grade.auto_score)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .join(GradeCell, GradeCell.id == Grade.cell_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .where(Assignment.name == module, GradeCell.cell_type == "code")  # written answers have scores of persons alone
    )
    scores: dict[str, dict[str, float]] = {}
    with _opening(course):
        engine = create_engine(course.db_url)
        try:
            if inspect(engine).has_table(Grade.__tablename__):
                with engine.connect() as connection:
                    for student, exercise, score in connection.execute(rows):
                        scores.setdefault(student, {})[exercise] = score
        finally:
            engine.dispose()
    return scores


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
    wanted = {id: (points, "code", f"{id}-answer") for id, points in module.points.items()}
    wanted |= {id: (question.points, "markdown", id) for id, question in module.written.items()}
    graded = {cell.name: (cell.max_score, cell.cell_type) for cell in notebook.grade_cells}
    answers = {cell.name for cell in notebook.solution_cells}
    if stale := sorted(graded.keys() - wanted.keys()):
        raise CourseError(
            f"the gradebook has graded cells that {module.name} no longer has: {', '.join(stale[:3])}. "
            f"Back it up, run `nbgrader db assignment remove {module.name} --force`, and grade again"
        )
    for id, (points, kind, answer) in wanted.items():
        if graded.get(id) != (points, kind):
            gradebook.update_or_create_grade_cell(id, module.name, module.name, max_score=points, cell_type=kind)
        if answer not in answers:
            gradebook.update_or_create_solution_cell(answer, module.name, module.name)


def record(gradebook: "Gradebook", student: str, graded: Graded, timestamp: str | None = None, exercises: Collection[str] | None = None) -> None:
    """Enter one graded submission, or of ``exercises`` alone. A student who is not in the roster is added, as nbgrader does.

    timestamp: when it was handed in, as nbgrader's timestamp.txt has it; ValueError when it is no time.
    """
    from nbgrader.api import MissingEntry

    try:
        gradebook.find_student(student)
    except MissingEntry:
        gradebook.add_student(student)
    enter_submission(gradebook, graded.module, student, timestamp)
    scores = {id: score for id, score in graded.scores.items() if exercises is None or id in exercises}
    write_grades(gradebook, graded.module, student, scores, graded.reports, graded.written)


def enter_submission(gradebook: "Gradebook", module: str, student: str, timestamp: str | None) -> None:
    """Make sure the gradebook has the submission, and when it was handed in, if that is known. ValueError when ``timestamp`` is no time.

    nbgrader takes an offset behind a space, as the exchange writes it in zones without a name ("... 21:00:00 -03"), for seconds.
    """
    known = {"timestamp": re.sub(r"\s+(?=[+-]\d\d(:?\d\d)?$)", "", timestamp)} if timestamp else {}
    with warnings.catch_warnings():  # SQLAlchemy's, about the order in which nbgrader adds rows
        warnings.simplefilter("ignore")
        gradebook.update_or_create_submission(module, student, **known)


def write_grades(
    gradebook: "Gradebook", module: str, student: str, scores: Mapping[str, float], reports: Mapping[str, Report], written: Mapping[str, str]
) -> None:
    """Scores and comments of a submission that the gradebook has, in one transaction.

    A score that a person gave stays. That of an exercise is flagged for another look, as nbgrader's own autograde does; that of a
    written answer only when the text is another one than was marked. A written answer without a score waits for a person, and
    one that is empty or untouched has 0, as in nbgrader.
    """
    notebook = gradebook.find_submission_notebook(module, module, student)
    _complete(gradebook, notebook)
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {comment.name: comment for comment in notebook.comments}
    for id, score in scores.items():
        grades[id].auto_score = score
        grades[id].needs_manual_grade = grades[id].manual_score is not None
        comments[f"{id}-answer"].auto_comment = comment_of(reports[id])
    for id, answer in written.items():
        grade, comment, state = grades[id], comments[id], _state_of(answer)
        changed = comment.auto_comment != state
        grade.auto_score = None if answer else 0.0
        grade.needs_manual_grade = bool(answer) if grade.manual_score is None else changed or grade.needs_manual_grade
        comment.auto_comment = state
    gradebook.db.commit()


def _state_of(answer):
    """What the gradebook keeps of a written answer, to tell whether it has changed since it was marked: Formgrader shows it in the empty field of the comment."""
    return f"{len(answer.split())} words ({hashlib.sha256(answer.encode()).hexdigest()[:12]})" if answer else "No response."


@dataclass(frozen=True)
class Marks:
    """What persons have given for the written answers of one submission."""

    score: float
    waiting: int
    """How many of them wait for a person: not marked yet, or changed since."""


def marks_of(gradebook: "Gradebook", module: GradedModule, student: str) -> Marks:
    """Raises nbgrader's MissingEntry when nothing of the student is recorded."""
    if not module.written:
        return Marks(0.0, 0)
    grades = [grade for grade in gradebook.find_submission_notebook(module.name, module.name, student).grades if grade.name in module.written]
    return Marks(sum(grade.score for grade in grades), sum(grade.needs_manual_grade for grade in grades))


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
