"""Warm jails: each run is forked, inside bubblewrap, from a process that has imported the libraries already.

A jail costs a fork instead of the start of Python and its imports. What keeps one run from the next is in zygote.py.
"""

import atexit
import functools
import json
import logging
import os
import socket
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from . import seccomp
from .bubblewrap import GIVEN, HOME, Bubblewrap, Jail, Memory, cases_of, found, kill_all, memory_file, plan_of, python
from .contract import MIB, Limits, NoSandbox, Run, Sandbox
from .supervise import START_S, Pipes, supervise
from .visible import visible

ROOM = 16 * MIB
"""What the zygote may write while it imports: caches, in memory, which no child sees."""
IMPORT_S = 300.0
"""How long the imports may take: a few seconds, many times that on a cold disk with every core busy."""
COMMON = frozenset({"torch"})
"""What most exercises run without: the zygote that is started first."""

log = logging.getLogger(__name__)


class NoZygote(Exception):
    """A zygote does not start, or does not answer. No code of a student's has run."""


@dataclass(frozen=True)
class Warm(Sandbox):
    """Jails forked from zygotes, one for each set of libraries taken away; a cold jail where that does not work."""

    program: str = "/usr/bin/bwrap"

    @classmethod
    def ready(cls) -> Sandbox:
        """A Warm that was seen to work, else a cold Bubblewrap that was. Raises NoSandbox when neither can be had. Tried once per process."""
        return _tried()

    def run(self, cells: Sequence[str], cases: Mapping[str, list], *, limits: Limits | None = None, without: frozenset[str] = frozenset()) -> Run:
        """See Sandbox.run. A zygote that does not answer is replaced once; after that this run gets a cold jail."""
        limits = limits or Limits()
        for _ in range(2):
            try:
                return self._run(cells, cases, limits, without)
            except NoZygote as problem:
                log.warning("a warm jail was not to be had: %s", problem)
        return Bubblewrap(self.program).run(cells, cases, limits=limits, without=without)

    def prepare(self, kinds: Iterable[frozenset[str]]) -> None:
        """Start the zygotes that do not run yet, all at one time, and wait for them."""
        with suppress(NoZygote, NoSandbox):
            for _, zygote in [_zygote(self.program, without) for without in kinds]:
                zygote.wait()

    def _run(self, cells, cases, limits, without):
        plan = plan_of(cells, limits)
        request = json.dumps({"plan": plan, "cases": cases_of(cases)})
        owner, zygote = _zygote(self.program, without)
        try:
            with Pipes() as pipes, Memory(limits.memory) as memory:
                child = zygote.fork(request, pipes.channel_in, pipes.printed_in, memory)
                pipes.close_inputs()
                run = supervise(
                    child, pipes.channel, pipes.printed,
                    cells=len(cells), exercises=frozenset(cases), marker=f"\n{plan['marker']} ".encode(), limits=limits, end=child.end, memory=child.memory,
                )  # fmt: skip
            if child.lost and run.ended == "died":  # it ended with its zygote, which no submission can reach: this is not the student's doing
                raise NoZygote("the zygote ended during a run")
        except NoZygote:
            _forget(self.program, without, owner, zygote)
            raise
        return run


def begin() -> None:
    """Start the zygote that choose() tries, and do not wait: what else is slow can be done meanwhile."""
    with suppress(NoZygote, NoSandbox):
        _zygote(found(), COMMON)


@functools.cache
def _tried():
    warm = Warm(found())
    try:
        run = warm._run(["pass"], {}, Limits(notebook_s=60), COMMON)
        if run.ended != "finished":
            raise NoZygote(run.reason)
    except (NoZygote, NoSandbox) as problem:
        cold = Bubblewrap.ready()
        log.warning("each submission starts a jail of its own, which takes longer, because none can be forked here: %s", problem)
        return cold
    return warm


