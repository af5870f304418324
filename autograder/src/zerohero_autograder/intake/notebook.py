"""Notebook JSON, nbformat 3 or 4, down to what grading needs: the kind, the source and the names of each cell.

Read by hand, not with nbformat: its validation takes seconds on a large file and stops at what does not matter here.
Outputs, execution counts, tags and all other metadata are never looked at.
"""

import json
from dataclasses import dataclass
from typing import Any

from ..errors import SubmissionUnreadable

MAX_CELLS = 10_000
MAX_SOURCE = 1_000_000  # characters in one code cell
MAX_SOURCES = 20_000_000  # characters in all cells together
MAX_NAME = 200


@dataclass(frozen=True)
class Cell:
    """One cell of a submission."""

    kind: str
    """"code" or "text"; markdown, raw and heading cells are all text."""
    source: str
    number: int
    """Its place in the student's notebook, from 1, text cells counted."""
    grade_id: str | None = None
    """nbgrader's name for it, or the one our own metadata gives it."""
    id: str | None = None


@dataclass(frozen=True)
class Submission:
    """All that is kept of a submitted notebook."""

    cells: tuple[Cell, ...]


def parse(data: bytes) -> Submission:
    """Raises SubmissionUnreadable for everything that is not a notebook, and nothing else."""
    notebook = _json(data)
    if not isinstance(notebook, dict):
        raise SubmissionUnreadable("the file is JSON, but not a notebook")
    version = notebook.get("nbformat")
    if type(version) is not int:
        raise SubmissionUnreadable("the file is JSON, but not a notebook: it does not say which notebook format it has")
    if version not in (3, 4):
        advice = "open it in a current JupyterLab and save it again" if version < 3 else "save it in notebook format 4 and hand it in again"
        raise SubmissionUnreadable(f"the notebook has format {_short(version)}; formats 3 and 4 are read: {advice}")
    found = _list(notebook.get("cells"), "cells") if version == 4 else _worksheets(notebook)
    if len(found) > MAX_CELLS:
        raise SubmissionUnreadable(f"the notebook has {len(found):,} cells; at most {MAX_CELLS:,} are read")
    cells = tuple(_cell(cell, number, version) for number, cell in enumerate(found, 1))
    total = sum(len(cell.source) for cell in cells)
    if total > MAX_SOURCES:
        raise SubmissionUnreadable(f"the cells hold {total:,} characters of text and code; at most {MAX_SOURCES:,} are read")
    return Submission(cells)


def _json(data):
    if not data.strip():
        raise SubmissionUnreadable("the file is empty: save the notebook and hand it in again")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SubmissionUnreadable(
            "the file is not text in UTF-8, so it is not a notebook as Jupyter saves it: open it in JupyterLab and save it again"
        ) from None
    try:
        return json.loads(text)
    except RecursionError:
        raise SubmissionUnreadable("the file is not a notebook: it is nested too deeply") from None
    except MemoryError:
        raise SubmissionUnreadable("the file is too large to read: clear all outputs, save, and hand it in again") from None
    except json.JSONDecodeError as error:
        where = "it ends in the middle, so it was cut off while it was saved or sent" if _cut_off(text, error.pos) else f"line {error.lineno}: {error.msg}"
        raise SubmissionUnreadable(f"the file is not a whole notebook ({where}): open it, save it, and hand it in again") from None
    except ValueError:  # a number of more digits than Python converts
        raise SubmissionUnreadable("the file is not a notebook: it holds a number of thousands of digits") from None


def _cut_off(text, position):
    text = text.strip()
    return text.startswith("{") and (not text.endswith("}") or position >= len(text) - 1)


def _worksheets(notebook):
    cells = []
    for sheet in _list(notebook.get("worksheets"), "worksheets"):
        if not isinstance(sheet, dict):
            raise SubmissionUnreadable("the notebook is damaged: a worksheet is not one")
        cells += _list(sheet.get("cells"), "cells")
    return cells


def _list(value, name):
    if not isinstance(value, list):
        raise SubmissionUnreadable(f"the notebook is damaged: it has no list of {name}. Open it in JupyterLab, save it, and hand it in again")
    return value


def _cell(cell, number, version):
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        raise SubmissionUnreadable(f"the notebook is damaged at cell {number}: it is not a cell. Open it in JupyterLab, save it, and hand it in again")
    kind = "code" if cell["cell_type"] == "code" else "text"
    source = cell.get("input", cell.get("source")) if version == 3 and kind == "code" else cell.get("source")
    source = "" if source is None else source
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise SubmissionUnreadable(f"the notebook is damaged at cell {number}: its source is not text")
    if len(source) > MAX_SOURCE and kind == "text":
        source = ""  # Colab keeps pasted pictures in the text of a cell; nothing is taken of it anyhow
    if len(source) > MAX_SOURCE:
        raise SubmissionUnreadable(f"cell {number} holds {len(source):,} characters; at most {MAX_SOURCE:,} are read")
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    # Colab writes format 4.0, which has no ids, and keeps them in the metadata
    return Cell(kind, clean(source), number, _grade_id(metadata), _name(cell.get("id")) or _name(metadata.get("id")))


def _grade_id(metadata):
    for key, names in (("nbgrader", {"grade_id": "{}"}), ("zerohero", {"check": "{}", "exercise": "{}-answer", "predict": "{}", "written": "{}"})):
        part = metadata.get(key)
        for field, form in names.items() if isinstance(part, dict) else ():
            name = _name(part.get(field))
            if name:
                return form.format(name)
    return None


def _name(value: Any) -> str | None:
    return clean(value) if isinstance(value, str) and 0 < len(value) <= MAX_NAME else None


def _short(number):
    return str(number) if abs(number) < 1000 else "of a large number"


def clean(text: str) -> str:
    """Text that can be written as UTF-8: a lone half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
