"""What a sandbox is handed and what it gives back."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zerohero.errors import ZeroheroError

MIB = 2**20
GIB = 2**30


class NoSandbox(ZeroheroError):
    """No jail can be made on this machine, or the grader's own program does not start in it. Nothing was graded."""


@dataclass(frozen=True)
class Limits:
    """What one notebook may use. Times are in seconds, sizes in bytes."""

    notebook_s: float = 300.0
    """Wall time of the whole notebook, enforced from outside by killing the jail."""
    cell_s: float = 60.0
    """Wall time of one cell, after which it is interrupted and the next cell goes on."""
    grace_s: float = 5.0
    """How much longer than cell_s a cell that ignores the interruption lives before the jail is killed."""
    cpu_s: int = 300
    """Processor time of each process."""
    memory: int = 4 * GIB
    """Address space of each process, and resident memory of all together."""
    processes: int = 64
    """Processes and threads alive at one time."""
    file_size: int = 100 * MIB
    """Size of one file."""
    disk: int = 256 * MIB
    """Size of the home folder, and of /tmp. Both live in memory and are gone afterwards."""
    output_bytes: int = 1 * MIB
    """Printed output kept per cell; what is beyond it is counted and dropped."""
    channel_bytes: int = 64 * MIB
    """Probe outputs of the whole notebook; beyond it the jail is killed."""


@dataclass(frozen=True)
class CellRun:
    """What became of one cell."""

    index: int
    status: str
    """"ok", "error", "timeout" or "not run"."""
    text: str = ""
    """What it printed to stdout and stderr, in order, plain and cut to Limits.output_bytes."""
    error: str = ""
    """Type and first line of the exception that ended it. The student's words: untrusted."""
    seconds: float | None = None
    """Wall time as seen from outside; None when it did not come to an end. A submission can make it longer or shorter."""


@dataclass(frozen=True)
class Run:
    """What became of a notebook."""

    cells: tuple[CellRun, ...]
    """One per cell handed in, in order."""
    outputs: dict[str, tuple[str, ...]]
    """Per exercise id, what its checks emitted, oldest first: ``zerohero.plaindata`` text, not decoded yet. Untrusted."""
    ended: str
    """"finished", "died", "timeout" or "too much output"."""
    reason: str = ""
    """One sentence for the student when it did not finish: "cell 7 ended the Python process"."""
    calls: Mapping[str, tuple[str, int, int]] = field(default_factory=dict)
    """Per exercise id, which function a backward pass called most, how often, and with how large an array: see zerohero.grading. Untrusted."""


class Sandbox(ABC):
    """A place to run submissions in. One object may be used for many runs, from several threads or after a pickle."""

    @abstractmethod
    def run(
        self,
        cells: Sequence[str],
        cases: Mapping[str, list[dict[str, Any]]],
        *,
        limits: Limits | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Run:
        """Run the code cells of one notebook in order, in one fresh Python process, and wait for the end.

        Called by the grading function once per submission (twice where a module has exercises with and without torch),
        from a worker process. ``cases`` are the plain-data inputs per exercise id that ``check()`` probes inside;
        ``without`` names libraries whose use raises ImportError.

        Never raises for anything the student's code did: that is in the Run. Raises NoSandbox when the sandbox itself
        does not work; nothing may be scored then. When it returns, no process of the run is left.
        """

    def prepare(self, kinds: Iterable[frozenset[str]]) -> None:  # noqa: B027 - most have nothing to make ready
        """Get ready for runs without these libraries: processes that are forked from this one afterwards need not do it again, each for itself.

        What cannot be made ready is left to the first run.
        """
