"""What an instructor sees while a class is graded: a line per submission, and on a terminal a bar with the counts and the time left."""

from collections import Counter
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from .driver import Outcome
from .intake import one_line


class Progress:
    """Hand ``tell`` to grade_all(). A context manager."""

    def __init__(self, console: Console, dry_run: bool = False):
        self._console, self._dry_run, self._counts, self._task = console, dry_run, Counter[str](), None
        left = TimeRemainingColumn(), TextColumn("left")
        # drawn when there is news and by no thread of its own: workers are forks of this process
        self._bar = Bar(
            BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn(), *left,
            console=console, auto_refresh=False, disable=not console.is_terminal, speed_estimate_period=600,
        )  # fmt: skip

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._bar.stop()

    def tell(self, outcome: Outcome, done: int, total: int) -> None:
        """Show one outcome."""
        graded = "would be graded" if self._dry_run else "graded"
        state = ("could not be graded" if self._dry_run else "not recorded") if outcome.failed else "unchanged" if outcome.skipped else graded
        why = f": {outcome.reason}" if self._dry_run and outcome.reason else ""
        waiting = f"; {waiting_for_you(outcome.waiting)}" if outcome.waiting else ""
        self._console.print(f"[{done}/{total}] {one_line(outcome.student)}: {outcome.score:g} of {outcome.max_score:g} ({state}{why}{waiting})")
        if self._dry_run:
            for exercise, (old, new) in outcome.changes.items():
                self._console.print(f"    {exercise}: {'none' if old is None else f'{old:g}'} -> {new:g}")
        for line in (*filter(None, [outcome.failed]), *outcome.messages):
            self._console.print(f"    {one_line(line)}")
        for line in (*outcome.notes, *(flag.text for flag in outcome.flags)):
            self._console.print(f"    for you: {one_line(line)}")
        self._counts["failed" if outcome.failed else "unchanged" if outcome.skipped else "graded"] += 1
        self._counts["flagged"] += bool(outcome.flags)
        self._draw(done, total)

    def _draw(self, done, total):
        counts = ", ".join(f"{self._counts[kind]} {kind}" for kind in ("graded", "unchanged", "failed", "flagged"))
        if self._task is None:
            self._task = self._bar.add_task(counts, total=total)
        if self._counts["unchanged"] == done:  # they come first and take no time, which says nothing about the rest: it starts here
            self._bar.reset(self._task, total=total, completed=done, description=counts)
        self._bar.update(self._task, completed=done, description=counts)
        self._bar.refresh()


def waiting_for_you(count: int) -> str:
    """Written answers that a person has to mark."""
    return f"{count} written {'answer waits' if count == 1 else 'answers wait'} for you"
