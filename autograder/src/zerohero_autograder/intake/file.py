"""The bytes of a submitted file, or the reason why they are not read."""

import hashlib
import os
import stat
from pathlib import Path

from ..errors import SubmissionUnreadable

MAX_BYTES = 200_000_000
STAMPS = ("timestamp.txt", "submission_secret.txt")
"""What nbgrader's exchange puts beside a submission and looks for again when feedback is released."""

NOT_COLLECTED = "not_collected.txt"
"""In place of a notebook: why `zerohero collect` could not get one out of what the student handed in."""


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The content of the regular file at ``path``. Raises SubmissionUnreadable for anything else, a link in place of one of its two folders too.

    O_NOFOLLOW refuses a link in the same step that opens the file, so nothing can be swapped between a test and the
    reading; O_NONBLOCK keeps a named pipe from holding up everyone else's grading.
    """
    name = path.name
    if any(folder.is_symlink() for folder in list(path.parents)[:2]):
        raise SubmissionUnreadable(f"the folder of {name} is a link to another place; hand in the notebook itself")
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise SubmissionUnreadable(f"there is no file {name} in the submission{_neighbours(path)}") from None
    except OSError as error:
        if path.is_symlink():
            raise SubmissionUnreadable(f"{name} is a link to another file; hand in the notebook itself") from None
        raise SubmissionUnreadable(f"{name} cannot be opened ({error.strerror}); hand it in again") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SubmissionUnreadable(f"{name} is a folder or a device, not a notebook file")
        if status.st_size > limit:
            raise SubmissionUnreadable(
                f"{name} has {status.st_size / 1e6:,.0f} MB; at most {limit / 1e6:,.0f} MB are read. Clear all outputs, save, and hand it in again"
            )
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise SubmissionUnreadable(f"{name} cannot be read ({error.strerror}); hand it in again") from None
    finally:
        os.close(descriptor)
    if len(data) > limit:  # it grew while it was read
        raise SubmissionUnreadable(f"{name} is larger than the {limit / 1e6:,.0f} MB that are read")
    return data


def digest_of(data: bytes) -> str:
    """What tells one version of a submission from the next."""
    return hashlib.sha256(data).hexdigest()


def _neighbours(path):
    """What is there instead: browsers save m02.ipynb as m02.ipynb.txt or m02 (1).ipynb."""
    try:
        others = sorted((file.suffix != ".ipynb", file.name) for file in path.parent.iterdir() if file.name not in STAMPS)[:3]
    except OSError:
        others = []
    if any(name == NOT_COLLECTED for _, name in others):
        return ": " + read_bytes(path.with_name(NOT_COLLECTED), 4096).decode("utf-8", "replace")
    return f"; it holds {one_line(', '.join(name for _, name in others))}. The file must be named {path.name}" if others else ""


def one_line(text: str) -> str:
    """``text`` for a terminal or a sentence: line ends, colour codes, marks that turn the direction of writing and bytes that are no text, as a file name
    can hold, are spelled out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
