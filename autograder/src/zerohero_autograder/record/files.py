"""Files of a course: written whole or not at all."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from zerohero.atlas import agrees

from ..course_folder import CourseFolder
from ..errors import SubmissionUnreadable
from ..graded_module import GradedModule
from ..intake import read_bytes
from ..intake.file import STAMPS
from ..run.notebook import RECORD

SMALL = 4096


def write_whole(file: Path, data: bytes, mode: int = 0o644) -> None:
    """Write through a temporary file in the same folder: a reader sees the old content or the new, never a part."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
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


def graded_before(course: CourseFolder, student: str, module: GradedModule, digest: str) -> dict[str, Any] | None:
    """The graded notebook when it is of this very file, handed in at this very time, with these points and cases; None when there is work to do."""
    notebook = read_autograded(course, student, module.name)
    if notebook is None or not digest or notebook["metadata"][RECORD].get("submission") != digest:
        return None
    before = stamp(course.autograded(student, module.name), STAMPS[0])
    same = before == stamp(course.submitted(student, module.name), STAMPS[0]) and notebook["metadata"][RECORD].get("graded_as") == module.digest
    return notebook if same and not _named_since(notebook["metadata"][RECORD].get("unnamed", {}), module) else None


def _named_since(unnamed, module):
    """Whether an answer that had no name when it was graded has got one: then the report is made again."""
    return any(agrees(entry, prints) for exercise, prints in unnamed.items() for entry in module.known.get(exercise, ()))