class _Zygote:
    """A running zygote. It ends when the last process that holds its socket does."""

    def __init__(self, program, without):
        self._control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._said = memory_file("")
        self._ready, self._waiting = False, threading.Lock()
        try:
            with inside:
                command = python("zygote.py", str(inside.fileno()), without=without)
                room = dict.fromkeys((HOME, "/tmp"), ROOM)
                self._jail = Jail(program, command, {}, without, room, passed=[inside.fileno()], printed=self._said, may_divide=True)
            self._control.settimeout(IMPORT_S)
            self._control.send(json.dumps(_given(without)).encode())
        except OSError as problem:
            self.end()
            raise NoZygote(str(problem)) from None

    def wait(self):
        """Return when it can fork: before anything else forks from this process, which would hear of it in this one's place."""
        with self._waiting:
            if self._ready:
                return
            try:
                answer = self._control.recv(100)
            except OSError as problem:
                answer = str(problem).encode()
            if answer != b"ready":
                text = os.pread(self._said, 4000, 0).decode("utf-8", "replace").strip()
                raise NoZygote(text[-800:] or answer.decode() or "it ended while it started")
            self._ready = True

    def fork(self, request, channel, printed, memory):
        """Start a run. The descriptors stay the caller's."""
        self.wait()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        plan = memory_file(request)
        try:
            with theirs:
                socket.send_fds(self._control, [b"run"], [plan, channel, printed, theirs.fileno(), *memory.descriptors])
            ours.settimeout(START_S)
            answer, descriptors, _, _ = socket.recv_fds(ours, 4000, 1)
        except OSError as problem:
            ours.close()
            raise NoZygote(f"the zygote is gone ({problem})") from None
        finally:
            os.close(plan)
        if answer != b"started" or not descriptors:
            ours.close()
            raise NoZygote(answer.decode("utf-8", "replace") or "the zygote ended")
        ours.setblocking(False)
        return _Child(ours, descriptors[0], memory)

    def end(self):
        self._control.close()
        os.close(self._said)
        if hasattr(self, "_jail"):
            self._jail.end()


def _given(without):
    """What a zygote must know."""
    below = [place for _, place, _ in visible() if place.startswith(("/tmp/", f"{HOME}/", "/dev/shm/"))]
    return {"without": sorted(without), "home": HOME, "given": GIVEN, "below": below, "filter": seccomp.program().hex()}


class _Child:
    """One run of a zygote's."""

    def __init__(self, answers, init, memory):
        self._answers, self._init, self._memory, self._status = answers, init, memory, None
        self.lost = False
        """Whether nobody was left to say how it ended."""
        with open(f"/proc/self/fdinfo/{init}") as file:
            self._pid = next(int(line.split()[1]) for line in file if line.startswith("Pid:"))

    def poll(self):
        """The exit status once it has ended."""
        if self._status is None and self._answers.fileno() >= 0:
            with suppress(BlockingIOError):
                said = self._answers.recv(100)
                self.lost = not said.isdigit()
                self._status = 128 + 9 if self.lost else int(said)
        return self._status

    def end(self):
        """Kill the jail's pid 1, and with it everything inside; returns when all of it is gone."""
        kill_all(self._init)
        self._answers.close()

    def memory(self):
        """Bytes of everything in the jail, as Memory.used() tells them; of what it shares with the zygote, its part."""
        return self._memory.used(self._pid)


_zygotes: dict[tuple[str, frozenset[str]], tuple[int, _Zygote]] = {}
"""{(program, libraries taken away): (process that started it, zygote)}. A forked worker goes on with those of its parent."""
_lock = threading.Lock()


def _zygote(program, without):
    """(process that started it, zygote): the running one, or a new one, which may still be starting. Raises NoZygote."""
    with _lock:
        if (program, without) not in _zygotes:
            _zygotes[program, without] = os.getpid(), _Zygote(program, without)
        return _zygotes[program, without]


def _forget(program, without, owner, zygote):
    """The next run starts another."""
    with _lock:
        if _zygotes.get((program, without)) == (owner, zygote):
            del _zygotes[program, without]
            if owner == os.getpid():
                zygote.end()


def end_zygotes() -> None:
    """End those that this process started; the next run starts new ones."""
    with _lock:
        for owner, zygote in _zygotes.values():
            if owner == os.getpid():
                zygote.end()
        _zygotes.clear()


def _new_lock():
    global _lock
    _lock = threading.Lock()  # another thread may have held it at the fork


os.register_at_fork(after_in_child=_new_lock)
atexit.register(end_zygotes)
