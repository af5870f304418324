"""The door the grader uses: where check() finds the cases it is to run, and where it sends what came out.

Active only when ZEROHERO_GRADING names a folder, which the grader's sandbox sets. The protocol is one way and plain:
``cases.json`` in that folder holds {exercise id: [inputs, ...]}; each check writes one JSON line to the descriptor
ZEROHERO_GRADING_FD. There is no secret here: a student who writes such a line by hand has to put right answers in it.
"""

import functools
import json
import os
from pathlib import Path
from typing import Any

from .errors import UnknownExercise
from .exercise import Exercise, find, run_probe
from .plaindata import decode, encode


class Session:
    """One graded run of a notebook."""

    def __init__(self, folder: Path, descriptor: int):
        self._cases = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
        self._descriptor = descriptor
        self._classes: dict[str, Any] = {}

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
        self.emit(exercise.id, [run_probe(exercise, obj, one) for one in inputs])

    def repeat(self) -> None:
        """Probe every class again, as it stands now. Called once, after the last cell: a class grows over a notebook."""
        for exercise_id, obj in self._classes.items():
            self.probe(find(exercise_id), obj)

    def emit(self, exercise_id: str, outputs: list[dict[str, Any]]) -> None:
        """Send the outputs of all cases of one exercise, in order."""
        line = json.dumps({"event": "outputs", "exercise": exercise_id, "outputs": encode(outputs)}) + "\n"
        data = line.encode("ascii")
        while data:
            data = data[os.write(self._descriptor, data) :]


@functools.cache
def session() -> Session | None:
    """The running grading session, or None in a student's own notebook."""
    folder = os.environ.get("ZEROHERO_GRADING")
    return Session(Path(folder), int(os.environ["ZEROHERO_GRADING_FD"])) if folder else None
