"""members(): what a zip or tar file holds that may be a submission. Nothing is ever unpacked to a disk.

An archive is read in a child with limits on memory and time: one made to fill the memory, or to keep the parser busy for
ever, costs its student only. Names in an archive are data: they lead nowhere.
"""

import contextlib
import json
import os
import re
import resource
import signal
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from ..errors import SubmissionUnreadable
from .file import MAX_BYTES

NOTEBOOK = ".ipynb"
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
MEMORY = 2**30
"""What the child may take beyond what it starts with: a file of 200 MB, twice, and a list of some hundred thousand members."""
SECONDS = 20.0
"""Processor time for one student's archive. An honest one takes well under a second."""
WHOLE_CLASS = 3600.0
MOST_MEMBERS = 10_000
"""In one student's archive; an archive of a class may have a hundred times as many."""


@dataclass(frozen=True)
class Member:
    """One file in an archive."""

    path: tuple[str, ...]
    data: bytes = b""
    """Its content, if it is a notebook or an archive that can be read."""
    modified: datetime | None = None
    problem: str = ""
    """Why a notebook or archive is not read; empty for every other file too, whose content does not matter."""


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def is_notebook(name: str) -> bool:
    return name.lower().endswith(NOTEBOOK)


def members(file: IO[bytes], of_class: bool = False) -> Iterator[Member]:
    """The members of an archive, in its order; folders, and what programs leave beside a file, are passed over.

    ``of_class``: an archive that the instructor got from a learning platform may be larger than one student's.
    Raises SubmissionUnreadable when it is no archive, or its child ended before its end; members read until then were given.
    """
    read, write = os.pipe()
    with warnings.catch_warnings():  # other threads of ours may hold locks that the child would wait for; it takes none but Python's own
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            _work(file, of_class, write)
        finally:
            os._exit(0)
    os.close(write)
    try:
        with open(read, "rb") as pipe:
            yield from _frames(pipe)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _frames(pipe):
    while line := pipe.readline():
        head = json.loads(line) if line.endswith(b"\n") else {"size": 1}
        if "failed" in head:
            raise SubmissionUnreadable(head["failed"])
        if "end" in head:
            return
        data = pipe.read(head["size"])
        if len(data) < head["size"]:
            break
        modified = None if head["modified"] is None else datetime.fromtimestamp(head["modified"], UTC)
        yield Member(tuple(head["path"]), data, modified, head["problem"])
    raise SubmissionUnreadable("the archive takes too much memory or time to open; hand in the notebook itself")


# ---------------------------------------------------------------- in the child


def _work(file, of_class, write):
    with contextlib.suppress(OSError, ValueError):
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, WHOLE_CLASS if of_class else SECONDS)  # counts processor time, and kills
    most = MOST_MEMBERS * (100 if of_class else 1)
    with open(write, "wb") as out:
        try:
            file.seek(0)
            for member in _zipped(file, most) if file.read(2) == b"PK" else _tarred(file, most):
                modified = None if member.modified is None else member.modified.timestamp()
                _tell(out, path=member.path, modified=modified, problem=member.problem, size=len(member.data))
                out.write(member.data)
        except SubmissionUnreadable as error:
            _tell(out, failed=str(error))
        except MemoryError:
            return  # what the parent makes of that is the right message
        except Exception:  # whatever zipfile, tarfile and the decompressors raise for what a stranger made
            _tell(out, failed="the archive is damaged, or no zip or tar file: hand in the notebook itself")
        else:
            _tell(out, end=True)


def _tell(out, **event):
    out.write(json.dumps(event).encode("ascii") + b"\n")


def _zipped(file, most):
    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        _count(len(infos), most)
        for info in infos:
            path = _parts(_name(info))
            if info.is_dir() or _litter(path):
                continue
            mode = info.external_attr >> 16 if info.create_system == 3 else 0
            modified = _time(lambda info=info: datetime(*info.date_time).astimezone())  # a zip holds local time
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                yield _member(path, modified, problem="is a link or a device, not a file")
            elif info.flag_bits & 1:
                yield _member(path, modified, problem="is locked with a password; hand it in without one")
            else:
                yield _member(path, modified, info.file_size, lambda info=info: archive.open(info))


def _tarred(file, most):
    file.seek(0)
    with tarfile.open(fileobj=file, mode="r|*") as archive:
        for number, info in enumerate(archive):
            _count(number, most)
            path = _parts(info.name)
            if info.isdir() or _litter(path):
                continue
            modified = _time(lambda info=info: datetime.fromtimestamp(info.mtime, UTC))
            if not info.isreg():
                yield _member(path, modified, problem="is a link or a device, not a file")
            else:
                yield _member(path, modified, info.size, lambda info=info: archive.extractfile(info))
            archive.members.clear()  # it keeps all that went by


def _member(path, modified, size=0, opened=None, problem=""):
    """The Member, read if it may be a submission."""
    if any(part in ("", "..") for part in path):
        return Member(path, modified=modified, problem="has a name that leads out of the archive")
    if problem or not (is_notebook(path[-1]) or is_archive(path[-1])):
        return Member(path, modified=modified, problem=problem)
    too_large = Member(path, modified=modified, problem=f"has more than {MAX_BYTES / 1e6:,.0f} MB; clear all outputs, save, and hand it in again")
    if size > MAX_BYTES:
        return too_large
    try:
        with opened() as content:
            data = content.read(MAX_BYTES + 1)  # the size that an archive states may be a lie
    except MemoryError:
        raise
    except Exception:  # of zipfile and the decompressors; others in the archive may be whole
        return Member(path, modified=modified, problem="is damaged, or packed in a way that cannot be read")
    return too_large if len(data) > MAX_BYTES else Member(path, data, modified)


def _count(number, most):
    if number > most:
        raise SubmissionUnreadable(f"the archive holds more than {most:,} files; hand in the notebook itself")


def _name(info):
    """Many programs write UTF-8 without saying so, and zipfile then takes it for the code page of the first PCs."""
    if not info.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            return info.filename.encode("cp437").decode("utf-8")
    return info.filename


def _parts(name: str) -> tuple[str, ...]:
    """The steps of a path; the first is empty for an absolute one."""
    steps = re.split(r"[/\\]", name.rstrip("/\\"))
    return tuple(step for place, step in enumerate(steps) if step != "." and (step or not place)) or ("",)


def _litter(path):
    """What an operating system or Jupyter leaves beside a file."""
    return any(part in ("__MACOSX", ".ipynb_checkpoints") for part in path) or path[-1].startswith("._")


def _time(find: Any) -> datetime | None:
    try:
        return find()
    except (ValueError, OverflowError, OSError):  # the 31st of February, or the year 300,000
        return None
