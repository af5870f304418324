"""Files of a course: written whole or not at all, and by one process at a time."""

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from zerohero.atlas import agrees

from ..course_folder import CourseFolder
from ..errors import CourseError, SubmissionUnreadable
from ..graded_module import GradedModule
from ..intake import read_bytes
from ..intake.file import STAMPS
from ..run.notebook import RECORD

LOCK = ".grading"
SMALL = 4096


def write_whole(file: Path, data: bytes, mode: int = 0o644) -> None:
    """Write through a temporary file in the same folder: a reader sees the old content or the new, never a part."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())  # or after a power cut the new name may stand for an empty file
        os.chmod(temporary, mode)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise


def write_autograded(course: CourseFolder, student: str, module: str, notebook: dict[str, Any]) -> Path:
    """The graded notebook and nbgrader's stamps, read-only like nbgrader's own. Written last: its presence says "graded"."""
    folder = course.autograded(student, module)
    copy_stamps(course.submitted(student, module), folder)
    file = folder / f"{module}.ipynb"
    write_whole(file, notebook_bytes(notebook), 0o444)
    return file


def notebook_bytes(notebook: dict[str, Any]) -> bytes:
    """As JupyterLab writes one."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode("utf-8")


def stamp(folder: Path, name: str) -> str:
    """The text of a small file, "" when it is missing or anything but a small regular text file."""
    try:
        return read_bytes(folder / name, SMALL).decode("utf-8").strip()
    except (SubmissionUnreadable, UnicodeDecodeError):
        return ""


def copy_stamps(source: Path, target: Path) -> None:
    """Hand nbgrader's stamps on to the next step."""
    for name in STAMPS:
        if text := stamp(source, name):
            write_whole(target / name, text.encode("utf-8"))


def read_autograded(course: CourseFolder, student: str, module: str) -> dict[str, Any] | None:
    """The graded notebook, or None when there is none that this package wrote."""
    try:
        notebook = json.loads((course.autograded(student, module) / f"{module}.ipynb").read_bytes())
        return notebook if notebook["metadata"][RECORD]["module"] == module else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def look_back(course: CourseFolder, student: str, module: GradedModule, digest: str, recorded: Mapping[str, float]) -> tuple[dict[str, Any] | None, str]:
    """(the notebook as it was graded before or None, why it is to be graded again). Without a reason nothing has changed since.

    digest: of the file as it is now, empty when it cannot be read. recorded: {exercise id: score} as the gradebook has them.
    """
    before = read_autograded(course, student, module.name)
    if before is None:
        return None, "not graded yet"
    kept, stamps = before["metadata"][RECORD], [stamp(step(student, module.name), STAMPS[0]) for step in (course.autograded, course.submitted)]
    reasons = {
        "the file cannot be read": not digest,
        "the file changed": kept.get("submission") != digest,
        "the time of hand-in changed": stamps[0] != stamps[1],
        "cells, points or cases of the module changed": kept.get("graded_as") != module.digest,
        "the gradebook has other scores, or none": kept.get("scores") != recorded,
        "a mistake in it was named": _named_since(kept.get("unnamed", {}), module),
    }
    return before, next((reason for reason, holds in reasons.items() if holds), "")


def _named_since(unnamed, module):
    """Whether an answer that had no name when it was graded has got one: then the report is made again."""
    return any(agrees(entry, prints) for exercise, prints in unnamed.items() for entry in module.known.get(exercise, ()))


@contextlib.contextmanager
def only_writer(course: CourseFolder) -> Iterator[None]:
    """No other ``zerohero grade`` records in this course meanwhile. Raises CourseError when one does, with its process.

    The kernel gives the lock back when the process ends, however it does, and forks do not inherit it: a worker that outlives
    a killed driver by a moment holds up nobody.
    """
    with open(course.root / LOCK, "a+", encoding="utf-8") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CourseError(
                f"another `zerohero grade` ({file.read().strip() or 'just started'}) records in {course.root}: wait for it to end, and run this again"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {os.uname().nodename}")
        file.flush()
        yield


def sweep(course: CourseFolder, module: str) -> None:
    """Remove what a kill in the middle of write_whole() left beside the graded notebooks of ``module``. For the only writer."""
    folder = course.autograded("x", module)
    for name in (f"{module}.ipynb", *STAMPS):
        for left in folder.parent.parent.glob(f"*/{folder.name}/.{name}.*"):
            left.unlink(missing_ok=True)
