"""The solution regions of a notebook become stubs that name their exercise."""

import copy
from typing import Any

from ..errors import LessonError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def stub_source(source: str, exercise_id: str) -> str:
    """``source`` with each solution region replaced by a line that raises NotImplementedError with the exercise's id.

    nbgrader's ClearSolutions does the same with one stub text for all cells; ours has to name the exercise. A class has
    one region per method to write. Raises LessonError when there is none, or one without its end.
    """
    lines, kept, inside = source.split("\n"), [], False
    regions = 0
    for line in lines:
        mark = line.strip()
        if mark == BEGIN and not inside:
            inside, regions = True, regions + 1
            indent = line[: len(line) - len(line.lstrip())]
            kept += [f"{indent}# YOUR CODE HERE", f'{indent}raise NotImplementedError("{exercise_id} is not written yet")']
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
        exercise = cell["metadata"].get("zerohero", {}).get("exercise")
        if exercise:
            cell["source"] = stub_source(cell["source"], exercise)
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
    return notebook
