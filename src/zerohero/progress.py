"""zerohero progress: what is done, read from the notebooks themselves.

A notebook says all there is to know: which exercises it holds, whether an answer still is its starter, and what its
last check reported. This is practice: points that count come from grading.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ZeroheroError
from .report import MIME

STATES = ("passing", "failing", "edited", "not started")


@dataclass(frozen=True)
class ExerciseState:
    """How far one exercise is."""

    exercise: str
    state: str
    """passing: its last check passed. failing: it did not. edited: changed since, or never checked. not started: the starter."""


def states(notebook: dict[str, Any]) -> list[ExerciseState]:
    """The exercises of one notebook (nbformat 4 as a dict), in order."""
    answers, reported = {}, {}
    for cell in notebook.get("cells", []):
        marks = cell.get("metadata", {}).get("zerohero", {})
        if not isinstance(marks, dict):
            continue
        if "exercise" in marks:
            source = cell.get("source", "")
            source = source if isinstance(source, str) else "".join(source)
            answers[marks["exercise"]] = (hashlib.sha256(source.encode()).hexdigest()[:16], marks.get("starter"))
        elif "check" in marks:
            for output in cell.get("outputs", []):
                report = output.get("data", {}).get(MIME)
                if isinstance(report, dict):
                    # the JupyterLab extension notes down which answer a report is of; a notebook used without it does not say
                    of = output.get("metadata", {}).get("zerohero", {}).get("answer")
                    reported[marks["check"]] = (report.get("status"), of)
    found = []
    for exercise, (answer, starter) in answers.items():
        status, of = reported.get(exercise, ("", None))
        last = status if of in (None, answer) else ""
        state = "not started" if answer == starter else "passing" if last == "passed" else "failing" if last == "failed" else "edited"
        found.append(ExerciseState(exercise, state))
    return found


def read(folder: str | Path) -> Iterator[tuple[Path, list[ExerciseState] | str]]:
    """(notebook, its states, or a sentence on why it cannot be read) for each course notebook below ``folder``.

    Raises ZeroheroError when there is no such folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise ZeroheroError(f"{folder} is not a folder; name the one that holds your notebooks")
    for file in sorted(root.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in file.parts:
            continue
        try:
            found = states(json.loads(file.read_text(encoding="utf-8-sig")))
        except (ValueError, AttributeError, TypeError, OSError) as error:
            yield file, f"cannot be read ({type(error).__name__}); open it in JupyterLab, or fetch it again"
            continue
        if found:
            yield file, found


def progress(folder: str | Path = ".") -> None:
    """Print a table of all exercises below ``folder``, and the next one to work on."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="practice so far")
    table.add_column("notebook", overflow="fold")
    for state in STATES:
        table.add_column(state, justify="right")
    following, any_found = "", False
    for file, found in read(folder):
        any_found = True
        name = str(file.relative_to(folder))
        if isinstance(found, str):
            table.add_row(name, *["?"] * len(STATES))
            following = following or f"{name} {found}"
            continue
        table.add_row(name.removesuffix(".ipynb"), *[str(sum(s.state == state for s in found)) for state in STATES])
        unfinished = [s for s in found if s.state != "passing"]
        if unfinished and not following:
            following = f"next: {unfinished[0].exercise} in {name} ({unfinished[0].state})"
    console = Console()
    if not any_found:
        console.print(f"no course notebook below {folder}")
        return
    console.print(table)
    print(following or "all exercises pass")
