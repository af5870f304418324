"""mutants(): every rule applied to one answer, at one place and everywhere."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from . import accumulation, contract, engine, indexing, masks, order, products_and_sums, reductions, saved_tensors
from .answer import Answer
from .rule import RULES, Change

FILES = (products_and_sums, reductions, saved_tensors, masks, accumulation, indexing, order, engine, contract)
"""Where the rules are; importing these adds them to RULES. Of two that make the same version with the same kind, the sentence of the first is kept."""


@dataclass(frozen=True)
class Mutant:
    """A version of an answer with one mistake."""

    kind: str
    """A kind of the taxonomy, ``zerohero.mistakes``: the one a teacher would give it."""
    because: str
    """What went wrong, in the student's words; holds nothing of the answer."""
    line: int
    """The first line of the answer that was changed."""
    source: str
    weak: bool = False
    """It names an answer only if no other mutant explains it."""


def mutants(source: str) -> list[Mutant]:
    """Every version of ``source`` with one mistake that the rules can make, each once per kind; the same on every call.

    ``source`` is that of one reference answer: functions, methods, or a whole cell. Nothing of it is run, so a version may raise
    or be right all the same; ``bank`` finds out. Raises SyntaxError when ``source`` is not Python.
    """
    answer = Answer(source)
    unchanged = ast.unparse(answer.tree)
    found: dict[tuple[str, str], Mutant] = {}
    for made in _changes(answer):
        text = _applied(answer, made)
        if text and text != unchanged and (text, made.kind) not in found:
            line = min(getattr(answer.statement(node), "lineno", 1) for node, _ in made.edits)
            found[text, made.kind] = Mutant(made.kind, made.because, line, text, made.weak)
    return list(found.values())


def _changes(answer: Answer) -> Iterator[Change]:
    for make in sorted(RULES, key=lambda one: [file.__name__ for file in FILES].index(one.__module__)):
        together: dict[object, list[Change]] = {}
        for made in make(answer):
            yield made
            if made.alike is not None:
                together.setdefault(made.alike, []).append(made)
        for alike in together.values():
            if len(alike) > 1:
                yield Change(alike[0].kind, alike[0].because, tuple(edit for made in alike for edit in made.edits), weak=alike[0].weak)


def _applied(answer: Answer, made: Change) -> str:
    """The source with the edits, or "" when that is not Python. The tree is left as it was."""
    undo = []
    try:
        for node, new in made.edits:
            parent = answer.parents.get(node)
            if parent is None:
                return ""
            for field, value in ast.iter_fields(parent):
                if value is node:
                    undo.append((parent, field, value))
                    setattr(parent, field, new)
                elif isinstance(value, list) and any(one is node for one in value):
                    undo.append((parent, field, value))
                    setattr(parent, field, [x for one in value for x in ((new if isinstance(new, list) else [new]) if one is node else [one])])
        text = ast.unparse(answer.tree)
        compile(text, "<mutant>", "exec")
        return text
    except (SyntaxError, ValueError, AttributeError, TypeError, RecursionError):  # a tree that is no program, such as a name where a list of names is due
        return ""
    finally:
        for parent, field, value in reversed(undo):
            setattr(parent, field, value)
