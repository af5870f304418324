"""Watching one run from outside, up to its end, whatever the student's code does."""

import contextlib
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from typing import Protocol

from .channel import Lines, Printed
from .contract import MIB, CellRun, Limits, NoSandbox, Run

CHUNK = 1 * MIB
MAX_PRINTED = 1024 * MIB
"""Printed bytes read before the run is ended: reading is cheap, but not free."""
START_S = 60.0
"""How long Python and IPython may take to start on a busy machine; no code of the student's runs then."""
LOOK_S = 0.25
"""How often the process is looked at when nothing is heard."""


class Running(Protocol):
    """What is watched."""

    def poll(self) -> int | None:
        """The exit status once it has ended (128 + the signal that killed it, or minus the signal), else None."""


def supervise(
    process: Running,
    channel: int,
    printed: int,
    *,
    cells: int,
    exercises: frozenset[str],
    marker: bytes,
    limits: Limits,
    end: Callable[[], None],
    memory: Callable[[], float] = lambda: 0,
) -> Run:
    """Read both pipes until the runner ends or a limit is passed, call ``end()`` to kill whatever is left, and report.

    ``end`` must not return before every process of the run is gone. ``memory`` gives the resident bytes of all of them, or infinity when
    the kernel has stopped one for it.
    Raises NoSandbox when no cell ever began: no code of the student's has run then.
    """
    lines = Lines(cells, exercises, limits.channel_bytes)
    texts = Printed(cells, marker, limits.output_bytes)
    ended, reason = "", ""
    start = heard = looked = time.monotonic()
    try:
        with selectors.DefaultSelector() as selector:
            for descriptor, sink in ((channel, lines), (printed, texts)):
                os.set_blocking(descriptor, False)
                selector.register(descriptor, selectors.EVENT_READ, sink)
            while not ended:
                exited = process.poll() is not None  # before reading: what it wrote is in the pipes by then
                if selector.get_map():
                    for key, _ in selector.select(0 if exited else LOOK_S):
                        data = _read(key.fd)
                        if not data:
                            selector.unregister(key.fd)
                        elif key.data.feed(data) and key.data is lines:
                            heard = time.monotonic()
                elif not exited:
                    time.sleep(0.01)
                now = time.monotonic()
                if lines.ended:
                    ended = "finished"
                elif lines.too_much:
                    size = f"{limits.channel_bytes / MIB:g} MB" if lines.received > lines.limit else "20,000 lines"
                    ended, reason = "too much output", f"cell {_number(lines)} gave more than {size} of results"
                elif texts.received > MAX_PRINTED:
                    ended, reason = "too much output", f"cell {_number(lines)} printed more than {MAX_PRINTED / MIB:g} MB"
                elif exited:
                    ended, reason = "died", _too_much_memory(lines, limits) if memory() > limits.memory else ""
                elif now - start > limits.notebook_s:
                    ended, reason = "timeout", f"the notebook ran longer than {limits.notebook_s:g} s"
                elif now - heard > (limits.cell_s + limits.grace_s if lines.begun >= 0 else START_S):
                    ended, reason = "timeout", f"cell {_number(lines)} ran longer than {limits.cell_s:g} s and could not be interrupted"
                elif now - looked > LOOK_S and (looked := now) and memory() > limits.memory:
                    ended, reason = "died", _too_much_memory(lines, limits)
    finally:
        end()
    _drain(channel, lines, limits.channel_bytes + CHUNK - lines.received)
    _drain(printed, texts, 4 * CHUNK)
    texts.close()
    if lines.begun < 0:
        raise NoSandbox(f"the grader's own program did not start in the sandbox: {texts.text(-1).strip()[-800:] or ended}")
    if ended == "died" and lines.ended:
        ended = "finished"
    return Run(
        _cells(lines, texts, ended),
        {k: tuple(v) for k, v in lines.outputs.items()},
        ended,
        reason or _death(lines, process.poll(), ended, limits),
        dict(lines.calls),
    )


def _read(descriptor):
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        return b""


def _drain(descriptor, sink, most):
    """Read what is still in the pipe after the end, at most ``most`` bytes."""
    while most > 0 and (data := _read(descriptor)):
        sink.feed(data[:most])
        most -= len(data)


def _too_much_memory(lines, limits):
    return f"cell {_number(lines)} used more than {limits.memory / MIB:g} MB of memory in all its processes"


def _number(lines):
    """The running cell, counted from 1 as people do."""
    return min(max(lines.begun, 0) + 1, lines.cells)


def _cells(lines, texts, ended):
    cells = []
    for index in range(lines.cells):
        text = texts.text(index)
        if index in lines.statuses:
            status, error = lines.statuses[index]
        elif index == lines.begun:
            status, error = ("timeout" if ended == "timeout" else "error"), "the run ended in this cell"
        else:
            status, error = "not run", ""
        cells.append(CellRun(index, status, text, error, lines.seconds.get(index)))
    return tuple(cells)


def _death(lines, code, ended, limits):
    if ended != "died":
        return ""
    what = f"cell {_number(lines)}" if lines.begun < lines.cells else "what the last cell left behind"
    number = -code if code is not None and code < 0 else (code or 0) - 128  # bubblewrap gives 128 + signal
    if number == signal.SIGXCPU:
        return f"{what} used more than {limits.cpu_s} s of processor time"
    if number == signal.SIGKILL:
        return f"{what} got the Python process killed"
    if number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE):
        return f"{what} crashed Python ({signal.strsignal(number).lower()})"
    return f"{what} ended the Python process"


class Pipes:
    """The two ways out of a run. Leaving the ``with`` closes what is still open, each end once.

    The channel is a socket: the reading end of a pipe can be opened in /proc/self/fd by whoever has the writing end and the
    user's id, to take back what was said. A run that says nothing passes for a sandbox that does not work, and stops everyone's grading.
    """

    def __init__(self):
        ours, theirs = socket.socketpair()
        ours.shutdown(socket.SHUT_WR)  # nothing is ever said to the run
        self.channel, self.channel_in = ours.detach(), theirs.detach()
        self.printed, self.printed_in = os.pipe()
        self._open = [self.channel, self.channel_in, self.printed, self.printed_in]
        with contextlib.suppress(ImportError, OSError, AttributeError):  # Linux only; a larger pipe is only faster
            import fcntl

            fcntl.fcntl(self.printed, fcntl.F_SETPIPE_SZ, CHUNK)

    def close_inputs(self) -> None:
        """Called when the run has its copies: from then on the end of the file is the end of the run."""
        self._close(self.channel_in)
        self._close(self.printed_in)

    def _close(self, descriptor):
        self._open.remove(descriptor)  # a number closed twice may be another thread's by then
        os.close(descriptor)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for descriptor in list(self._open):
            self._close(descriptor)
