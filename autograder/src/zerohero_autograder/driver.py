"""grade_all(): every submission of one module, graded by workers and recorded by this process alone.

It records each result as it comes, scores first and the notebook last. Killed at any point, the next run finds what is not in
both, and grades that again.
"""

import errno
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .course_folder import CourseFolder, nearest, open_course
from .errors import CourseError, SubmissionUnreadable
from .flags import Flag
from .graded_module import GradedModule
from .intake import digest_of, read_bytes
from .record import files, gradebook_of, look_back, marks_of, only_writer, record, recorded_scores, register, write_autograded
from .run import Graded, partly
from .run.notebook import RECORD
from .sandbox import NoSandbox, Sandbox, begin, choose
from .workers import Result, Task, in_processes, in_this_process

if TYPE_CHECKING:
    from nbgrader.api import Gradebook


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
    waiting: int = 0
    """How many written answers wait for a person; what a person gave is in ``score``."""
    reason: str = ""
    """Why it was graded: not graded yet, the file changed, ..."""
    changes: Mapping[str, tuple[float | None, float]] = field(default_factory=dict)
    """{exercise id: (score before, score now)} where they differ; None where there was none."""


def grade_all(
    course_root: Path,
    module: str,
    *,
    students: Sequence[str] | None = None,
    exercises: Collection[str] = (),
    unsafe: bool = False,
    force: bool = False,
    dry_run: bool = False,
    twice: bool = False,
    workers: int = 1,
    scheduler: str = "",
    on_progress: Callable[[Outcome, int, int], None] | None = None,
    sandbox: Sandbox | None = None,
) -> list[Outcome]:
    """Grade and record what was handed in for ``module``. Returns one Outcome per student, in order of their ids.

    A submission that was graded before and has not changed is skipped, unless ``force``. ``on_progress(outcome, done,
    total)`` is called for each as it is done. Stopping in the middle loses nothing: a submission counts as graded only when
    its scores are in the gradebook and its notebook is written.

    exercises: grade these again for everyone; a submission that has not changed keeps its other scores.
    dry_run: grade, and write nothing at all; the outcomes say what would change.
    twice: run each notebook a second time, and flag what differs.
    workers: in so many processes; one is this process. scheduler: on the Dask cluster of this address instead.

    Raises CourseError for a wrong folder, module, student, exercise or cluster, and while another process records in this
    course; NoSandbox when nothing can be run safely here.
    """
    if not (unsafe or scheduler or sandbox):
        begin()  # it starts while nbgrader is imported
    course = open_course(course_root)
    names = course.students(module, only=students)
    if not names:
        raise CourseError(f"nothing was handed in for {module}: put submissions into {course.submitted('STUDENT', module) / (module + '.ipynb')}")
    graded_module = course.module(module)
    for id in exercises:
        if id not in graded_module.points:
            raise CourseError(f"{module} has no exercise {id!r}{nearest(id, list(graded_module.points))}")
    if not scheduler:
        sandbox = sandbox or choose(unsafe)  # before there are workers: they share what it has ready
    outcomes: dict[str, Outcome] = {}

    def tell(outcome):
        outcomes[outcome.student] = outcome
        if on_progress:
            on_progress(outcome, len(outcomes), len(names))

    with ExitStack() as stack:
        gradebook = None
        if not dry_run:
            stack.enter_context(only_writer(course))
            files.sweep(course, module)
            gradebook = stack.enter_context(gradebook_of(course))
            register(gradebook, graded_module)
        job = _Job(course, graded_module, gradebook, frozenset(exercises), force, recorded_scores(course, module))
        tasks = []
        for student in names:
            if outcome := job.unchanged(student):
                tell(outcome)
            else:
                tasks.append((student, job.file(student)))
        if sandbox and tasks:
            sandbox.prepare(without for _, without in graded_module.kinds_of_run())  # before there are workers, who would do it each for themselves
        results = _results(graded_module, sandbox, tasks, unsafe, workers, scheduler, twice)
        stack.callback(results.close)  # whatever stops this, no worker is left
        for student, graded in results:
            tell(job.finish(student, graded))
    return [outcomes[student] for student in names]


def _results(module, sandbox, tasks: list[Task], unsafe, workers, scheduler, twice) -> Generator[Result, None, None]:
    if scheduler:
        try:
            from .cluster import on_cluster
        except ModuleNotFoundError as error:
            raise CourseError(f'--scheduler needs Dask ({error}): pip install "zerohero-autograder[dask]"') from None
        return on_cluster(module, tasks, scheduler, unsafe, twice)
    if min(workers, len(tasks)) > 1:
        return in_processes(module, sandbox, tasks, workers, twice)
    return in_this_process(module, sandbox, tasks, twice)


