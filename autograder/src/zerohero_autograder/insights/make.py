"""make_insights(): the page and the table of one module, from what grading left in the course folder."""

from pathlib import Path

from ..course_folder import open_course
from ..errors import CourseError
from ..record.files import read_autograded, write_whole
from ..record.gradebook import gradebook_of
from ..seen import unnamed
from .attempts import attempts_of
from .collect import collect
from .page import page
from .table import table


def make_insights(course_root: Path, module: str, out: Path, *, with_samples: bool = False) -> tuple[Path, Path]:
    """Write ``out`` (HTML) and a CSV of the same name beside it. Returns both paths.

    with_samples: show the code of one student for each group of wrong answers without a name. Raises CourseError for an
    unknown module, when nothing of it is graded, and for a name that the table would take.
    """
    out = Path(out)
    csv_file = out.with_suffix(".csv")
    if csv_file == out:
        raise CourseError(f"{out} is where the CSV goes: name the page, for example {out.with_suffix('.html')}")
    course = open_course(course_root)
    graded = course.module(module)
    found = {student: read_autograded(course, student, module) for student in course.students(module, "autograded")}
    notebooks = {student: notebook for student, notebook in found.items() if notebook is not None}
    if not notebooks:
        raise CourseError(f"no submission of {module} is graded yet: run `zerohero grade {module}` first")
    insights = collect(
        graded,
        notebooks,
        unnamed(course, module),
        by_hand=_by_hand(course, module, list(notebooks)),
        attempts=attempts_of(course, graded, list(notebooks)),
        with_samples=with_samples,
    )
    write_whole(out, page(insights).encode("utf-8"))
    write_whole(csv_file, table(insights).encode("utf-8"))
    return out, csv_file


def _by_hand(course, module, students):
    """{student: {exercise id: score}} that a person gave."""
    from nbgrader.api import MissingEntry

    scores = {}
    with gradebook_of(course) as gradebook:
        for student in students:
            try:
                grades = gradebook.find_submission_notebook(module, module, student).grades
            except MissingEntry:
                continue
            scores[student] = {grade.name: grade.manual_score for grade in grades if grade.manual_score is not None}
    return scores
