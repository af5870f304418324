"""Why an exercise has no result: in the student's words, and without a word of what their process printed or raised."""

import builtins
import re

from zerohero.report import Finding

from ..rebuild import Rebuilt, RebuiltCell
from ..sandbox import CellRun, Run

OURS = ("WrongObject", "UnknownExercise", "CheckFailed")
AGAIN = "restart the kernel, run all cells, and repair the first one that fails"


def why_missing(exercise_id: str, rebuilt: Rebuilt, run: Run) -> Finding:
    """The finding for an exercise whose check handed nothing over."""
    ran = cells_run(rebuilt, run)
    check = next(cell for cell in rebuilt.cells if cell.role == "check" and cell.exercise == exercise_id)
    answer = next((cell for cell in rebuilt.cells if cell.role == "answer" and cell.exercise == exercise_id), None)
    of_check, of_answer = ran.get(check.name), ran.get(answer.name) if answer else None
    ending = how_it_ended(rebuilt, run)
    if of_check is None or of_check.status == "not run":
        return Finding(f"the check was not reached: {ending or 'the run ended before it'}", next="repair that cell first; what stands before it is graded")
    if ending and check is _last(rebuilt, run):
        return Finding(f"the run ended while your code was checked: {ending}", next=AGAIN)
    if of_check.status == "timeout":
        return Finding(
            "time was up while your code was checked", next="run the check on your machine and see how long it takes; look for a loop that does not end"
        )
    name = error_name(of_check)
    if of_check.status == "error" and name == "WrongObject":
        return Finding("check was handed the wrong kind of object", actual=of_check.error, next="pass the function or class itself, without ()")
    if answer is not None and answer.number is None:
        return Finding(
            "the answer cell is missing or empty and nothing else stands in its place",
            actual=of_check.error,
            next="answer in the cell of the lesson, and keep that cell",
        )
    if of_answer is not None and of_answer.status != "ok":
        how = "ran out of time" if of_answer.status == "timeout" else f"raised {error_name(of_answer)}"
        return Finding(f"the answer cell {how}, so there was nothing to check", actual=of_answer.error, next=AGAIN)
    if of_check.status == "error":
        return Finding(f"the check cell raised {name}", actual=of_check.error, next=AGAIN)
    return Finding("the check ran but handed nothing over", next="is `check` replaced somewhere in your notebook? Import it from zerohero only")


def how_it_ended(rebuilt: Rebuilt, run: Run) -> str:
    """What ended the run before its last cell, in the sandbox's words with the cell as the student knows it; empty when it finished."""
    if run.ended == "finished":
        return ""
    code, last = [cell for cell in rebuilt.cells if cell.runs], _last(rebuilt, run)
    numbered = re.match(r"cell (\d+) ", run.reason)
    if numbered and 0 < int(numbered[1]) <= len(code):
        return f"{place(code[int(numbered[1]) - 1])} {run.reason[numbered.end() :]}"
    words = run.reason or {"timeout": "time was up", "too much output": "there was too much output"}.get(run.ended, "the Python process ended")
    return f"{words}, in {place(last)}" if last else words


def _last(rebuilt, run):
    """The last cell that began, or None."""
    ran = cells_run(rebuilt, run)
    return next((cell for cell in reversed(rebuilt.cells) if cell.name in ran and ran[cell.name].status != "not run"), None)


def cells_run(rebuilt: Rebuilt, run: Run) -> dict[str, CellRun]:
    """{cell name: what became of it}; a cell that is in ``run`` under no index is left out."""
    code = [cell for cell in rebuilt.cells if cell.runs]
    return {code[one.index].name: one for one in run.cells if type(one.index) is int and 0 <= one.index < len(code)}


def place(cell: RebuiltCell) -> str:
    """How a cell is named to the student: by exercise where it has one, by its number in their notebook otherwise."""
    if cell.role in ("answer", "check"):
        return f"the {cell.role} cell of {cell.exercise}"
    return f"cell {cell.number}" if cell.number else "a cell of the lesson"


def error_name(cell: CellRun) -> str:
    """The type of the error, if it is one of Python's or ours: a class of the student's own may have any name."""
    name = cell.error.partition(":")[0].strip()
    if name in OURS or (name.isidentifier() and isinstance(getattr(builtins, name, None), type)):
        return name
    return "an exception"
