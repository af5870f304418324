"""lines_from_child(): work on what a stranger sent, in a child process with limits.

The child is a fork: it has everything already and starts in milliseconds. If it takes too much memory or time it is gone,
and what it had said until then is there.
"""

import contextlib
import os
import resource
import selectors
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path

MEMORY = 2 * 2**30
"""What the child may take beyond what it starts with. An allocation above it is a MemoryError in the child."""


def lines_from_child(work: Callable[[Callable[[bytes], None], Callable[[float], None]], None], wall: float) -> tuple[list[bytes], bool]:
    """(the lines that ``work(say, allow)`` says in a child process until it ends or is silent for ``wall`` seconds, whether a limit ended it).

    say   : say(line) sends one line, without its end
    allow : allow(seconds) kills the child once it has used that much processor time from now on
    """
    read, write = os.pipe()
    with warnings.catch_warnings():  # other threads of ours may hold locks that the child would wait for; it takes none but NumPy's and Python's own
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            _limit_memory()
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            work(lambda line: _write(write, line + b"\n"), lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds))
        finally:
            os._exit(0)  # whatever happened: nothing of the parent's (its gradebook, its exit handlers) is the child's to close
    os.close(write)
    in_time = False
    try:
        lines, in_time = _lines(read, wall)
    finally:
        os.close(read)
        if not in_time:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    return lines, not in_time or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF)


def _limit_memory():
    with contextlib.suppress(OSError, ValueError, AttributeError):  # no /proc, as on macOS: then without this limit
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _write(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def _lines(read, wall):
    """(whole lines until the end, whether it came in time)."""
    lines, rest, deadline = [], b"", time.monotonic() + wall
    with selectors.DefaultSelector() as selector:
        selector.register(read, selectors.EVENT_READ)
        while selector.select(max(deadline - time.monotonic(), 0.0)):
            data = os.read(read, 1 << 20)
            if not data:
                return lines, True
            *whole, rest = (rest + data).split(b"\n")
            lines += whole
            if whole:
                deadline = time.monotonic() + wall
    return lines, False
