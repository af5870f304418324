"""A control group for the memory of one run: the kernel counts everything in it, files in memory included, and keeps to the limit.

Made where this process may make one: with control groups version 1 as root; with version 2 beside our own group, where the
groups above hand the memory controller down and are ours to write to (as root under systemd, or as an ordinary user with
``systemd-run --user --scope``). Elsewhere each process is limited, and all together are looked at from outside (see supervise.py).
"""

import functools
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
OURS = Path("/proc/self/cgroup")


class MemoryGroup:
    """A group with a limit. Who writes b"0" to ``joining`` is in it, with all its children to come."""

    def __init__(self, limit: int):
        """Raises OSError where none can be made. limit: bytes."""
        version, parent = _parent()
        self._folder = parent / f"zerohero-{os.getpid()}-{secrets.token_hex(8)}"
        self._events = self._folder / ("memory.oom_control" if version == 1 else "memory.events")
        self._folder.mkdir()
        try:
            names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes") if version == 1 else ("memory.max",)
            (self._folder / names[0]).write_text(str(limit))
            for name in names[1:]:  # with swap; not there where the kernel does not count it
                with suppress(OSError):
                    (self._folder / name).write_text(str(limit))
            if version == 2:
                with suppress(OSError):
                    (self._folder / "memory.swap.max").write_text("0")
            self.joining = os.open(self._folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            self._folder.rmdir()
            raise

    def exceeded(self) -> bool:
        """Whether a process of it was killed because the limit was reached."""
        try:
            lines = (line.split() for line in self._events.read_text().splitlines())
            return any(len(words) == 2 and words[0] == "oom_kill" and words[1] != "0" for words in lines)
        except OSError:
            return False

    def remove(self) -> None:
        """To be called when everything in it has ended."""
        os.close(self.joining)
        for _ in range(100):  # the last process may still be leaving
            with suppress(OSError):
                self._folder.rmdir()
                return
            time.sleep(0.01)


def memory_group(limit: int) -> MemoryGroup | None:
    """A new group, or None where none can be made."""
    with suppress(OSError):
        return MemoryGroup(limit)
    return None


@functools.cache
def _parent() -> tuple[int, Path]:
    """(version, folder) below which groups are made. Raises OSError where there is none."""
    for line in OURS.read_text().splitlines():
        _, controllers, place = line.split(":", 2)
        if "memory" in controllers.split(","):
            return 1, _writable(MOUNT / "memory" / place.lstrip("/"))
        if not controllers:
            above = (MOUNT / place.lstrip("/")).parent
            if place != "/" and "memory" in (above / "cgroup.subtree_control").read_text().split():
                return 2, _writable(above)
    raise FileNotFoundError("no control group of ours has a memory controller")


def _writable(folder):
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder} is not ours to write to")
    return folder
