"""The jail: bubblewrap with a list of what may be seen, and nothing else.

Two ways lead to the same jail. An ordinary user runs bubblewrap in a user namespace of its own. Root first makes, with a
first bubblewrap, a view of the same few folders in which an unprivileged user can walk, becomes uid 65534 there, and runs
that very command: the jail itself never holds a privilege, and limits on processes, which root is exempt from, bind.
"""

import functools
import json
import math
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from zerohero.plaindata import encode

from . import seccomp
from .contract import MIB, Limits, NoSandbox, Run, Sandbox
from .memory_group import memory_group
from .supervise import Pipes, supervise
from .visible import INSIDE, PRIVATE, STAND_IN, binds, covered, exposed, font_list, visible

GIVEN = f"{INSIDE}/given"
"""The folder of one run: its cases, and in a cold jail its cells."""
HOME = "/home/student"
NOBODY = 65534
ENVIRONMENT = {
    "HOME": HOME,
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "USER": "student",
    "MPLBACKEND": "agg",
    "PIP_NO_INDEX": "1",  # `!pip install` fails at once; trying again and again for a network that is not there would use up the time of the cell
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "ZEROHERO_GRADING": GIVEN,
    # threads count as processes, and a course exercise gains nothing from a second one
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    # glibc reserves up to 128 MiB of address space, which is what the memory limit counts, for each new thread's arena
    "MALLOC_ARENA_MAX": "1",
}
ETC = {
    "passwd": f"root:x:0:0::/:/usr/sbin/nologin\nstudent:x:{NOBODY}:{NOBODY}::{HOME}:/bin/sh\n",
    "group": f"root:x:0:\nstudent:x:{NOBODY}:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
INSTALL = """install it:
  Debian, Ubuntu   sudo apt-get install bubblewrap
  Fedora           sudo dnf install bubblewrap
It needs version 0.8 or later and a kernel that lets you make user namespaces (inside a container, the container must let
you; Ubuntu 24.04 needs the AppArmor profile of docs/threat-model.md). To run submissions with your own rights instead, on
a machine you can lose, say --unsafe."""


@dataclass(frozen=True)
class Bubblewrap(Sandbox):
    """A cold jail: a fresh one, with a Python of its own, for every run."""

    program: str = "/usr/bin/bwrap"

    @classmethod
    def ready(cls) -> "Bubblewrap":
        """A Bubblewrap that was seen to work. Raises NoSandbox. Tried once per process."""
        return cls(_tried())

    def run(self, cells: Sequence[str], cases: Mapping[str, list], *, limits: Limits | None = None, without: frozenset[str] = frozenset()) -> Run:
        """See Sandbox.run."""
        limits = limits or Limits()
        plan = plan_of(cells, limits)
        files = {"given/plan.json": json.dumps(plan), "given/cases.json": cases_of(cases)}
        with Pipes() as pipes, Memory(limits.memory) as memory:
            jail = Jail(
                self.program, python("runner.py", f"{GIVEN}/plan.json", str(pipes.channel_in), without=without), files, without,
                dict.fromkeys((HOME, "/tmp", "/dev/shm"), limits.disk), passed=[pipes.channel_in], printed=pipes.printed_in, memory=memory,
            )  # fmt: skip
            pipes.close_inputs()
            return supervise(
                jail, pipes.channel, pipes.printed,
                cells=len(cells), exercises=frozenset(cases), marker=f"\n{plan['marker']} ".encode(), limits=limits, end=jail.end, memory=jail.memory,
            )  # fmt: skip


def plan_of(cells: Sequence[str], limits: Limits) -> dict:
    """What runner.py is told about one run."""
    return {"cells": list(cells), "limits": {**asdict(limits), "strict": True}, "marker": f"\x1e{secrets.token_hex(8)}"}


def cases_of(cases: Mapping[str, list]) -> str:
    """The content of cases.json, which zerohero.grading reads."""
    return json.dumps({name: encode(inputs) for name, inputs in cases.items()})


class Jail:
    """One running bubblewrap, with everything in it."""

    def __init__(self, program, command, files, without, writable, *, passed, printed, memory=None, environment=None, may_divide=False):
        """command: what runs inside. files: {name below INSIDE: content}. writable: {folder: bytes}, in memory. passed: descriptors
        to hand on. printed: the descriptor for stdout and stderr. memory: the Memory it is counted in. may_divide: for the zygote, which makes a jail for each child:
        new namespaces are allowed, nothing of /proc is covered, without which the kernel refuses the child a /proc of its own, and
        it lives as long as somebody can talk to it, not as long as the thread that started it."""
        self._memory = memory
        opened: list[int] = []

        def data(content):
            opened.append(memory_file(content))
            return str(opened[-1])

        info, info_in = os.pipe()
        opened.append(info_in)
        try:
            inner = [*_jail(program, files, without, writable, environment or {}, may_divide, data), "--", *command]
            outer = _as_nobody(program, inner, info_in, may_divide) if os.geteuid() == 0 else [inner[0], "--info-fd", str(info_in), *inner[1:]]
            self._process = subprocess.Popen(
                outer, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, pass_fds=[*passed, *opened], env={}, cwd="/", start_new_session=True,
                preexec_fn=memory.join if memory else None,
            )  # fmt: skip
        except BaseException:
            os.close(info)
            raise
        finally:
            for descriptor in opened:
                os.close(descriptor)
        self._init = _first_process(info)

    def poll(self) -> int | None:
        """The exit status, as bubblewrap hands it on; None while it runs."""
        return self._process.poll()

    def end(self) -> None:
        """Kill the jail's pid 1, and with it everything inside; returns when all of it is gone."""
        if self._init is not None:
            pidfd, self._init = self._init[1], None
            kill_all(pidfd)
        else:
            self._process.kill()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def memory(self) -> float:
        """Bytes of everything in the jail, as Memory.used() tells them."""
        return self._memory.used(self._init[0]) if self._init else 0


class Memory:
    """The memory of one run: in a control group where there can be one, else looked at."""

    def __init__(self, limit):
        self._group = memory_group(limit)

    @property
    def descriptors(self) -> list[int]:
        """What to write b"0" to, to be counted."""
        return [self._group.joining] if self._group else []

    def join(self) -> None:
        """Count this process and its children to come."""
        for descriptor in self.descriptors:
            os.write(descriptor, b"0")

    def used(self, pid: int) -> float:
        """Bytes used by ``pid`` and its descendants. The kernel keeps to the limit of a group: then 0, or infinity once it had to end a process for it."""
        if self._group:
            return math.inf if self._group.exceeded() else 0
        return resident(pid)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._group:
            self._group.remove()


def kill_all(pidfd: int) -> None:
    """Kill the first process of a pid namespace, and with it the namespace; returns when all of it is gone. Closes ``pidfd``."""
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:  # gone already
        pass
    # a pid namespace's first process is not reported dead before every other one in it is
    wait_readable(pidfd, 10)
    os.close(pidfd)


def _first_process(info):
    """(pid, pidfd) of the jail's pid 1, as bubblewrap tells it; None when it ended before saying so."""
    text = b""
    with open(info, "rb", buffering=0) as file:
        while b"}" not in text and (more := file.read(4096)):  # a few milliseconds, long before student code
            text += more
    try:
        pid = int(json.loads(text)["child-pid"])
        return pid, os.pidfd_open(pid)
    except (ValueError, KeyError, OSError):
        return None


def wait_readable(descriptor: int, seconds: float) -> bool:
    """Whether there was something to read, or the end, within that time."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def resident(pid: int) -> int:
    """Bytes of memory that a process and its descendants take together; a page that several share counts once in all.

    What vanishes meanwhile counts nothing. Where the kernel does not tell shares, a shared page counts once per process.
    """
    total, todo, seen = 0, [pid], 0
    while todo and seen < 10_000:
        one = todo.pop()
        seen += 1
        try:
            total += _share(one)
            for task in os.listdir(f"/proc/{one}/task"):
                todo += Path(f"/proc/{one}/task/{task}/children").read_text().split()
        except (OSError, ValueError):
            continue
    return total


def _share(pid):
    """Anonymous and shared-memory bytes of one process; of a page that it shares with others, its part."""
    try:
        text, names = Path(f"/proc/{pid}/smaps_rollup").read_text(), ("Pss_Anon:", "Pss_Shmem:")
    except PermissionError:
        text, names = Path(f"/proc/{pid}/status").read_text(), ("RssAnon:", "RssShmem:")
    return sum(int(text[at + len(name) :].split(None, 1)[0]) * 1024 for name in names if (at := text.find(name)) >= 0)


def memory_file(content: str | bytes) -> int:
    """A descriptor to read ``content`` from."""
    descriptor = os.memfd_create("zerohero")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


# ---------------------------------------------------------------- the commands


_WITH_PARENT = ["--die-with-parent"]


def python(program: str, *arguments: str, without: frozenset[str]) -> list[str]:
    """The command that runs one of our two programs inside, on the libraries that may be seen there."""
    # -I: no PYTHON* variables, no user site, no current folder ahead of the libraries; -B: nothing to write is there
    folders = [f"{INSIDE}/without"] * bool(without) + [f"{INSIDE}/lib"]
    return [sys.executable, "-I", "-B", f"{INSIDE}/{program}", *arguments, *folders]


def _jail(program, files, without, writable, environment, may_divide, data):
    """bubblewrap's words for the jail itself, as an unprivileged user runs it."""
    command = [program, "--unshare-all", "--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "grading"]
    command += [*_WITH_PARENT[: not may_divide], "--new-session", "--cap-drop", "ALL", "--clearenv"]
    for name, value in {**ENVIRONMENT, "PATH": f"{sys.prefix}/bin:/usr/bin:/bin", **environment}.items():
        command += ["--setenv", name, value]
    for place in (INSIDE, GIVEN, "/home", "/etc"):
        command += ["--perms", "0755", "--dir", place]
    for place in (HOME, "/tmp"):
        command += ["--perms", "0700"]
        command += ["--size", str(writable[place]), "--tmpfs", place] if place in writable else ["--dir", place]
    command += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777"]
    command += ["--size", str(writable["/dev/shm"]), "--tmpfs", "/dev/shm"] if "/dev/shm" in writable else ["--dir", "/dev/shm"]
    command += ["--remount-ro", "/dev"]
    if may_divide:
        command += ["--as-pid-1"]  # its end is the end of all that it started
    else:
        # pid 1 is bubblewrap's, without our limits and filter, and of the student's user: its memory must not be in reach
        command += ["--disable-userns", "--perms", "0555", "--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]
    command += binds(visible(), same_place=False)
    for hidden in covered(without):
        command += (
            ["--ro-bind", "/dev/null", hidden] if os.path.isfile(hidden) else ["--perms", "0555", "--size", "4096", "--tmpfs", hidden, "--remount-ro", hidden]
        )
    for name, content in ETC.items():
        command += ["--perms", "0444", "--file", data(content), f"/etc/{name}"]
    for name, content in {**files, **{f"without/{name}.py": STAND_IN.format(name=name) for name in sorted(without)}}.items():
        command += ["--perms", "0444", "--file", data(content), f"{INSIDE}/{name}"]
    for name, content in font_list().items():
        command += ["--perms", "0644", "--file", data(content), f"{HOME}/.cache/matplotlib/{name}"]
    rules = seccomp.program()
    if rules and not may_divide:
        command += ["--seccomp", data(rules)]
    return [*command, "--remount-ro", "/", "--chdir", "/" if may_divide else HOME]


def _as_nobody(program, inner, info, may_divide):
    """Root's way in: the same folders in a view of their own, without the right to anything but becoming uid 65534."""
    setpriv = shutil.which("setpriv", path="/usr/bin:/bin:/usr/sbin:/sbin")
    if setpriv is None:
        raise NoSandbox("grading as root needs setpriv (package util-linux)")
    command = [program, "--unshare-pid", *_WITH_PARENT[: not may_divide], "--new-session", "--info-fd", str(info)]
    command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    # the machine's own /proc, seen by bubblewrap only: the kernel refuses a new one where the old one is partly covered
    command += ["--bind", "/proc", "/proc", "--dev", "/dev", "--perms", "1777", "--dir", "/tmp", *binds(visible(), same_place=True)]
    return [*command, "--", setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--", *inner]


# ---------------------------------------------------------------- is there a jail here at all


@functools.cache
def found() -> str:
    """The path of bubblewrap. Raises NoSandbox where there is none, or where submissions could read what must stay hidden."""
    program = shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/bin:/usr/local/bin") if sys.platform == "linux" else None
    if program is None:
        raise NoSandbox(f"bubblewrap is not installed, and submissions are not run without a sandbox; {INSTALL}")
    if exposed(os.path.dirname(os.path.dirname(__file__)) + "/hidden"):
        raise NoSandbox(f"submissions could read {PRIVATE} in {Path(__file__).parents[1]}, with its hidden cases; install it outside /usr or as a package")
    return program


@functools.cache
def _tried():
    """The path of a bubblewrap that works here. Raises NoSandbox."""
    program, started = found(), time.monotonic()
    try:
        run = Bubblewrap(program).run(["pass"], {}, limits=Limits(notebook_s=60, memory=1024 * MIB))
    except NoSandbox as problem:
        raise NoSandbox(f"bubblewrap is installed, but no jail can be made here ({problem}); {INSTALL}") from None
    if run.ended != "finished":
        raise NoSandbox(f"a trial run in the sandbox did not finish in {time.monotonic() - started:.0f} s: {run.reason}")
    return program
