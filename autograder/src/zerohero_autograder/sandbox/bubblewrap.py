"""The jail: bubblewrap with a list of what may be seen, and nothing else.

Two ways lead to the same jail. An ordinary user runs bubblewrap in a user namespace of its own. Root first makes, with a
first bubblewrap, a view of the same few folders in which an unprivileged user can walk, becomes uid 65534 there, and runs
that very command: the jail itself never holds a privilege, and limits on processes, which root is exempt from, bind.
"""

import functools
import importlib.util
import json
import os
import secrets
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
from .supervise import Pipes, supervise

INSIDE = "/grading"
HOME = "/home/student"
NOBODY = 65534
PRIVATE = "zerohero_autograder"
ENVIRONMENT = {
    "HOME": HOME,
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "USER": "student",
    "MPLBACKEND": "agg",
    "PIP_NO_INDEX": "1",  # `!pip install` fails at once; trying again and again for a network that is not there would use up the time of the cell
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "ZEROHERO_GRADING": INSIDE,
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
    """A fresh bubblewrap jail for every run."""

    program: str = "/usr/bin/bwrap"

    @classmethod
    def ready(cls) -> "Bubblewrap":
        """A Bubblewrap that was seen to work. Raises NoSandbox. Called once per process by choose()."""
        return cls(_tried())

    def run(self, cells: Sequence[str], cases: Mapping[str, list], *, limits: Limits | None = None, without: frozenset[str] = frozenset()) -> Run:
        """See Sandbox.run."""
        limits = limits or Limits()
        marker = f"\x1e{secrets.token_hex(8)}"
        plan = {
            "cells": list(cells),
            "limits": {**asdict(limits), "strict": True},
            "path": [f"{INSIDE}/without"] * bool(without) + [f"{INSIDE}/lib"],
            "marker": marker,
        }
        files = {"plan.json": json.dumps(plan), "cases.json": json.dumps({name: encode(inputs) for name, inputs in cases.items()})}
        files |= {f"without/{name}.py": STAND_IN.format(name=name) for name in sorted(without)}
        with Pipes() as pipes:
            jail = _Jail(self.program, files, limits, without, pipes.channel_in, pipes.printed_in)
            pipes.close_inputs()
            return supervise(
                jail.process, pipes.channel, pipes.printed,
                cells=len(cells), exercises=frozenset(cases), marker=f"\n{marker} ".encode(), limits=limits, end=jail.end, memory=jail.memory,
            )  # fmt: skip


class _Jail:
    """One running jail."""

    def __init__(self, program, files, limits, without, channel, printed):
        descriptors = [channel]

        def data(content):
            descriptors.append(_memory_file(content))
            return str(descriptors[-1])

        info, info_in = os.pipe()
        descriptors.append(info_in)
        try:
            inner = _jail(program, files, limits, without, channel, data)
            command = _as_nobody(program, inner, info_in) if os.geteuid() == 0 else [inner[0], "--info-fd", str(info_in), *inner[1:]]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, pass_fds=descriptors, env={}, cwd="/", start_new_session=True
            )
        except BaseException:
            os.close(info)
            raise
        finally:
            for descriptor in descriptors[1:]:
                os.close(descriptor)
        self._init = _first_process(info)

    def end(self):
        """Kill the jail's pid 1, and with it everything inside; returns when all of it is gone."""
        if self._init is not None:
            pidfd, self._init = self._init[1], None
            try:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            except ProcessLookupError:  # gone already
                pass
            # a pid namespace's first process is not reported dead before every other one in it is
            _wait_readable(pidfd, 10)
            os.close(pidfd)
        else:
            self.process.kill()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def memory(self):
        """Resident bytes of everything in the jail, each shared page counted once per process that touched it itself."""
        return _resident(self._init[0]) if self._init else 0


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


def _wait_readable(descriptor, seconds):
    import select

    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll(seconds * 1000)


def _resident(pid):
    """Anonymous and shared-memory bytes of a process and its descendants. What vanishes meanwhile counts nothing."""
    total, todo, seen = 0, [pid], 0
    while todo and seen < 10_000:
        one = todo.pop()
        seen += 1
        try:
            status = Path(f"/proc/{one}/status").read_text()
            for name in ("RssAnon:", "RssShmem:"):
                at = status.find(name)
                total += int(status[at + len(name) :].split(None, 1)[0]) * 1024 if at >= 0 else 0
            for task in os.listdir(f"/proc/{one}/task"):
                todo += Path(f"/proc/{one}/task/{task}/children").read_text().split()
        except (OSError, ValueError):
            continue
    return total


