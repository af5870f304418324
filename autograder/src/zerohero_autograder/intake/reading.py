"""read(path): the file, then the notebook; a large one in a process of its own."""

import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..errors import SubmissionUnreadable
from .file import digest_of, read_bytes
from .notebook import Submission, parse

LARGE = 8_000_000
"""From this size on a file is read in a child. JSON of n bytes can make up to 25 n bytes of Python objects, so 200 MB of
brackets would take 5 GB from the process that grades everyone; below it the worst file takes 200 MB."""

MEMORY = 2 * 2**30
SECONDS = 60


@dataclass(frozen=True)
class Submitted:
    """One submission, read: small plain data that can be sent to another machine, whatever the file was."""

    content: Submission | None
    digest: str = ""
    """Of the file; empty when it could not be read."""
    problem: str = ""
    """Why there is no content, in words for the student."""


def take_in(path: Path) -> Submitted:
    """Never raises for anything about the file."""
    try:
        content, data = read(path)
    except SubmissionUnreadable as error:
        return Submitted(None, problem=str(error))
    return Submitted(content, digest_of(data))


def read(path: Path) -> tuple[Submission, bytes]:
    """The submission and the bytes it was read from. Raises SubmissionUnreadable and nothing else."""
    data = read_bytes(path)
    return (parse(data) if len(data) <= LARGE else parse(_reduced(data))), data


def _reduced(data):
    """``data`` without outputs and metadata, by a child with limits on memory and time."""
    too_large = SubmissionUnreadable("the file is too large to read: clear all outputs, save, and hand it in again")
    try:
        child = subprocess.run(
            [sys.executable, "-I", "-m", "zerohero_autograder.intake.large"],
            input=data,
            capture_output=True,
            timeout=2 * SECONDS,
            preexec_fn=_limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise too_large from None
    if child.returncode == 0:
        return child.stdout
    if child.returncode == 3:
        raise SubmissionUnreadable(child.stdout.decode("utf-8", "replace"))
    raise too_large


def _limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
