"""The notebook that is graded: the instructor's cells in the instructor's order, with the student's code in them.

What is taken of a submission is the source of its code cells and the text of its written answers; no tag, metadata, output
or other text cell of it survives.

- check cells     always the instructor's, each once
- answer cells    the student's; a missing one leaves an empty place, because a stub there would overwrite an answer
                  that the student moved into a cell of another name
- other code      the student's version where there is one, else the instructor's
- written answers the student's text, of whatever kind its cell has become; that of several cells in their order. Never run
- the student's   cells with unknown names (helpers, second halves of split cells, copies) stay code, right behind the
  own cells       known cell they stood behind
"""

from collections.abc import Iterable
from dataclasses import dataclass

from .graded_module import GradedModule, SourceCell
from .intake import Cell, Submission


@dataclass(frozen=True)
class RebuiltCell:
    """One cell of the notebook that is graded."""

    role: str
    """"text", "given", "predict", "answer", "check", "written" or "extra"."""
    name: str
    """The cell's id; "extra-3" for a cell of the student's own that is the third in their notebook."""
    source: str
    exercise: str = ""
    """The exercise an answer or a check belongs to."""
    number: int | None = None
    """Its place in the student's notebook, when it came from there."""

    @property
    def runs(self) -> bool:
        """Whether this is code to run; an answer that was not handed in is not."""
        return self.role not in ("text", "written") and not (self.role == "answer" and self.number is None)


@dataclass(frozen=True)
class Rebuilt:
    """The cells to grade, in order, and what there is to say about how the submission differed."""

    cells: tuple[RebuiltCell, ...]
    messages: tuple[str, ...] = ()


def rebuild(module: GradedModule, submission: Submission) -> Rebuilt:
    """The instructor's notebook with the student's code. Never holds a solution: see GradedModule.cells."""
    ours = {cell.name: cell for cell in module.cells}
    taken: dict[str, tuple[str, int]] = {}
    written: dict[str, list[Cell]] = {}
    extras: dict[str | None, list[RebuiltCell]] = {}
    seen: set[str] = set()
    again: dict[str, list[int]] = {}
    before: str | None = None  # the known cell that the student's own cells stand behind
    lost = _names_without_ids(module, submission)
    for cell in submission.cells:
        known = next((name for name in (cell.grade_id, cell.id, lost.get(cell.number)) if name in ours), None)
        role = ours[known].role if known else ""
        first = known is not None and known not in seen
        is_code = cell.kind == "code" and bool(cell.source.strip())
        if role == "written":
            before = known if first else before
            seen.add(known)
            if cell.source.strip():
                written.setdefault(known, []).append(cell)
            continue
        if first and (role in ("check", "text") or is_code):
            seen.add(known)
            before = known  # a copy further down does not count: it would pull what follows it up here
            if role not in ("check", "text"):
                taken[known] = (cell.source, cell.number)
                continue
        if is_code and role != "check":
            own = extras.setdefault(before, [])
            own.append(RebuiltCell("extra", f"extra-{cell.number}", cell.source, number=cell.number))
            if role == "answer":
                again.setdefault(ours[known].exercise, []).append(cell.number)
    taken |= {name: ("\n\n".join(cell.source for cell in parts), parts[0].number) for name, parts in written.items()}
    cells = list(extras.get(None, []))
    for cell in module.cells:
        cells.append(_filled(cell, taken.get(cell.name)))
        cells += extras.get(cell.name, [])
    messages = [_second(exercise, numbers, "run") for exercise, numbers in again.items()]
    messages += [_second(name, [cell.number for cell in parts[1:]], "read") for name, parts in written.items() if len(parts) > 1]
    missing = [cell.exercise for cell in module.cells if cell.role == "answer" and cell.name not in taken]
    if missing and len(missing) == sum(c.role == "answer" for c in module.cells):
        if seen:  # cells copied one by one, in Colab for example, lose their names
            messages.append(f"the answer cells of {module.name} have lost their names or are empty; your code is run where it stands")
        else:
            messages.append(f"no cell of {module.name} is in this notebook: is it the right one?")
    elif missing:
        messages.append(f"the answer cell of {', '.join(missing)} is missing or empty; code of yours in other cells is still run")
    if unwritten := [name for name in module.written if name not in taken]:
        messages.append(f"the cell of the written answer {', '.join(unwritten)} is missing or empty; text of yours in other cells is not read")
    return Rebuilt(tuple(cells), tuple(messages))


def _second(name, numbers, used):
    """One sentence, however many copies there are."""
    if len(numbers) == 1:
        return f"cell {numbers[0]} is a second cell of {name}; both are {used}, in your order"
    shown = ", ".join(map(str, numbers[:5])) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")
    return f"cells {shown} are further cells of {name}; all are {used}, in your order"


def placeholder(module: GradedModule) -> Rebuilt:
    """The notebook that stands for a submission that cannot be read: every answer empty."""
    return Rebuilt(tuple(_filled(cell, None) for cell in module.cells))


def _filled(cell: SourceCell, theirs: tuple[str, int] | None) -> RebuiltCell:
    if theirs:
        return RebuiltCell(cell.role, cell.name, theirs[0], cell.exercise, theirs[1])
    source = f"# The answer cell of {cell.exercise} is not in this notebook." if cell.role == "answer" else cell.source
    return RebuiltCell(cell.role, cell.name, source, cell.exercise)


def _names_without_ids(module, submission):
    """{cell number: name} for untouched given cells of a notebook whose cells have no names (nbformat below 4.5).

    Without this each given cell would run twice, once as ours and once as a cell of the student's own.
    """
    known = {cell.name for cell in module.cells}
    free: dict[str, list[str]] = {}
    for cell in module.cells:
        if cell.role in ("given", "predict", "text"):
            free.setdefault(_bare(cell.source), []).append(cell.name)
    names = {}
    for cell in submission.cells:
        if cell.grade_id in known or cell.id in known:
            continue
        same = free.get(_bare(cell.source))
        if same:
            names[cell.number] = same.pop(0)
    return names


def _bare(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def code_of(cells: Iterable[RebuiltCell]) -> list[str]:
    """The sources to run, in order."""
    return [cell.source for cell in cells if cell.runs]
