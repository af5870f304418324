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

MOST_COPIES = 20
"""That are named in messages: a cell can be copied a thousand times."""


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
    messages: list[str] = []
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
                parts = written.setdefault(known, [])
                if parts:
                    messages.append(f"cell {cell.number} is a second cell of {known}; both are read, in your order")
                parts.append(cell)
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
                messages.append(f"cell {cell.number} is a second cell of {ours[known].exercise}; both are run, in your order")
    if len(messages) > MOST_COPIES:
        messages[MOST_COPIES:] = [f"{len(messages) - MOST_COPIES:,} more cells are such copies"]
    taken |= {name: ("\n\n".join(cell.source for cell in parts), parts[0].number) for name, parts in written.items()}
    cells = list(extras.get(None, []))
    for cell in module.cells:
        cells.append(_filled(cell, taken.get(cell.name)))
        cells += extras.get(cell.name, [])
    missing = [cell.exercise for cell in module.cells if cell.role == "answer" and cell.name not in taken]
    if missing and len(missing) == sum(c.role == "answer" for c in module.cells):
        messages.append(f"no answer cell of {module.name} is in this notebook: is it the right one?")
    elif missing:
        messages.append(f"the answer cell of {', '.join(missing)} is missing or empty; code of yours in other cells is still run")
    if unwritten := [name for name in module.written if name not in taken]:
        messages.append(f"the cell of the written answer {', '.join(unwritten)} is missing or empty; text of yours in other cells is not read")
    return Rebuilt(tuple(cells), tuple(messages))


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
