"""grade(): one submission, from file to scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zerohero.exercise import load
from zerohero.report import Finding, Report

from ..flags import Flag
from ..graded_module import GradedModule
from ..intake import Submitted, take_in
from ..intake.notebook import clean
from ..judge import no_points
from ..judging import judge_all
from ..rebuild import Rebuilt, code_of, placeholder, rebuild
from ..sandbox import CellRun, Run, Sandbox
from .look import worth_a_look
from .notebook import graded_notebook
from .twice import differences
from .why import cells_run, how_it_ended, why_missing


@dataclass(frozen=True)
class Graded:
    """The result of grading one submission. Plain data: it can be pickled, and knows no student."""

    module: str
    notebook: Mapping[str, Any]
    """The notebook that was graded, with plain-text outputs and the full reports, for autograded/ (instructor's eyes)."""
    reports: Mapping[str, Report]
    scores: Mapping[str, float]
    messages: tuple[str, ...] = ()
    """What the student must know beyond the reports: the file cannot be read, a cell is missing, the process ended."""
    notes: tuple[str, ...] = field(default=())
    """What only the instructor is told: a judge that failed."""
    written: Mapping[str, str] = field(default_factory=dict)
    """{id of a question that a person marks: the student's answer}; "" where there is none."""
    flags: tuple[Flag, ...] = ()
    """What a person should look at. For the instructor only; it costs no points."""

    @property
    def score(self) -> float:
        """Without what a person gives."""
        return sum(self.scores.values())


def grade(submission: Path | Submitted, module: GradedModule, sandbox: Sandbox, *, twice: bool = False) -> Graded:
    """Read, rebuild, run and judge one submission; one that was read on another machine is handed in as Submitted.

    twice: run it a second time, and flag exercises whose outputs differ; the first run counts.

    Never raises for anything in the file or done by its code: what cannot be read or run is 0 points, with the reason.
    """
    exercises, _ = load(module.name)
    submitted = submission if isinstance(submission, Submitted) else take_in(submission)
    if submitted.content is None:
        finding = Finding("the notebook could not be read", next="see the message at the top")
        reports = {id: no_points(exercises[id], module.cases[id], finding) for id in module.points}
        return _graded(module, placeholder(module), {}, reports, (clean(submitted.problem),), (), (), {}, "")  # it may name files, whose names may be no text
    rebuilt = rebuild(module, submitted.content)
    runs = _runs(module, rebuilt, sandbox)
    verdicts = judge_all({id: (exercises[id], module.cases[id], texts) for id in module.points if (texts := runs[id].outputs.get(id, ()))}, module.known)
    reports = {
        id: verdicts[id].report if id in verdicts else no_points(exercises[id], module.cases[id], why_missing(id, rebuilt, runs[id])) for id in module.points
    }
    notes = [verdict.note for verdict in verdicts.values() if verdict.note]
    flags = worth_a_look(module, rebuilt, exercises)
    flags += [_many_calls(id, *run.calls[id]) for id, run in runs.items() if id in run.calls and exercises[id].by_formula]
    if twice:
        again = _runs(module, rebuilt, sandbox)
        flags += differences({id: (run.outputs.get(id, ()), again[id].outputs.get(id, ())) for id, run in runs.items()}, module.cases)
    endings = dict.fromkeys(message for run in _distinct(runs) if (message := how_it_ended(rebuilt, run)))
    unnamed = {id: verdict.prints for id, verdict in verdicts.items() if verdict.prints}
    return _graded(module, rebuilt, runs, reports, (*rebuilt.messages, *endings), notes, flags, unnamed, submitted.digest)


def _many_calls(exercise_id, name, calls, numbers):
    return Flag(
        "MANY_FORWARD_CALLS",
        exercise_id,
        f"one call of it calls `{name}` {calls:,} times, each time with a whole input of {numbers:,} numbers (it is one of the notebook, or ours in its place)",
    )


def _runs(module, rebuilt, sandbox) -> dict[str, Run]:
    """{exercise id: the run it is judged by}: exercises that may use torch in a jail with it, all others in one without.

    A run stops where nothing is left that counts: a lesson trains its networks behind the last check, or twice otherwise.
    """
    cells, runs = code_of(rebuilt.cells), {}
    for ids, without in module.kinds_of_run():
        needed = cells[: _end_of(rebuilt, ids, own=bool(without))]
        run = sandbox.run(needed, {id: [case.inputs for case in module.cases[id]] for id in ids}, without=without)
        runs |= dict.fromkeys(ids, run)
    return runs


def _end_of(rebuilt, exercises, own):
    """How many code cells there are up to the last check of ``exercises``; with ``own`` up to the student's last own cell, which may mend a class."""
    code = [cell for cell in rebuilt.cells if cell.runs]
    return max(
        place for place, cell in enumerate(code, 1) if (cell.role == "check" and cell.exercise in exercises) or (own and cell.role in ("answer", "extra"))
    )


def _distinct(runs):
    return {id(run): run for run in runs.values()}.values()


def _shown(module, rebuilt, runs) -> dict[str, CellRun]:
    """{cell name: what became of it}, a check from the run it was judged by, any other cell from the run in which it could use torch."""
    shown: dict[str, CellRun] = {}
    for run in sorted(_distinct(runs), key=lambda run: any(runs.get(id) is run for id in module.with_torch())):
        shown |= {name: cell for name, cell in cells_run(rebuilt, run).items() if runs.get(name, run) is run}
    return shown


def _graded(module, rebuilt: Rebuilt, runs, reports, messages, notes, flags, unnamed, digest) -> Graded:
    scores = {id: round(points * reports[id].score, 6) for id, points in module.points.items()}
    answers = {cell.name: cell.source for cell in rebuilt.cells if cell.role == "written"}
    written = {id: answers[id].strip() if question.is_answered_by(answers[id]) else "" for id, question in module.written.items()}
    notebook = graded_notebook(module, rebuilt, _shown(module, rebuilt, runs), reports, scores, written, messages, notes, flags, unnamed, digest)
    return Graded(module.name, notebook, reports, scores, tuple(messages), tuple(notes), written, tuple(flags))