@dataclass(frozen=True)
class _Job:
    """What one call of grade_all() does with each student, before and after the grading."""

    course: CourseFolder
    module: GradedModule
    gradebook: "Gradebook | None"
    """None when nothing is to be recorded."""
    exercises: frozenset[str]
    force: bool
    recorded: Mapping[str, Mapping[str, float]]
    reasons: dict[str, str] = field(default_factory=dict)

    def file(self, student: str) -> Path:
        return self.course.submitted(student, self.module.name) / f"{self.module.name}.ipynb"

    def unchanged(self, student: str) -> Outcome | None:
        """The outcome of the last grading where there is nothing to do. Of what there is to do, the reason is kept."""
        before, reason = look_back(self.course, student, self.module, _digest(self.file(student)), self.recorded.get(student, {}))
        self.reasons[student] = reason or ("you asked for it" if self.force or self.exercises else "")
        if before is None or self.reasons[student]:
            return None
        kept = before["metadata"][RECORD]
        if self.gradebook:
            _penalise(self.course, self.gradebook, student, self.module.name)  # a deadline may have been moved, or a written answer marked
        score, waiting = self._with_marks(student, sum(kept["scores"].values()))
        flags = tuple(map(Flag.from_json, kept.get("flags", ())))
        return Outcome(student, score, self.module.max_score, tuple(kept["messages"]), tuple(kept["notes"]), flags, skipped=True, waiting=waiting)

    def _with_marks(self, student, score):
        """The score with what persons gave for written answers, and how many of these wait for a person."""
        if self.gradebook is None:
            return score, 0
        marks = marks_of(self.gradebook, self.module, student)
        return score + marks.score, marks.waiting

    def finish(self, student: str, graded: Graded | BaseException) -> Outcome:
        """Record one result. What goes wrong with it stays this student's, but for a sandbox that does not work at all."""
        try:
            if isinstance(graded, BaseException):
                raise graded
            return self._finish(student, graded)
        except NoSandbox:
            raise  # nothing can be graded here at all, and nothing was recorded for this student
        except Exception as error:
            return Outcome(student, 0.0, self.module.max_score, failed=_why(error), reason=self.reasons[student])
        finally:
            if self.gradebook:  # nothing of this student stays in memory, and no transaction open, while the next one is graded
                self.gradebook.db.remove()

    def _finish(self, student, graded):
        before = files.read_autograded(self.course, student, self.module.name)
        old = before["metadata"][RECORD] if before else {"submission": "", "scores": {}}
        new = graded.notebook["metadata"][RECORD]
        exercises, scores = None, self.recorded.get(student, {})
        if self.exercises and new["submission"] and new["submission"] == old["submission"]:
            graded = partly(graded, before, self.exercises)
            if all(scores.get(id) is not None for id in graded.scores.keys() - self.exercises):
                exercises = self.exercises
        changes = {id: (old["scores"].get(id), score) for id, score in graded.scores.items() if score != old["scores"].get(id)}
        late = self._write(student, graded, exercises) if self.gradebook else ()
        score, waiting = self._with_marks(student, graded.score)
        notes = (*graded.notes, *late)
        return Outcome(
            student, score, self.module.max_score, graded.messages, notes, graded.flags, reason=self.reasons[student], changes=changes, waiting=waiting
        )

    def _write(self, student, graded, exercises):
        """Scores first, the notebook last. Returns what there is to say about the time of hand-in."""
        timestamp = files.stamp(self.file(student).parent, "timestamp.txt")
        a_time = _is_time(timestamp)
        late = () if a_time or not timestamp else ("timestamp.txt holds no time; nothing was recorded about when this was handed in",)
        record(self.gradebook, student, graded, timestamp if a_time else None, exercises)
        _penalise(self.course, self.gradebook, student, self.module.name)
        write_autograded(self.course, student, self.module.name, dict(graded.notebook))
        return late


def _is_time(text):
    from nbgrader.utils import parse_utc

    try:
        return bool(text) and bool(parse_utc(text))
    except (ValueError, OverflowError):
        return False


def _why(error):
    """Why nothing was recorded, in one line: SQLAlchemy adds the whole statement."""
    said = (str(error).splitlines() or [""])[0][:300]
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "disk is full" in said:
        return f"the disk is full ({said}): make room, and run this again to grade it"
    if "database is locked" in said:
        return "another program is writing to the gradebook: wait for it to end, and run this again to grade it"
    return f"{type(error).__name__}: {said}; run this again to grade it"


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
