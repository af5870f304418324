"""What a view is made of, and its JSON form (schema 1, docs/views.md).

A View says where everything lies, in px, x to the right and y down; the browser and ``still`` only carry it out. Marks are
plain dicts, made by the functions below; coordinates are rounded to a tenth of a px. What the browser would refuse raises
ValueError here already: coordinates that are not finite (``chart`` leaves them out), a line of one point, labels that do not fit.
"""

import math
from collections.abc import Iterable
from collections.abc import Sequence as Many
from dataclasses import dataclass
from typing import Any

from .palette import LEVELS, LOOKS

SCHEMA = 1
MIME = "application/vnd.zerohero.view+json"
TEXT = 80  # characters of a label that are kept

Mark = dict[str, Any]


@dataclass(frozen=True)
class Table:
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_json(self) -> dict[str, Any]:
        if odd := [row for row in self.rows if len(row) != len(self.columns)]:
            raise ValueError(f"a row of {len(odd[0])} cells in a table of {len(self.columns)} columns")
        return {"caption": plain(self.caption), "columns": [*map(plain, self.columns)], "rows": [[*map(plain, row)] for row in self.rows]}


@dataclass(frozen=True)
class Frame:
    """What is drawn at one step, on top of the marks of the view."""

    label: str
    """Short, for the slider: "step 40"."""
    says: str
    """One sentence, shown below the picture and read aloud."""
    marks: tuple[Mark, ...] = ()
    table: Table | None = None
    """In place of the table of the view."""


@dataclass(frozen=True)
class Steps:
    """Frames that follow each other: training steps, attention heads, rows."""

    name: str
    frames: tuple[Frame, ...]
    start: int = 0
    """The frame shown first; the still picture shows it too."""


@dataclass(frozen=True)
class View:
    kind: str
    title: str
    summary: str
    """The main thing in one sentence, for whoever does not see the picture."""
    width: float
    height: float
    marks: tuple[Mark, ...] = ()
    steps: tuple[Steps, ...] = ()
    table: Table | None = None
    actions: tuple[tuple[str, str], ...] = ()
    """(name, label) of buttons that are shown while a kernel answers."""

    def to_json(self) -> dict[str, Any]:
        """The dict that the browser gets."""
        made: dict[str, Any] = {
            "schema": SCHEMA,
            "kind": self.kind,
            "title": plain(self.title),
            "summary": plain(self.summary, 400),
            "width": _px(self.width),
            "height": _px(self.height),
            "marks": [*self.marks],
            "sequences": [_steps(steps) for steps in self.steps],
        }
        if self.table is not None:
            made["table"] = self.table.to_json()
        if self.actions:
            made["actions"] = [{"name": name, "label": label} for name, label in self.actions]
        return made


def _steps(steps):
    if steps.frames and not 0 <= steps.start < len(steps.frames):
        raise ValueError(f"start {steps.start} of {len(steps.frames)} frames")
    frames = []
    for frame in steps.frames:
        frames.append({"says": plain(frame.says, 400), "marks": [*frame.marks]})
        if frame.table is not None:
            frames[-1]["table"] = frame.table.to_json()
    return {"name": plain(steps.name), "labels": [plain(frame.label) for frame in steps.frames], "frames": frames, "start": steps.start}


def plain(text: Any, longest: int = TEXT) -> str:
    """Text fit to be shown: one line, no control characters, at most ``longest`` characters.

    Labels may be the student's own, or a token of a data set; what is not to be seen is shown as its name: "\\n", "\\x00".
    """
    text = str(text)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _px(number):
    if not math.isfinite(number):
        raise ValueError(f"{number} is no place in a picture")
    rounded = round(float(number), 1)
    return int(rounded) if rounded.is_integer() else rounded


def _flat(points, least=0):
    flat = [_px(number) for point in points for number in point]
    if len(flat) < least * 2:
        raise ValueError(f"{len(flat) // 2} point{'s' * (len(flat) != 2)} where at least {least} are needed")
    return flat


def _labelled(mark, labels, count):
    labels = [*map(plain, labels)]
    if labels and len(labels) != count:
        raise ValueError(f"{len(labels)} labels for {count} {mark['mark']}")
    return {**mark, "labels": labels} if labels else mark


