"""What grading needs to know of one module; made once for all submissions."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from zerohero.errors import UnknownExercise
from zerohero.exercise import Case, load
from zerohero.plaindata import encode

from .errors import CourseError
from .hidden import hidden_cases

SOLUTION = "### BEGIN SOLUTION"
KNOWN = "known_mistakes.json"
"""In the course folder: the names that the instructor gave to wrong answers seen in the class (see seen.py)."""


def known_in(course: Path) -> dict[str, list[dict[str, Any]]]:
    """{exercise id: entries of the atlas} in KNOWN; nothing when there is no such file. Raises CourseError when it cannot be read."""
    file = course / KNOWN
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["schema"] != 1:
            raise ValueError(f"schema {data['schema']!r}")
        return {exercise: list(entries) for exercise, entries in data["exercises"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{file} is not a file of known mistakes: {error!r}. Remove it, and name the groups again with `zerohero atlas add`") from None


@dataclass(frozen=True)
class SourceCell:
    """One cell of the instructor's notebook, without its solution."""

    role: str
    """"text", "given", "predict", "answer", "check" or "written"."""
    name: str
    """The cell's id, which for answers, checks and written answers is nbgrader's grade_id too."""
    source: str
    """Empty for an answer of either kind: the solution stays out of everything that is made for a student."""
    exercise: str = ""


@dataclass(frozen=True)
class Written:
    """A question that is answered in words and marked by a person."""

    points: float
    starter: str
    """What tells the text a student starts with, spaces around it aside; that text is no answer."""

    def is_answered_by(self, text: str) -> bool:
        """Whether ``text`` is anything but empty or the text a student starts with."""
        text = text.strip()
        return bool(text) and hashlib.sha256(text.encode()).hexdigest()[:16] != self.starter


@dataclass(frozen=True)
class GradedModule:
    """One module of a course: its cells, points and cases. Picklable, so that workers can be handed it."""

    name: str
    cells: tuple[SourceCell, ...]
    points: Mapping[str, float]
    """{exercise id: points}, in lesson order."""
    cases: Mapping[str, tuple[Case, ...]]
    """Visible cases, then hidden ones."""
    known: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """{exercise id: entries of the atlas} for wrong answers that were seen in this class and named."""
    written: Mapping[str, Written] = field(default_factory=dict)
    """{id of a question that a person marks: what is known of it}, in lesson order."""

    @property
    def max_score(self) -> float:
        return sum(self.points.values()) + sum(question.points for question in self.written.values())

    @cached_property
    def digest(self) -> str:
        """What tells one state of the module from the next: other cells, points or cases give other scores for the same file."""
        points = {**self.points, **{id: astuple(question) for id, question in self.written.items()}}
        cases = {id: [[case.group, encode(case.inputs)] for case in cases] for id, cases in self.cases.items()}
        return hashlib.sha256(json.dumps([self.name, [astuple(cell) for cell in self.cells], points, cases]).encode()).hexdigest()

    def with_torch(self) -> frozenset[str]:
        """The exercises whose answer may use torch."""
        exercises, _ = load(self.name)
        return frozenset(id for id in self.points if "torch" in exercises[id].allows)

    def kinds_of_run(self) -> list[tuple[list[str], frozenset[str]]]:
        """[(exercises, libraries taken away)]: those that may not use torch, in one without, and those that may, in another."""
        with_torch = self.with_torch()
        kinds = ([id for id in self.points if id not in with_torch], frozenset({"torch"})), ([id for id in self.points if id in with_torch], frozenset[str]())
        return [(ids, without) for ids, without in kinds if ids]

    @classmethod
    def read(cls, notebook: Path, name: str, secret: str) -> "GradedModule":
        """From the course's source notebook. Raises CourseError when it is missing or not one that `zerohero build` made."""
        try:
            source = json.loads(notebook.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise CourseError(f"{notebook} is missing: build the course's source notebooks with `zerohero build` and put them there") from None
        except (OSError, ValueError) as error:
            raise CourseError(f"{notebook} is not a notebook: {error}") from None
        return cls.of(source, name, secret, str(notebook))

    @classmethod
    def of(cls, source: Mapping[str, Any], name: str, secret: str, where: str = "the source notebook") -> "GradedModule":
        """From the source notebook as a dict (nbformat 4.5 with ids, as build/ makes it)."""
        try:
            exercises, _ = load(name)
        except UnknownExercise as error:
            raise CourseError(str(error)) from None
        points, written, cells = {}, {}, []
        for cell in source["cells"]:
            ours = cell["metadata"].get("zerohero", {})
            if "check" in ours:
                points[ours["check"]] = float(cell["metadata"]["nbgrader"]["points"])
            if "written" in ours:
                written[ours["written"]] = Written(float(cell["metadata"]["nbgrader"]["points"]), ours["starter"])
            cells.append(_source_cell(cell, ours))
        if not points or set(points) != set(exercises):
            odd = sorted(set(points) ^ set(exercises)) or ["none"]
            raise CourseError(f"{where} does not hold the exercises of {name} ({', '.join(odd[:3])}): build it again with `zerohero build`")
        cases = {id: (*exercises[id].visible_cases(), *hidden_cases(name, id, secret)) for id in points}
        return cls(name, tuple(cells), points, cases, written=written)


def _source_cell(cell, ours):
    text = "".join(cell["source"])
    if "written" in ours:
        return SourceCell("written", cell["id"], "", ours["written"])
    if "exercise" in ours:
        return SourceCell("answer", cell["id"], "", ours["exercise"])
    if SOLUTION in text:
        raise CourseError(f"cell {cell['id']} holds a solution but is no exercise; it would reach the student's feedback")
    if cell["cell_type"] != "code":
        return SourceCell("text", cell["id"], text)
    if "check" in ours:
        return SourceCell("check", cell["id"], text, ours["check"])
    return SourceCell("predict" if "predict" in ours else "given", cell["id"], text)
