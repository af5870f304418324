"""make_feedback(): feedback/<student>/<module>/<module>.html for every graded submission."""

from collections.abc import Sequence
from pathlib import Path

from ..course_folder import open_course
from ..errors import CourseError
from ..intake import one_line
from ..record.files import copy_stamps, write_whole


def make_feedback(course_root: Path, module: str, students: Sequence[str] | None = None) -> list[Path]:
    """Write the pages, where nbgrader's release_feedback looks for them. Returns their paths.

    The same exporter makes them as in `nbgrader generate_feedback`. Raises CourseError when nothing is graded yet, and,
    after all others are written, when a page could not be made.
    """
    course = open_course(course_root)
    names = [name for name in course.students(module, "autograded", students) if (course.autograded(name, module) / f"{module}.ipynb").is_file()]
    if not names:
        raise CourseError(f"no submission of {module} is graded yet: run `zerohero grade {module}` first")
    from ..nbgrader_plugin.feedback import PREPROCESSORS, FeedbackExporter

    exporter = FeedbackExporter(config=course.config)
    for preprocessor in PREPROCESSORS:
        exporter.register_preprocessor(preprocessor, enabled=True)
    pages, failed = [], []
    for name in names:
        try:
            pages.append(_one(course, exporter, name, module))
        except Exception as error:
            failed.append(one_line(f"{name} ({type(error).__name__}: {error})"))
    if failed:
        raise CourseError(f"{len(pages)} pages of feedback are written; none could be made for {', '.join(failed[:5])}. Grade again with --force and repeat")
    return pages


def _one(course, exporter, student, module):
    source, target = course.autograded(student, module), course.feedback(student, module)
    resources = {"nbgrader": {"student": student, "assignment": module, "notebook": module, "db_url": course.db_url}}
    html, _ = exporter.from_filename(str(source / f"{module}.ipynb"), resources)
    copy_stamps(source, target)
    file = target / f"{module}.html"
    write_whole(file, html.encode("utf-8"))
    return file
