"""The contract every reader of a check shares: Report, Group, Finding, and their JSON form (schema 1).

Text, HTML and the JupyterLab view are renderings of this object; the grader stores it; nothing else crosses.
The JSON form is described by ``schema/report-1.json``.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

SCHEMA = 1
MIME = "application/vnd.zerohero.report+json"

Status = Literal["passed", "failed", "not started"]


@dataclass(frozen=True)
class ErrorMap:
    """Where one array is wrong, small enough to look at.

    The array is laid out as a matrix: the last axis across, all others down. Above 64 rows or columns a cell stands for
    a block of elements and holds its worst.
    """

    of: str
    """The array, as the student calls it: "dw"."""
    shape: tuple[int, ...]
    """The shape of the array."""
    block: tuple[int, int]
    """How many rows and columns of the matrix one cell stands for; (1, 1) when nothing had to be put together."""
    cells: tuple[tuple[float | None, ...], ...]
    """Relative error of each cell, rows of columns: |actual - expected| over the largest |expected|; 0.0 is right, None is
    NaN or infinite where a number is due (JSON has neither). At most 64 by 64."""


@dataclass(frozen=True)
class Finding:
    """One thing the judge saw. All fields are short strings, ready to be shown."""

    what: str
    """What is wrong, in the student's words: "gradient of `a` is wrong". Never holds a value."""
    group: str = ""
    """The group of cases it was seen in."""
    where: str = ""
    """An input that reproduces it: "a.grad after (a*a).backward(), a = 3.0"."""
    expected: str = ""
    actual: str = ""
    mistake: str = ""
    """A kind of the taxonomy (``zerohero.mistakes``), only when a test proves that cause."""
    because: str = ""
    """One sentence on ``mistake``. Empty when that is."""
    next: str = ""
    """The next step to take."""
    alternatives: tuple[str, ...] = ()
    """Further kinds that explain what was seen just as well as ``mistake``: it is one of them all."""
    error_map: ErrorMap | None = None
    """Where the array that the finding is about is wrong."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds that explain what was seen; empty when no cause is proven."""
        return (self.mistake, *self.alternatives) if self.mistake else ()


@dataclass(frozen=True)
class Group:
    """A named kind of input; the score is the share of groups passed."""

    name: str
    passed: bool


@dataclass(frozen=True)
class Report:
    """All that one check found."""

    exercise: str
    title: str
    status: Status
    groups: tuple[Group, ...] = ()
    findings: tuple[Finding, ...] = ()
    schema: int = SCHEMA

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @property
    def score(self) -> float:
        """Share of groups passed, 0.0 to 1.0. Nothing checked is 0."""
        return sum(g.passed for g in self.groups) / len(self.groups) if self.groups else 0.0

    @property
    def headline(self) -> str:
        """One line: the verdict and, if it failed, the first thing that is wrong."""
        if self.status == "not started":
            return f"{self.exercise}: not started"
        ok = sum(g.passed for g in self.groups)
        if self.passed:
            return f"{self.exercise}: passed"
        what = self.findings[0].what if self.findings else "did not pass"
        return f"{self.exercise}: {what}" + (f" ({ok} of {len(self.groups)} groups pass)" if len(self.groups) > 1 else "")

    def __str__(self) -> str:
        """The report as plain text, so that ``print(gradcheck(...))`` reads well."""
        from .show import text  # a rendering of this object, which it need not know until it is looked at

        return text(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """What a notebook shows for a report that stands last in a cell."""
        from .show import bundle

        return bundle(self)

    def without_values(self) -> "Report":
        """The same verdict with nothing that was given to, or came out of, the student's process.

        Feedback on hidden cases is made of this: group names, what is wrong, the named mistake and the next step.
        """
        return replace(self, findings=tuple(replace(f, where="", expected="", actual="", error_map=None) for f in self.findings))

    def to_json(self) -> dict[str, Any]:
        """Plain dicts and lists, as ``schema/report-1.json`` describes."""
        return _lists(asdict(self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Report":
        """The inverse of to_json. Raises ValueError for another schema, TypeError for unknown fields.

        ``alternatives`` and ``error_map`` may be absent: reports of graded notebooks are kept, and older ones have neither.
        """
        if data.get("schema") != SCHEMA:
            raise ValueError(f"report schema {data.get('schema')!r}: this version reads schema {SCHEMA}")
        findings = tuple(_finding(f) for f in data["findings"])
        return cls(**{**data, "groups": tuple(Group(**g) for g in data["groups"]), "findings": findings})


def _lists(value):
    if isinstance(value, (list, tuple)):
        return [_lists(item) for item in value]
    return {key: _lists(item) for key, item in value.items()} if isinstance(value, dict) else value


def _finding(data):
    drawn = data.get("error_map")
    if drawn:
        cells = tuple(tuple(row) for row in drawn["cells"])
        drawn = ErrorMap(**{**drawn, "shape": tuple(drawn["shape"]), "block": tuple(drawn["block"]), "cells": cells})
    return Finding(**{**data, "alternatives": tuple(data.get("alternatives", ())), "error_map": drawn})
