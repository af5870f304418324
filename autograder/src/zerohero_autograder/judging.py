"""judge_all(): the verdicts of one submission, worked out in a child process with limits.

judge() bounds what it reads, but a judge is a program that works on what a stranger sent: one that takes minutes or
gigabytes for it must cost that exercise, not the grading of the class. The child is a fork: it has the cases and the
exercises already, and starts in milliseconds. It decides nothing that judge() would not.
"""

import contextlib
import json
import os
import resource
import selectors
import signal
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zerohero.exercise import Case, Exercise
from zerohero.report import Finding, Report

from .judge import Verdict, judge, no_points

SECONDS = 10.0
"""Processor time for one exercise. The slowest honest one takes 0.1 s."""
WALL = 120.0
"""Wall time for one exercise: a backstop for a judge that waits, long enough for a busy machine."""
MEMORY = 2 * 2**30
"""What the child may take beyond what it starts with. An allocation above it is a MemoryError that judge() reports."""

Todo = Mapping[str, tuple[Exercise, Sequence[Case], Sequence[str]]]
Known = Mapping[str, Sequence[Mapping[str, Any]]]


def judge_all(todo: Todo, known: Known | None = None) -> dict[str, Verdict]:
    """{exercise id: verdict} for {exercise id: (exercise, cases, texts as for judge())}. Never raises for anything in the texts.

    ``known``: {exercise id: entries of the atlas} beyond those that the student's package has.
    """
    verdicts: dict[str, Verdict] = {}
    killed: set[str] = set()
    while waiting := {id: one for id, one in todo.items() if id not in verdicts}:
        found, at_limit = _in_child(waiting, known or {})
        verdicts |= found
        stopped = next((id for id in waiting if id not in verdicts), None)
        if stopped is not None and not at_limit and stopped not in killed:
            killed.add(stopped)  # by somebody, or by a kernel short of memory: that says nothing about the answer, so once more
        elif stopped is not None:  # the next child goes on behind it
            exercise, cases, _ = waiting[stopped]
            finding = Finding("your result takes too long to judge", next="run check() as it stands in the lesson; your instructor has been told")
            verdicts[stopped] = Verdict(
                no_points(exercise, cases, finding), f"{stopped}: judging ended without a verdict (limits: {SECONDS:g} s of processor time, {WALL:g} s in all)"
            )
    return verdicts


def _in_child(waiting, known):
    """(verdicts in order, up to the one at which the child ended; whether a limit of ours ended it)."""
    read, write = os.pipe()
    with warnings.catch_warnings():  # other threads of ours may hold locks that the child would wait for; it takes none but NumPy's and Python's own
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            _work(waiting, known, write)
        finally:
            os._exit(0)  # whatever happened: nothing of the parent's (its gradebook, its exit handlers) is the child's to close
    os.close(write)
    in_time = False
    try:
        verdicts, in_time = _verdicts(read)
    finally:
        os.close(read)
        if not in_time:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    return verdicts, not in_time or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF)


def _work(waiting, known, write):
    with contextlib.suppress(OSError, ValueError, AttributeError):  # no /proc, as on macOS: then without this limit
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for id, (exercise, cases, texts) in waiting.items():
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # counts processor time, and kills
        verdict = judge(exercise, cases, texts, known.get(id, ()))
        data = json.dumps([id, verdict.report.to_json(), verdict.note, verdict.prints]).encode("ascii") + b"\n"
        while data:
            data = data[os.write(write, data) :]


def _verdicts(read):
    """(what the child sent until it ended, whether it ended in time)."""
    verdicts, rest, deadline = {}, b"", time.monotonic() + WALL
    with selectors.DefaultSelector() as selector:
        selector.register(read, selectors.EVENT_READ)
        while selector.select(max(deadline - time.monotonic(), 0.0)):
            data = os.read(read, 1 << 20)
            if not data:
                return verdicts, True
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                id, report, note, prints = json.loads(line)
                verdicts[id] = Verdict(Report.from_json(report), note, prints)
                deadline = time.monotonic() + WALL
    return verdicts, False
