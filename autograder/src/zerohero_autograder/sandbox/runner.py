"""The program inside the jail: runs the cells of one notebook and tells about each over one socket.

It imports nothing of zerohero_autograder, which is not visible where it runs; only this file is. It has no secrets and is
not trusted: the student's code shares its process and can make it say anything. What it says is therefore only ever
read as data, by channel.py, outside.

    python -I -B runner.py PLAN CHANNEL FOLDER...

PLAN is a JSON file: {"cells": [source, ...], "limits": {...}, "marker": text}. Lines go out to the descriptor CHANNEL:
{"event": "begin" | "cell" | "end", ...}, and those of zerohero.grading. Each FOLDER goes in front of sys.path. In a warm jail
zygote.py calls run() in a process that has the libraries already.
"""

import builtins
import json
import os
import resource
import signal
import sys


class CellTimeout(KeyboardInterrupt):
    """The cell ran longer than it may."""


def main(plan_file, channel, *folders):
    with open(plan_file, encoding="utf-8") as file:
        plan = json.load(file)
    sys.path[:0] = folders
    run(plan, int(channel))


def run(plan, channel):
    """Run the cells of ``plan`` and end the process."""
    os.environ["ZEROHERO_GRADING_FD"] = str(channel)  # where zerohero.grading finds it
    _limit(plan["limits"])
    mine = os.getpid()

    def tell(**event):
        if os.getpid() != mine:
            os._exit(0)  # a fork of the student's came back here: it must not run the rest of the notebook a second time
        data = ("\n" + json.dumps(event) + "\n").encode("ascii")  # the line before may have been cut off by an interruption
        try:
            while data:
                data = data[os.write(channel, data) :]
        except OSError:
            os._exit(70)  # the student closed the channel; nobody hears us

    shell = _shell()
    seconds = plan["limits"]["cell_s"]
    for index, source in enumerate(plan["cells"]):
        _mark(plan["marker"], index)
        tell(event="begin", index=index)
        status, error = _timed(lambda source=source: _run(shell, source), seconds)
        _flush()
        tell(event="cell", index=index, status=status, error=error)
    _mark(plan["marker"], len(plan["cells"]))
    tell(event="begin", index=len(plan["cells"]))
    _timed(_repeat, seconds)
    _flush()
    tell(event="end")
    os._exit(0)  # no exit handlers, and no waiting for the student's threads


def _limit(limits):
    """Limits that hold for this process and all its children. They are hard: without privileges they only go down."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # where memory is short, this process goes first
            file.write("1000")
    except OSError:  # not on Linux
        pass
    wanted = {
        "RLIMIT_AS": limits["memory"],
        "RLIMIT_CPU": limits["cpu_s"],
        "RLIMIT_FSIZE": limits["file_size"],
        "RLIMIT_NPROC": limits["processes"],
        "RLIMIT_NOFILE": 256,
        "RLIMIT_CORE": 1,  # as 0, and it also keeps a host's crash handler (core_pattern with a pipe) from being started
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_MEMLOCK": 0,
    }
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None or value is None:
            continue
        try:
            resource.setrlimit(kind, (value, value + 1 if name == "RLIMIT_CPU" else value))  # SIGXCPU first, which says why
        except (ValueError, OSError) as problem:  # macOS has no RLIMIT_AS to set; in a jail every one must hold
            if limits["strict"]:
                raise SystemExit(f"{name} could not be set: {problem}") from None


def _timed(step, seconds):
    """(status, error) of one step. The alarm comes once; a cell that swallows it is ended from outside."""

    armed = True

    def late(signum, frame):
        if armed:
            raise CellTimeout(f"stopped after {seconds:g} s")

    try:
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            error = step()
        finally:
            armed = False  # an alarm that is already on its way must not hit the runner
            signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as problem:  # whatever the student did to the shell, the next cell gets its turn
        error = problem
    if error is None:
        return "ok", ""
    return "timeout" if isinstance(error, CellTimeout) else "error", _brief(error)


def _run(shell, source):
    """Run one cell. Returns the exception that ended it, or None."""
    try:
        result = shell.run_cell(source, store_history=True)
        return result.error_before_exec or result.error_in_exec
    finally:
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")  # as the inline backend does after each cell


def _repeat():
    """Probe the classes again, which may have grown since their check."""
    from zerohero import grading

    session = grading.session()
    if session is not None:
        session.repeat()


def _brief(error):
    try:
        first = (str(error).strip().splitlines() or [""])[0][:300]
    except BaseException:  # a __str__ of the student's
        first = ""
    name = type(error).__name__[:80]
    return f"{name}: {first}" if first else name


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # closed or replaced by the student
            pass


def _mark(marker, index):
    """Say in the printed output where the cell begins, so that each cell is given its own."""
    try:
        os.write(1, f"\n{marker} {index}\n".encode("ascii"))
    except OSError:  # closed by the student: there is no output to divide
        pass


def _shell():
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class NotebookShell(InteractiveShell):
        """IPython without a terminal and without a kernel: magics, display() as text, top-level await."""

        system = InteractiveShell.system_raw  # !command writes straight to our descriptors

        def enable_gui(self, gui=None):
            pass

        def enable_matplotlib(self, gui=None):
            try:  # so that %config InlineBackend.figure_format is accepted, as in Jupyter
                from matplotlib_inline.config import InlineBackend

                self.configurables.append(InlineBackend.instance(parent=self))
            except ImportError:
                pass
            return "inline", "agg"

        def set_next_input(self, text, replace=False):
            pass

        def ask_exit(self):
            print("exit() does nothing in a graded notebook")

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Plain"  # the others look through all modules for every frame, which takes seconds after a deep recursion
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="replace")  # what is printed before a crash is seen
    shell = NotebookShell.instance(config=config)
    builtins.input = _no_input
    sys.argv = [""]
    import warnings

    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
    return shell


def _no_input(prompt="", /):
    raise RuntimeError("input() cannot be answered while grading; give the value in the code instead")


if __name__ == "__main__":
    main(*sys.argv[1:])
