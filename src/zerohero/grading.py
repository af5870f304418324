"""The door the grader uses: where check() finds the cases it is to run, and where it sends what came out.

Active only when ZEROHERO_GRADING names a folder, which the grader's sandbox sets. The protocol is one way and plain:
``cases.json`` in that folder holds {exercise id: [inputs, ...]}; each check writes one JSON line to the descriptor
ZEROHERO_GRADING_FD. There is no secret here: a student who writes such a line by hand has to put right answers in it.
"""

import functools
import json
import os
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from .errors import UnknownExercise
from .exercise import Exercise, find, run_probe
from .plaindata import decode, encode

LARGEST = 1000
"""Numbers in the inputs of a case on which calls are counted; of the cases with fewer the largest is taken."""
SMALLEST = 4
"""Numbers in an array that is called large: one or two calls say nothing about a smaller one."""
MOST_CALLS = 50_000
"""Calls after which counting stops: it must not hold up the end of a run."""


class Session:
    """One graded run of a notebook."""

    def __init__(self, folder: Path, descriptor: int):
        self._cases = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
        self._descriptor = descriptor
        self._classes: dict[str, Any] = {}
        self._backward: dict[str, FunctionType] = {}

    def inputs(self, exercise_id: str) -> list[dict[str, Any]]:
        """The inputs to probe, fresh copies each time. Raises UnknownExercise when this run does not grade the exercise."""
        if exercise_id not in self._cases:
            raise UnknownExercise(f"{exercise_id} is not graded in this run")
        return decode(self._cases[exercise_id])

    def probe(self, exercise: Exercise, obj: Any) -> None:
        """Probe ``obj`` on every case and emit the outputs. A class is remembered for repeat()."""
        inputs = self.inputs(exercise.id)
        if isinstance(obj, type):
            self._classes[exercise.id] = obj
        elif exercise.by_formula and isinstance(obj, FunctionType):
            self._backward[exercise.id] = obj
        self.emit(exercise.id, [run_probe(exercise, obj, one) for one in inputs])

    def repeat(self) -> None:
        """Probe every class again, as it stands now, then count what backward passes call. Called once, after the last cell: a class grows over
        a notebook, and behind all outputs counting can change none."""
        for exercise_id, obj in self._classes.items():
            self.probe(find(exercise_id), obj)
        for exercise_id, function in self._backward.items():
            name, calls, numbers = calls_with_all(find(exercise_id), function, self.inputs(exercise_id))
            if calls >= numbers > 0:
                self.emit_calls(exercise_id, name, calls, numbers)

    def emit(self, exercise_id: str, outputs: list[dict[str, Any]]) -> None:
        """Send the outputs of all cases of one exercise, in order."""
        self._send({"event": "outputs", "exercise": exercise_id, "outputs": encode(outputs)})

    def emit_calls(self, exercise_id: str, name: str, calls: int, numbers: int) -> None:
        """Send how often one call of an answer calls the function ``name``, each time with a whole array of that many numbers."""
        self._send({"event": "calls", "exercise": exercise_id, "name": name, "calls": calls, "numbers": numbers})

    def _send(self, event):
        data = (json.dumps(event) + "\n").encode("ascii")
        while data:
            data = data[os.write(self._descriptor, data) :]


def calls_with_all(exercise: Exercise, function: FunctionType, cases: list[dict[str, Any]]) -> tuple[str, int, int]:
    """What a backward pass calls most: (name, calls of it in one call of ``function``, numbers in the array it is handed each time).

    Counted are functions of the notebook, and those that a probe puts in their place, that are handed an array of the shape of a whole input: a formula needs one such call
    or two, measuring slopes one or two per number. It is counted on the largest case of at most LARGEST numbers.
    Nothing is raised for what ``function`` does; ("", 0, 0) when there is nothing to tell.
    """
    sizes = {place: sum(np.size(value) for value in inputs.values() if isinstance(value, np.ndarray)) for place, inputs in enumerate(cases)}
    fitting = [place for place, size in sizes.items() if size <= LARGEST]
    if not fitting:
        return "", 0, 0
    inputs = cases[max(fitting, key=sizes.__getitem__)]
    shapes = {value.shape for value in inputs.values() if isinstance(value, np.ndarray) and value.size >= SMALLEST}
    counted: dict[tuple[Any, tuple[int, ...]], int] = {}
    own = seen = 0

    def watch(frame, event, _):
        nonlocal own, seen
        code = frame.f_code
        module = frame.f_globals.get("__name__")
        if event != "call" or not (module == "__main__" or str(module).startswith("zerohero.exercises.")):
            return
        seen += 1
        if seen > MOST_CALLS:
            raise _EnoughSeen
        if code is function.__code__:
            own += 1
            return
        handed = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
        for shape in {value.shape for value in handed if type(value) is np.ndarray} & shapes:
            counted[code, shape] = counted.get((code, shape), 0) + 1

    before = sys.getprofile()
    try:
        sys.setprofile(watch)
        exercise.probe(function, inputs)
    except KeyboardInterrupt:  # time is up for the whole step
        raise
    except BaseException:  # of the student's, or enough was seen
        pass
    finally:
        sys.setprofile(before)
    if not counted or not own:
        return "", 0, 0
    code, shape = max(counted, key=lambda one: counted[one] / int(np.prod(one[1])))
    return code.co_name[:100], counted[code, shape] // own, int(np.prod(shape))


class _EnoughSeen(BaseException):
    """Counting stops here. No Exception: the student's code should not catch it."""


@functools.cache
def session() -> Session | None:
    """The running grading session, or None in a student's own notebook."""
    folder = os.environ.get("ZEROHERO_GRADING")
    return Session(Path(folder), int(os.environ["ZEROHERO_GRADING_FD"])) if folder else None
