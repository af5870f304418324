"""make_feedback(): feedback/<student>/<module>/<module>.html for every graded submission."""

from collections.abc import Sequence
from pathlib import Path

from ..course_folder import open_course
from ..errors import CourseError
from ..record.files import copy_stamps, write_whole


def make_feedback(course_root: Path, module: str, students: Sequence[str] | None = None) -> list[Path]:
    """Write the pages, where nbgrader's release_feedback looks for them. Returns their paths.

    The same exporter makes them as in `nbgrader generate_feedback`. Raises CourseError when nothing is graded yet.
    """
    course = open_course(course_root)
    names = [name for name in course.students(module, "autograded", students) if (course.autograded(name, module) / f"{module}.ipynb").is_file()]
    if not names:
        raise CourseError(f"no submission of {module} is graded yet: run `zerohero grade {module}` first")
    from ..nbgrader_plugin.feedback import PREPROCESSORS, FeedbackExporter

    exporter = FeedbackExporter(config=course.config)
    for preprocessor in PREPROCESSORS:
        exporter.register_preprocessor(preprocessor, enabled=True)
    pages = []
    for name in names:
        source, target = course.autograded(name, module), course.feedback(name, module)
        resources = {"nbgrader": {"student": name, "assignment": module, "notebook": module, "db_url": course.db_url}}
        html, _ = exporter.from_filename(str(source / f"{module}.ipynb"), resources)
        copy_stamps(source, target)
        pages.append(target / f"{module}.html")
        write_whole(pages[-1], html.encode("utf-8"))
    return pages
