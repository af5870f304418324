"""A text lesson (jupytext py:percent with short headers) becomes a notebook with full nbgrader v3 metadata."""

import hashlib
import re
from itertools import pairwise
from typing import Any

import jupytext

from zerohero.exercise import load

from ..errors import LessonError
from .stub import BEGIN, END, stub_source, written_stub

KERNEL = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}


def source_notebook(text: str, name: str, graded: bool = True) -> dict[str, Any]:
    """The instructor's notebook of lesson ``name`` as a plain dict in nbformat 4.5.

    Headers read: ``exercise="id"``, ``check="id" points=2``, ``predict="id"``, and on a text cell ``written="id" points=2``,
    a question that is answered in words and marked by a person. Raises LessonError, naming the line of
    the header, when ids are unknown, missing or used twice, or an exercise and its check do not stand together.
    ``graded=False`` is for a page without exercises, such as the start page.
    """
    try:
        parsed = jupytext.reads(text, fmt="py:percent")
    except Exception as error:
        raise LessonError(f"{name}: not a py:percent lesson: {error}") from None
    cells = [_cell(index, cell, name) for index, cell in enumerate(parsed.cells)]
    _insist_on_unique_ids(cells, name)
    if graded:
        _insist_on_order(cells, name)
    elif marked := [cell["id"] for cell in cells if "written" in cell["metadata"].get("zerohero", {})]:
        raise LessonError(f"{name}: this page is not graded, so it can hold no written answer {marked[0]!r}")
    return {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}


def _cell(index, parsed, name):
    known = {"exercise", "check", "predict", "written", "points"}
    header = {key: value for key, value in parsed.metadata.items() if key != "lines_to_next_cell"}
    if unknown := set(header) - known:
        raise LessonError(f"{name}: cell {index}: unknown header {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    cell: dict[str, Any] = {"cell_type": parsed.cell_type, "metadata": {}, "source": parsed.source}
    digest = hashlib.sha256(f"{name}|{index}|{parsed.source}".encode()).hexdigest()
    if "written" in header:
        return _written(cell, header, name)
    if parsed.cell_type != "code":
        if BEGIN in parsed.source or END in parsed.source:
            raise LessonError(f'{name}: cell {index} holds a solution but is no written answer: give it the header [markdown] written="..." points=N')
        return {**cell, "id": f"text-{digest[:12]}"}
    cell |= {"execution_count": None, "outputs": []}
    if "exercise" in header:
        starter = stub_source(parsed.source, header["exercise"])
        zerohero = {"exercise": header["exercise"], "starter": hashlib.sha256(starter.encode()).hexdigest()[:16]}
        return _graded(cell, f"{header['exercise']}-answer", zerohero, solution=True)
    if "check" in header:
        points = _points(header, f"{name}: check {header['check']!r}")
        cell["metadata"] |= {"deletable": False, "editable": False}
        return _graded(cell, header["check"], {"check": header["check"]}, solution=False, points=points)
    if BEGIN in parsed.source or END in parsed.source:
        raise LessonError(f'{name}: cell {index} holds a solution but is no exercise: give it the header exercise="..."')
    zerohero = {"predict": header["predict"]} if "predict" in header else {"given": True}
    cell["metadata"]["zerohero"] = zerohero
    return {**cell, "id": header.get("predict", f"given-{digest[:12]}")}


def _written(cell, header, name):
    """A cell that is answered in words: for nbgrader the answer and what is marked in one."""
    id = header["written"]
    if cell["cell_type"] != "markdown":
        raise LessonError(f'{name}: the written answer {id!r} is a code cell: begin it with `# %% [markdown] written="{id}"`')
    if {"exercise", "check", "predict"} & set(header):
        raise LessonError(f"{name}: the written answer {id!r} has the header of another kind of cell too")
    if not re.fullmatch(rf"{re.escape(name[:3])}-[a-z0-9]+(-[a-z0-9]+)*", str(id)):
        raise LessonError(f"{name}: the id of the written answer {id!r} must look like {name[:3]}-why-it-adds-up")
    starter = written_stub(cell["source"], id)
    zerohero = {"written": id, "starter": hashlib.sha256(starter.strip().encode()).hexdigest()[:16]}
    return _graded(cell, id, zerohero, solution=True, points=_points(header, f"{name}: the written answer {id!r}"))


def _points(header, whose):
    points = header.get("points")
    if not isinstance(points, (int, float)) or isinstance(points, bool) or points <= 0:
        raise LessonError(f"{whose} needs points=N, a number above 0")
    return float(points)


def _graded(cell, grade_id, zerohero, *, solution, points=None):
    nbgrader = {
        "cell_type": cell["cell_type"],
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        nbgrader["points"] = points
    cell["metadata"] |= {"nbgrader": nbgrader, "zerohero": zerohero}
    return {**cell, "id": grade_id}


def _insist_on_unique_ids(cells, name):
    seen = set()
    for cell in cells:
        if cell["id"] in seen:
            raise LessonError(f"{name}: {cell['id']!r} is used twice")
        seen.add(cell["id"])


def _insist_on_order(cells, name):
    """Every exercise of the module stands in the lesson, in registry order, each with its check right behind it."""
    exercises, questions = load(name)
    code = [cell["metadata"]["zerohero"] for cell in cells if cell["cell_type"] == "code"]
    written = [z["exercise"] for z in code if "exercise" in z]
    checks = [z["check"] for z in code if "check" in z]
    if written != list(exercises) or checks != list(exercises):
        for kind, found in (("exercise", written), ("check", checks)):
            if odd := [i for i in found if i not in exercises]:
                raise LessonError(f"{name}: {kind} {odd[0]!r} is not in zerohero.exercises.{name}")
            if absent := [i for i in exercises if i not in found]:
                raise LessonError(f"{name}: {kind} {absent[0]!r} has no cell in the lesson")
        raise LessonError(f"{name}: exercises and checks must stand in the order of zerohero.exercises.{name}: {', '.join(exercises)}")
    for before, after in pairwise(code):
        if "exercise" in before and after.get("check") != before["exercise"]:
            raise LessonError(f"{name}: the check of {before['exercise']!r} must be the next code cell")
    if unknown := [z["predict"] for z in code if "predict" in z and z["predict"] not in questions]:
        raise LessonError(f"{name}: question {unknown[0]!r} is not in zerohero.exercises.{name}")
