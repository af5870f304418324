"""The predict questions: what was guessed, and how often that was right before and after the lesson.

A guess is read out of the source of its cell as a literal and never run. A notebook keeps the last guess only, and shows the
answer with it: a right one may have been put in afterwards.
"""

import ast
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import Any

from zerohero.exercise import Question
from zerohero.plaindata import describe
from zerohero.predicting import is_right

from ..graded_module import GradedModule

COMMON = 3
"""Students who must have made the same wrong guess for it to be shown."""
LONGEST = 2000
"""Characters of a cell in which a guess is looked for."""
NO_GUESS = object()
UNREAD = object()


@dataclass(frozen=True)
class Guesses:
    """One question."""

    id: str
    asks: str
    answer: str
    place: str
    """"before", "after", or "" when it stands in the middle of the lesson."""
    answered: int
    right: int
    unread: int
    """Guesses that are no literal, such as ``27**3``: they are not counted as answers."""
    wrong: tuple[tuple[str, int], ...] = ()
    """Wrong guesses that several students made, most frequent first."""


@dataclass(frozen=True)
class Gain:
    """The mean share of right guesses at the questions that open the lesson, and at those of the same kind that close it."""

    students: int
    """Who answered at least one of each."""
    before: float
    after: float


def guesses_of(module: GradedModule, questions: Mapping[str, Question], notebooks: Sequence[Mapping[str, Any]]) -> tuple[tuple[Guesses, ...], Gain | None]:
    """The questions in the order of the lesson, and the gain; None when nobody answered on both ends."""
    order = [cell.name for cell in module.cells if cell.role == "predict" and cell.name in questions]
    before, after = _ends(module)
    guessed = [{id: guess_in(source, id) for id, source in _sources(notebook).items() if id in order} for notebook in notebooks]
    found = [_counted(questions[id], [one.get(id, NO_GUESS) for one in guessed], "before" if id in before else "after" if id in after else "") for id in order]
    shares = []
    for one in guessed:
        ends = [[_is_right(one[id], questions[id]) for id in end if one.get(id, NO_GUESS) not in (NO_GUESS, UNREAD)] for end in (before, after)]
        if all(ends):
            shares.append([fmean(end) for end in ends])
    gain = Gain(len(shares), fmean(share[0] for share in shares), fmean(share[1] for share in shares)) if shares else None
    return tuple(found), gain


def guess_in(source: str, question_id: str) -> Any:
    """The guess of the call ``predict("id", guess=...)`` in a cell; the last one counts. NO_GUESS, or UNREAD when it is no literal. Never raises, runs nothing."""
    if len(source) > LONGEST:
        return UNREAD
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the student's code
            calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and _asks(node, question_id)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNREAD
    if not calls:
        return NO_GUESS
    given = [keyword.value for keyword in calls[-1].keywords if keyword.arg == "guess"] or calls[-1].args[1:2]
    if not given:
        return NO_GUESS
    try:
        guess = ast.literal_eval(given[0])
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return UNREAD
    return NO_GUESS if guess is None else guess


def _asks(call, question_id):
    named = isinstance(call.func, ast.Name) and call.func.id == "predict"
    return named and bool(call.args) and isinstance(call.args[0], ast.Constant) and call.args[0].value == question_id


def _ends(module):
    """The ids of the first and of the last questions of the lesson: those with nothing but text between them, before the first answer and after the last check."""
    code = [cell for cell in module.cells if cell.role != "text"]
    runs = [[cell.name for cell in cells] if role == "predict" else role for role, cells in groupby(code, key=lambda cell: cell.role)]
    first, last = runs.index("answer"), len(runs) - 1 - runs[::-1].index("check")
    before = next((run for run in runs[:first] if isinstance(run, list)), [])
    after = next((run for run in reversed(runs[last:]) if isinstance(run, list)), [])
    return before, after


def _sources(notebook):
    return {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"] if cell["metadata"].get("zerohero", {}).get("role") == "predict"}


def _counted(question, guesses, place):
    given = [guess for guess in guesses if guess is not NO_GUESS and guess is not UNREAD]
    wrong = Counter(describe(guess) for guess in given if not _is_right(guess, question))
    often = tuple((text, count) for text, count in wrong.most_common(2) if count >= COMMON)
    unread = sum(guess is UNREAD for guess in guesses)
    right = sum(_is_right(guess, question) for guess in given)
    return Guesses(question.id, question.asks, describe(question.answer), place, len(given), right, unread, often)


def _is_right(guess, question):
    try:
        return is_right(guess, question)
    except OverflowError:  # an integer that no float holds
        return False
