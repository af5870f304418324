"""The solution regions of a notebook become stubs: of code one that names its exercise, of a written answer nbgrader's own words."""

import copy
from collections.abc import Mapping
from typing import Any

from ..errors import LessonError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
YOUR_ANSWER = "YOUR ANSWER HERE"
"""As nbgrader's ClearSolutions has it; an answer that still is this text is none."""


def stub_source(source: str, exercise_id: str) -> str:
    """``source`` with each solution region replaced by a line that raises NotImplementedError with the exercise's id.

    nbgrader's ClearSolutions does the same with one stub text for all cells; ours has to name the exercise. A class has
    one region per method to write. Raises LessonError when there is none, or one without its end.
    """
    return _replaced(source, exercise_id, ("# YOUR CODE HERE", f'raise NotImplementedError("{exercise_id} is not written yet")'))


def written_stub(source: str, id: str) -> str:
    """The text of a written answer's cell with each model answer replaced by YOUR_ANSWER. Raises LessonError as stub_source does."""
    return _replaced(source, id, (YOUR_ANSWER,))


def without_solution(source: str, ours: Mapping[str, Any]) -> str:
    """What a student gets of a cell whose ``metadata.zerohero`` is ``ours``."""
    if "exercise" in ours:
        return stub_source(source, ours["exercise"])
    return written_stub(source, ours["written"]) if "written" in ours else source


def _replaced(source, exercise_id, stub):
    lines, kept, inside = source.split("\n"), [], False
    regions = 0
    for line in lines:
        mark = line.strip()
        if mark == BEGIN and not inside:
            inside, regions = True, regions + 1
            indent = line[: len(line) - len(line.lstrip())]
            kept += [f"{indent}{line}" for line in stub]
        elif mark == END and inside:
            inside = False
        elif not inside:
            kept.append(line)
    begins = sum(line.strip() == BEGIN for line in lines)  # one inside another is not counted as a region
    if inside or not regions or begins != regions or any(mark in line for line in kept for mark in (BEGIN, END)):
        raise LessonError(f"{exercise_id}: needs at least one `{BEGIN}` ... `{END}` region, found {regions}{', the last without its end' if inside else ''}")
    return "\n".join(kept)


def student_notebook(source: dict[str, Any]) -> dict[str, Any]:
    """The notebook without solutions and outputs. The only version that leaves the instructor's hands."""
    notebook = copy.deepcopy(source)
    for cell in notebook["cells"]:
        cell["source"] = without_solution(cell["source"], cell["metadata"].get("zerohero", {}))
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
    return notebook
