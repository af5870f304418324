"""Grading on a Dask cluster: the same grading function, on other machines.

A worker there is handed the module once and each submission read, and sends back scores. It needs this package in the very
same state, the libraries a grade depends on in the same version, and a sandbox; before the first submission each is asked.
Whoever reaches a scheduler can run anything on its workers: keep it in a network of your own, or use tls:// addresses.
"""

import asyncio
import hashlib
import importlib.metadata
import sys
import uuid
from collections import deque
from collections.abc import Generator
from concurrent.futures import CancelledError
from functools import cache
from importlib import resources
from typing import Any

from distributed import Client, Future, WorkerPlugin, get_worker, wait

from zerohero.errors import ZeroheroError

from .errors import CourseError
from .graded_module import GradedModule
from .intake import Submitted, take_in
from .run import Graded, grade
from .sandbox import NoSandbox, choose
from .workers import Result, Task, WorkerDied

CONNECT_S = 20
LOOK_S = 10
"""So often a client that waits for results looks whether there is any worker left."""


def on_cluster(module: GradedModule, tasks: list[Task], address: str, unsafe: bool, twice: bool = False) -> Generator[Result, None, None]:
    """Grade on the workers of the scheduler at ``address``, each result as soon as there is one.

    When a worker is lost, others go on with what it had. Raises CourseError when there is no scheduler or no worker, or one of another
    version, and NoSandbox when one has none.
    """
    if not tasks:
        return
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise CourseError(f"no Dask scheduler answers at {address} ({str(error).splitlines()[0]}); start one with `dask scheduler`") from None
    name = f"zerohero-{uuid.uuid4().hex}"
    with client:
        _ask(client, unsafe, address)
        client.register_plugin(_Job(module, unsafe, twice, state()), name=name)
        try:
            yield from _graded(client, name, tasks, address)
        except (OSError, CancelledError, asyncio.CancelledError):
            raise CourseError(f"the scheduler {address} is gone: start it, and run this again; what was graded is kept") from None
        client.unregister_worker_plugin(name)


def _graded(client, name, tasks, address):
    todo, running = deque(tasks), {}
    while todo or running:
        most = 2 * max(1, sum(client.nthreads().values()))  # one to work on, one at hand: what is in flight stays small
        while todo and len(running) < most:
            student, file = todo.popleft()
            # read here: the workers need not see these files, and what is left of one without its outputs is small
            running[client.submit(_grade_there, take_in(file), name, pure=False)] = student
        for future in _done(client, running, address):
            yield running.pop(future), _result(future)
            future.release()


def _done(client, running, address) -> set[Future]:
    while True:
        try:
            with client.as_current():
                return wait(list(running), timeout=LOOK_S, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            if not client.nthreads():
                raise CourseError(f"the scheduler {address} has no worker left: start one, and run this again; what was graded is kept") from None


def _result(future) -> Graded | BaseException:
    error = future.exception()
    if error is None:
        return future.result()
    if type(error).__name__ == "KilledWorker":
        return WorkerDied("every worker that graded it was lost; is there too little memory?")
    if isinstance(error, NoSandbox | _Differs):
        raise error
    return error


class _Differs(CourseError):
    """A worker has other code than this process."""


class _Job(WorkerPlugin):
    """What all tasks of one grading share. The scheduler keeps it, and hands it once to every worker, those that come later too."""

    def __init__(self, module: GradedModule, unsafe: bool, twice: bool, state: dict[str, str]):
        self.module, self.unsafe, self.twice, self.state = module, unsafe, twice, state


def _grade_there(submitted: Submitted, name: str) -> Graded:
    """On a worker."""
    worker = get_worker()
    job = worker.plugins[name]
    if differ := _difference(job.state, state()):
        raise _Differs(f"the worker {worker.address} {differ}")
    return grade(submitted, job.module, choose(job.unsafe), twice=job.twice)


def _ask(client, unsafe, address):
    """Raises CourseError or NoSandbox unless every worker can grade as this process does."""

    def ready(unsafe):  # sent as code: on a worker without this package there is nothing to import it from
        try:
            from zerohero_autograder.cluster import no_sandbox, state
        except ImportError as error:
            return {}, str(error)
        return state(), no_sandbox(unsafe)

    answers: dict[str, Any] = client.run(ready, unsafe, on_error="ignore")  # one that is lost meanwhile does not answer
    if not answers:
        raise CourseError(f"the scheduler {address} has no workers; start some with `dask worker {address} --nthreads 1 --nworkers 4`")
    for worker, (theirs, problem) in sorted(answers.items()):
        if differ := _difference(state(), theirs):
            raise CourseError(
                f"the worker {worker} {differ}{f' ({problem})' if problem and not theirs else ''}: scores would not be the same. Install the same there"
            )
        if problem:
            raise NoSandbox(f"the worker {worker} cannot grade: {problem}")


def no_sandbox(unsafe: bool) -> str:
    """Why there is no sandbox here, or nothing."""
    try:
        choose(unsafe)
    except ZeroheroError as error:
        return str(error)
    return ""


@cache
def state() -> dict[str, str]:
    """What two machines must have in common to give the same scores: {"zerohero": ..., "numpy": ...}."""
    found = {"Python": ".".join(map(str, sys.version_info[:2]))}
    for library in ("numpy", "torch"):
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            found[library] = "not installed"
    for package in ("zerohero", "zerohero_autograder"):
        found[package] = _digest_of(resources.files(package))
    return found


def _digest_of(folder):
    """Of all code, data and the atlas in a package."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".py", ".json", ".gz"):
            digest.update(f"{file.relative_to(folder).as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


def _difference(ours, theirs):
    if not theirs:
        return "has no zerohero-autograder"
    differ = [f"{name} {theirs.get(name)} where this process has {ours[name]}" for name in ours if ours[name] != theirs.get(name)]
    return f"has {', '.join(differ)}" if differ else ""
