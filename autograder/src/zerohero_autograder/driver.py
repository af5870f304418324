"""grade_all(): every submission of one module, one after the other, so that one student's trouble stays theirs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .course_folder import open_course
from .errors import CourseError, SubmissionUnreadable
from .flags import Flag
from .graded_module import GradedModule
from .intake import digest_of, read_bytes
from .record import files, gradebook_of, graded_before, record, register, write_autograded
from .run import grade
from .run.notebook import RECORD
from .sandbox import NoSandbox, Sandbox, choose


@dataclass(frozen=True)
class Outcome:
    """What became of one student's submission."""

    student: str
    score: float
    max_score: float
    messages: tuple[str, ...] = ()
    """What the student is told at the top of the feedback."""
    notes: tuple[str, ...] = ()
    """What only the instructor is told."""
    flags: tuple[Flag, ...] = ()
    """What the instructor should look at."""
    skipped: bool = False
    """Graded before, and neither the file nor the module's cells, points and cases have changed since."""
    failed: str = ""
    """Why nothing could be recorded for this student; empty when all went well."""


def grade_all(
    course_root: Path,
    module: str,
    *,
    students: Sequence[str] | None = None,
    unsafe: bool = False,
    force: bool = False,
    twice: bool = False,
    on_progress: Callable[[Outcome, int, int], None] | None = None,
    sandbox: Sandbox | None = None,
) -> list[Outcome]:
    """Grade and record what was handed in for ``module``. Returns one Outcome per student, in order of their ids.

    A submission that was graded before and has not changed is skipped, unless ``force``. ``twice`` runs each notebook a second time and flags what differs. ``on_progress(outcome, done,
    total)`` is called after each. Stopping in the middle loses nothing: a submission counts as graded only when its
    scores are in the gradebook and its notebook is written.

    Raises CourseError for a wrong folder, module or student, and NoSandbox when nothing can be run safely here.
    """
    course = open_course(course_root)
    names = course.students(module, only=students)
    if not names:
        raise CourseError(f"nothing was handed in for {module}: put submissions into {course.submitted('STUDENT', module) / (module + '.ipynb')}")
    graded_module = course.module(module)
    sandbox = sandbox or choose(unsafe)
    outcomes = []
    with gradebook_of(course) as gradebook:
        register(gradebook, graded_module)
        for done, student in enumerate(names, 1):
            try:
                outcome = _one(course, gradebook, graded_module, student, sandbox, force, twice)
            except NoSandbox:
                raise  # nothing can be graded here at all, and nothing was recorded for this student
            except Exception as error:
                gradebook.db.rollback()
                outcome = Outcome(student, 0.0, graded_module.max_score, failed=f"{type(error).__name__}: {_brief(error)}; run this again to grade it")
            outcomes.append(outcome)
            if on_progress:
                on_progress(outcome, done, len(names))
    return outcomes


def _brief(error):
    """The first line: SQLAlchemy adds the whole statement."""
    return (str(error).splitlines() or [""])[0][:300]


def _one(course, gradebook, module: GradedModule, student, sandbox, force, twice) -> Outcome:
    file = course.submitted(student, module.name) / f"{module.name}.ipynb"
    if not force and (before := graded_before(course, student, module, _digest(file))):
        kept = before["metadata"][RECORD]
        flags = tuple(map(Flag.from_json, kept.get("flags", ())))
        return Outcome(student, sum(kept["scores"].values()), module.max_score, tuple(kept["messages"]), tuple(kept["notes"]), flags, skipped=True)
    graded = grade(file, module, sandbox, twice=twice)
    timestamp, late = files.stamp(file.parent, "timestamp.txt"), ()
    try:
        record(gradebook, student, graded, timestamp or None)
    except ValueError:  # dateutil's, for a text that is no time
        record(gradebook, student, graded)
        late = ("timestamp.txt holds no time; nothing was recorded about when this was handed in",)
    _penalise(course, gradebook, student, module.name)
    write_autograded(course, student, module.name, dict(graded.notebook))
    return Outcome(student, graded.score, module.max_score, graded.messages, (*graded.notes, *late), graded.flags)


def _digest(file):
    try:
        return digest_of(read_bytes(file))
    except SubmissionUnreadable:
        return ""


def _penalise(course, gradebook, student, module):
    """What nbgrader's AssignLatePenalties does after autograde, with the same plugin and configuration."""
    submission = gradebook.find_submission(module, student)
    if submission.total_seconds_late > 0 or submission.late_submission_penalty:
        from nbformat.v4 import new_notebook
        from nbgrader.preprocessors import AssignLatePenalties

        names = {"student": student, "assignment": module, "notebook": module, "db_url": course.db_url}
        AssignLatePenalties(config=course.config).preprocess(new_notebook(), {"nbgrader": names})
        gradebook.db.expire_all()