def _known(look):
    if look not in LOOKS:
        raise ValueError(f"there is no look {look!r}; there are {', '.join(LOOKS)}")
    return look


# ---- marks -----------------------------------------------------------------------------------------------------------

Points = Iterable[tuple[float, float]]


def line(points: Points, look: str = "ink", width: float = 1.5) -> Mark:
    return {"mark": "line", "points": _flat(points, 2), "look": _known(look), "width": width}


def area(points: Points, look: str = "series0") -> Mark:
    """A closed outline, filled half transparent."""
    return {"mark": "area", "points": _flat(points, 3), "look": _known(look)}


def arrow(points: Points, look: str = "ink", width: float = 1.5) -> Mark:
    """From tail to head."""
    return {"mark": "arrow", "points": _flat(points, 2), "look": _known(look), "width": width}


def dots(points: Points, look: str = "series0", r: float = 4.0, labels: Many[str] = ()) -> Mark:
    """labels: one for each dot, shown when it is pointed at."""
    made: Mark = {"mark": "dots", "points": _flat(points), "look": _known(look), "r": _px(r)}
    return _labelled(made, labels, len(made["points"]) // 2)


def rects(boxes: Iterable[tuple[float, float, float, float]], look: str = "series0", labels: Many[str] = ()) -> Mark:
    """boxes: x, y of the upper left corner, width, height."""
    made: Mark = {"mark": "rects", "boxes": _flat(boxes), "look": _known(look)}
    return _labelled(made, labels, len(made["boxes"]) // 4)


def text(x: float, y: float, words: str, anchor: str = "start", look: str = "ink", size: float = 12, bold: bool = False, turned: bool = False) -> Mark:
    """y is the baseline; a turned text reads upwards."""
    made: Mark = {"mark": "text", "x": _px(x), "y": _px(y), "text": plain(words), "anchor": anchor, "look": _known(look), "size": size}
    return {**made, **({"bold": True} if bold else {}), **({"turned": True} if turned else {})}


def cells(
    x: float,
    y: float,
    size: tuple[float, float],
    levels: Many[Many[int | None]],
    values: Many[Many[str]],
    *,
    rows: Many[str],
    heads: Many[str],
    scale: str = "sequential",
    shown: bool = False,
    selects: str = "",
) -> Mark:
    """A matrix. size: (width, height) of a cell. levels: rows of 0..8, or of -8..8 with scale "diverging"; None: not a finite number.

    values: what each cell says; shown: drawn in the cells too. rows, heads: what rows and columns are called. selects: the name of
    the Steps whose frame r is shown when a cell of row r is chosen.
    """
    low = -LEVELS if scale == "diverging" else 0
    if any(level is not None and not low <= level <= LEVELS for row in levels for level in row):
        raise ValueError(f"levels of {scale} cells go from {low} to {LEVELS}")
    for numbers in (levels, values):
        if len(numbers) != len(rows) or any(len(row) != len(heads) for row in numbers):
            raise ValueError(f"cells need one level and one value for each of {len(rows)} rows and {len(heads)} columns")
    made: Mark = {
        "mark": "cells", "x": _px(x), "y": _px(y), "width": _px(size[0]), "height": _px(size[1]), "columns": len(heads), "scale": scale,
        "levels": [level for row in levels for level in row], "values": [plain(value, 24) for row in values for value in row],
        "rows": [*map(plain, rows)], "heads": [*map(plain, heads)],
    }  # fmt: skip
    return {**made, **({"shown": True} if shown else {}), **({"selects": selects} if selects else {})}


def handle(name: str, x: float, y: float, value: float, low: float, high: float, span: tuple[float, float], along: str = "x", log: bool = False) -> Mark:
    """What can be dragged while a kernel answers. span: px of ``low`` and of ``high`` on the axis ``along``."""
    return {"mark": "handle", "name": name, "x": _px(x), "y": _px(y), "along": along, "value": float(value), "from": float(low), "to": float(high), "span": [*map(_px, span)], "log": log}  # fmt: skip