def _memory_file(content):
    """A descriptor to read ``content`` (str or bytes) from."""
    descriptor = os.memfd_create("zerohero")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


# ---------------------------------------------------------------- the commands


def _jail(program, files, limits, without, channel, data):
    """The command of the jail itself, as an unprivileged user runs it."""
    tree = _visible()
    command = [program, "--unshare-all", "--unshare-user", "--disable-userns", "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "grading"]
    command += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    for name, value in {**ENVIRONMENT, "PATH": f"{sys.prefix}/bin:/usr/bin:/bin", "ZEROHERO_GRADING_FD": str(channel)}.items():
        command += ["--setenv", name, value]
    command += ["--perms", "0755", "--dir", INSIDE, "--perms", "0755", "--dir", "/home", "--perms", "0755", "--dir", "/etc"]
    for place in (HOME, "/tmp"):
        command += ["--perms", "0700", "--size", str(limits.disk), "--tmpfs", place]
    # pid 1 is bubblewrap's, without our limits and filter, and of the student's user: its memory must not be in reach
    command += ["--proc", "/proc", "--perms", "0555", "--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]
    command += ["--dev", "/dev", "--perms", "1777", "--size", str(limits.disk), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    command += _binds(tree, same_place=False)
    for hidden in _hidden(without):
        command += (
            ["--ro-bind", "/dev/null", hidden] if os.path.isfile(hidden) else ["--perms", "0555", "--size", "4096", "--tmpfs", hidden, "--remount-ro", hidden]
        )
    for name, content in ETC.items():
        command += ["--perms", "0444", "--file", data(content), f"/etc/{name}"]
    for name, content in files.items():
        command += ["--perms", "0444", "--file", data(content), f"{INSIDE}/{name}"]
    for name, content in _font_list().items():
        command += ["--perms", "0644", "--file", data(content), f"{HOME}/.cache/matplotlib/{name}"]
    rules = seccomp.program()
    if rules:
        command += ["--seccomp", data(rules)]
    command += ["--remount-ro", "/", "--chdir", HOME]
    # -I: no PYTHON* variables, no user site, no current folder ahead of the libraries; -B: nothing to write is there
    return [*command, "--", sys.executable, "-I", "-B", f"{INSIDE}/runner.py", f"{INSIDE}/plan.json"]


def _as_nobody(program, inner, info):
    """Root's way in: the same folders in a view of their own, without the right to anything but becoming uid 65534."""
    setpriv = shutil.which("setpriv", path="/usr/bin:/bin:/usr/sbin:/sbin")
    if setpriv is None:
        raise NoSandbox("grading as root needs setpriv (package util-linux)")
    command = [program, "--unshare-pid", "--die-with-parent", "--new-session", "--info-fd", str(info)]
    command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    # the machine's own /proc, seen by bubblewrap only: the kernel refuses a new one where the old one is partly covered
    command += ["--bind", "/proc", "/proc", "--dev", "/dev", "--perms", "1777", "--dir", "/tmp", *_binds(_visible(), same_place=True)]
    return [*command, "--", setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--", *inner]


def _binds(tree, same_place):
    """bubblewrap's words for a tree of (source, place, link target)."""
    command = []
    for source, place, target in tree:
        place = source if same_place and source else place
        for folder in reversed(Path(place).parents[:-1]):  # made by itself, bubblewrap would copy the 0700 of a /root or a home
            command += ["--perms", "0755", "--dir", str(folder)]
        command += ["--symlink", target, place] if target else ["--ro-bind", source, place]
    return command


@functools.cache
def _visible():
    """All of the machine that can be seen inside, as (source, place, link target if it is a link). Folders before links."""
    tree = [("/usr", "/usr", "")]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        if os.path.islink(name):
            tree.append(("", name, os.readlink(name)))
        elif os.path.isdir(name):
            tree.append((name, name, ""))
    for name in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives"):
        if os.path.exists(name):
            tree.append((os.path.realpath(name), name, ""))
    for prefix in _prefixes():
        for name in ("bin", "lib", "lib64", "include", "pyvenv.cfg"):
            place = os.path.join(prefix, name)
            if os.path.islink(place):
                tree.append(("", place, os.readlink(place)))
            elif os.path.exists(place):
                tree.append((place, place, ""))
    tree.append((_package(), f"{INSIDE}/lib/zerohero", ""))
    tree.append((str(Path(__file__).with_name("runner.py")), f"{INSIDE}/runner.py", ""))
    return tuple(tree)


def _prefixes():
    """Where Python and the virtual environment are, less what /usr shows already."""
    real = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
    found = dict.fromkeys([sys.base_prefix, real, sys.prefix])
    return [p for p in found if not (p == "/usr" or p.startswith("/usr/"))]


def _package():
    """The folder of the student package, wherever it is installed."""
    return os.path.realpath(importlib.util.find_spec("zerohero").submodule_search_locations[0])


def _libraries():
    """All folders of installed libraries that can be seen inside."""
    found = []
    for prefix in dict.fromkeys([*_prefixes(), "/usr", "/usr/local"]):
        for pattern in ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages"):
            found += [str(p) for p in Path(prefix).glob(pattern) if not os.path.islink(p.parent.parent)]
    return list(dict.fromkeys(found))


def _hidden(without):
    """What must not be seen although it lies in a visible folder: our own package, and the libraries taken away."""
    hidden = []
    for folder in _libraries():
        for name in os.listdir(folder):
            if PRIVATE in name.replace("-", "_") or name.partition(".")[0] in without:
                hidden.append(os.path.join(folder, name))
    return sorted(h for h in hidden if not os.path.islink(h))


def _exposed(path):
    """Whether a path of this machine can be seen inside."""
    path = os.path.realpath(path)

    def below(folders):
        return any(path == f or path.startswith(f.rstrip("/") + "/") for f in map(os.path.realpath, folders))

    return below(source for source, _, _ in _visible() if source) and not below(_hidden(frozenset()))


@functools.cache
def _font_list():
    """matplotlib's list of fonts by file name, which otherwise is made anew in every jail. Nothing when it is not to be had."""
    try:
        import matplotlib

        folder = Path(matplotlib.get_cachedir())
        if not any(folder.glob("fontlist-v*.json")):
            import matplotlib.font_manager  # makes it
        return {file.name: file.read_bytes() for file in folder.glob("fontlist-v*.json") if file.stat().st_size < MIB}
    except (ImportError, OSError):
        return {}


STAND_IN = '''"""Stands where {name} would be: it may not be used for this exercise."""
import sys
import types
from importlib.machinery import ModuleSpec

_SAYS = "{name} may not be used for this exercise"


class Tensor:
    """matplotlib asks of everything it draws whether it is one of these. Nothing is."""

    def __new__(cls, *args, **kwargs):
        raise ImportError(_SAYS)


def __getattr__(attribute):
    if attribute.startswith("__"):
        raise AttributeError(attribute)  # asked by the import system itself
    raise ImportError(_SAYS)


class _Parts:
    """import {name}.part works as import {name} does, so that a cell of imports goes on."""

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.startswith("{name}.") else None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = __getattr__
        return module

    def exec_module(self, module):
        pass


__path__ = []
sys.meta_path.insert(0, _Parts())
'''


# ---------------------------------------------------------------- is there a jail here at all


@functools.cache
def _tried():
    """The path of a bubblewrap that works here. Raises NoSandbox."""
    program = shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/bin:/usr/local/bin") if sys.platform == "linux" else None
    if program is None:
        raise NoSandbox(f"bubblewrap is not installed, and submissions are not run without a sandbox; {INSTALL}")
    if _exposed(os.path.dirname(os.path.dirname(__file__)) + "/hidden"):
        raise NoSandbox(f"submissions could read {PRIVATE} in {Path(__file__).parents[1]}, with its hidden cases; install it outside /usr or as a package")
    started = time.monotonic()
    try:
        run = Bubblewrap(program).run(["pass"], {}, limits=Limits(notebook_s=60, memory=1024 * MIB))
    except NoSandbox as problem:
        raise NoSandbox(f"bubblewrap is installed, but no jail can be made here ({problem}); {INSTALL}") from None
    if run.ended != "finished":
        raise NoSandbox(f"a trial run in the sandbox did not finish in {time.monotonic() - started:.0f} s: {run.reason}")
    return program
