"""Where submissions are graded: in this process, or in others of this machine (cluster.py: on other machines).

A worker reads a file and returns scores. It never touches the gradebook or autograded/, so it can be killed at any time.
"""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Collection, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from zerohero.errors import ZeroheroError

from .graded_module import GradedModule
from .run import Graded, grade
from .sandbox import Sandbox

Task = tuple[str, Path]
"""A student, and the file to grade."""
Result = tuple[str, Graded | BaseException]
"""A student, and what came of the file; an exception when grading itself failed."""
DEATHS = 2
"""So often a worker may die over a submission before it is graded with no other beside it."""
PR_SET_PDEATHSIG = 1


class WorkerDied(ZeroheroError):
    """A worker ended while it graded a submission, and ended again with nothing else beside it."""


def usable_cpus() -> int:
    """The processors that this process may use, which in a container or under `taskset` are fewer than the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_this_process(module: GradedModule, sandbox: Sandbox, tasks: Iterable[Task], twice: bool = False) -> Generator[Result, None, None]:
    """One after the other."""
    for student, file in tasks:
        try:
            yield student, grade(file, module, sandbox, twice=twice)
        except Exception as error:
            yield student, error


def in_processes(module: GradedModule, sandbox: Sandbox, tasks: Iterable[Task], workers: int, twice: bool = False) -> Generator[Result, None, None]:
    """In ``workers`` forks of this process, each result as soon as there is one.

    The forks have the module and the sandbox already. When one dies, a new pool goes on with what it did not finish; over whom
    a worker died twice is graded alone at the end, and is a WorkerDied if that one dies too. The forks are gone when the
    iterator ends or is closed, and die with this process.
    """
    todo, deaths, alone = deque(tasks), Counter[str](), []
    while todo:
        for task in (yield from _in_pool(module, sandbox, todo, workers, twice)):
            deaths[task[0]] += 1
            (todo if deaths[task[0]] < DEATHS else alone).append(task)
    for task in alone:
        if (yield from _in_pool(module, sandbox, deque([task]), 1, twice)):
            yield task[0], WorkerDied("the process that graded it was killed three times; is there too little memory?")


def _in_pool(module, sandbox, todo: deque[Task], workers, twice) -> Generator[Result, None, Collection[Task]]:
    """Takes from ``todo`` until it is empty or a worker dies. Returns what was in work then."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(workers, len(todo)), multiprocessing.get_context("fork"), _begin, (module, sandbox, twice, os.getpid()))
    running: dict[Future[Graded], Task] = {}
    lost: list[Task] = []
    broken = False
    try:
        while running or (todo and not broken):
            while todo and not broken and len(running) < 2 * workers:  # one to work on, one at hand: what is in flight stays small
                try:
                    running[pool.submit(_grade, todo[0][1])] = todo[0]
                    todo.popleft()
                except BrokenProcessPool:
                    broken = True
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task, error = running.pop(future), future.exception()
                if isinstance(error, BrokenProcessPool):
                    lost.append(task)
                    broken = True
                else:
                    yield task[0], error or future.result()
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.kill()  # Control-C, or a driver that gives up: not after the minutes that a notebook may take
        raise
    finally:
        pool.shutdown()
    return lost


_job: tuple[GradedModule, Sandbox, bool]
"""In a worker: what all its tasks share."""


def _grade(file):
    module, sandbox, twice = _job
    return grade(file, module, sandbox, twice=twice)


def _begin(module, sandbox, twice, driver):
    global _job
    _job = module, sandbox, twice
    if sys.platform == "linux":  # or a killed driver would leave workers that wait for ever
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != driver:
            os._exit(1)
    # Control-C reaches every process of the terminal; the driver decides. Ignored outright, it would be ignored in the jail too
    signal.signal(signal.SIGINT, lambda *_: None)
