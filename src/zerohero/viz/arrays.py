"""An array as it is: every number in its cell, matrix after matrix.

array(C)            # (27, 10): one matrix
array(attention)    # (heads, T, T): one matrix for each head, to step through
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import still
from .chart import number
from .matrix import MOST, matrix, room
from .scene import Frame, Steps, Table, View, text

CELLS = 8192  # cells in all frames together: above, the JSON of the view is larger than 100 kB
TABLE = 400  # cells of a matrix whose numbers stand in the table as well; above, the table holds a row of figures for each row


def numbers_of(values: Any, called: str) -> np.ndarray:
    """``values`` as an array of floats, ints or bools: NumPy array, torch tensor, number, or lists of numbers of equal lengths.

    Raises WrongObject, which names the parameter ``called``, for anything else.
    """
    if hasattr(values, "detach"):  # a torch tensor, and torch need not be imported to see it
        values = values.detach().cpu()
        values = (values.float() if "bfloat16" in str(values.dtype) else values).numpy()
    try:
        found = np.asarray(values)
    except (ValueError, TypeError):
        raise WrongObject(f"`{called}` has rows of different lengths, or holds what is no number: it must be an array of numbers") from None
    if found.dtype.kind not in "fiub":
        what = "complex numbers: look at their real part, or at abs()" if found.dtype.kind == "c" else f"{type(values).__name__} of dtype {found.dtype}"
        raise WrongObject(f"`{called}` is {what}; it must be an array of floats, ints or bools")
    return found


def array(values: Any, name: str = "array", rows: Sequence[str] | None = None, heads: Sequence[str] | None = None) -> None:
    """Show an array of any number of axes; the last two are rows and columns, the others are stepped through.

    array(W, "W", heads=["a", "b", "c"])

    values: floats, ints or bools; NumPy, torch or lists. rows, heads: what rows and columns are called; their numbers by default.
    Raises WrongObject when it holds no numbers, or rows or heads do not fit.
    """
    still.show(array_view(values, name, rows, heads))


def array_view(values: Any, name: str = "array", rows: Sequence[str] | None = None, heads: Sequence[str] | None = None) -> View:
    """As array(), as a View. At most MOST rows and columns of a matrix, and CELLS cells in all, are drawn; the summary says so."""
    found = numbers_of(values, "values")
    stack = found.reshape(1, 1) if found.ndim == 0 else found[None] if found.ndim == 1 else found
    outer, (height, width) = stack.shape[:-2], stack.shape[-2:]
    rows = _names(rows, height, "rows", [name] if found.ndim < 2 else None)
    heads = _names(heads, width, "heads", [""] if found.ndim == 0 else None)
    total = math.prod(outer)
    if not found.size:
        return View("array", name, f"{_kind(found)}: there is nothing in it.", 320, 40, (text(8, 24, "an empty array"),))
    height, width = min(height, MOST), min(width, MOST)
    drawn = min(total, max(1, CELLS // (height * width)), MOST)
    stack = stack.reshape(total, *stack.shape[-2:])[:drawn, :height, :width]
    cut = [f"the first {height} of {len(rows)} rows"] * (height < len(rows)) + [f"the first {width} of {len(heads)} columns"] * (width < len(heads))
    cut += [f"the first {drawn} of {total} matrices"] * (drawn < total)
    rows, heads = rows[:height], heads[:width]
    summary = f"{_kind(found)}, {_range(found)}." + (f" Drawn: {', '.join(cut)}." if cut else "")
    draw = _Draw(stack, rows, heads)
    labels = [f"[{', '.join(map(str, place))}]" for place in np.ndindex(*outer)][:drawn] if outer else [name]
    frames = tuple(Frame(label, f"{name}{label if outer else ''}: {_range(one)}.", tuple(draw.marks(one)), draw.table(one)) for label, one in zip(labels, stack, strict=True))  # fmt: skip
    return View("array", name, summary, *draw.size, steps=(Steps("matrix" if len(outer) == 1 else "place", frames),))


class _Draw:
    """All matrices of one stack are drawn on one scale."""

    def __init__(self, stack: np.ndarray, rows: Sequence[str], heads: Sequence[str]):
        self.rows, self.heads = rows, heads
        finite = np.isfinite(stack)
        self.top = float(np.max(np.abs(stack.astype(float)), initial=0.0, where=finite))
        self.scale = "diverging" if np.any(stack < 0, where=finite) else "sequential"
        said = [_said(value) for value in stack.ravel().tolist()]
        longest = max(map(len, said))
        self.shown = len(rows) * len(heads) <= TABLE and len(heads) <= 16  # there is room for the numbers themselves
        wide = max(16.0, longest * 7.5 + 6) if self.shown else 14.0
        self.cell = (wide, 22.0 if self.shown else 14.0)
        left, above = room(rows, heads, wide)
        self.at = (left + 4, above + 4)
        # names of columns may stand out to the right: half of the last one, or a turned one's height
        self.size = (max(left + 4 + len(heads) * wide + 24, 320.0), above + 4 + len(rows) * self.cell[1] + 8)

    def marks(self, one):
        words = [[_said(value) for value in row] for row in one.tolist()]
        return matrix(one, self.rows, self.heads, at=self.at, size=self.cell, scale=self.scale, top=self.top, words=words, shown=self.shown)

    def table(self, one):
        if one.size <= TABLE:
            return Table("values", ("row", *self.heads), tuple((name, *map(_said, row)) for name, row in zip(self.rows, one.tolist(), strict=True)))
        return Table("figures of each row", ("row", "lowest", "highest", "not finite"), tuple((name, *_figures(row)) for name, row in zip(self.rows, one, strict=True)))  # fmt: skip


def _said(value):
    return str(value) if isinstance(value, (bool, int)) else number(value)


def _figures(values):
    """(lowest, highest, how many are not finite), as they are said."""
    finite = values[np.isfinite(values)]
    low, high = (_said(finite.min().item()), _said(finite.max().item())) if finite.size else ("none", "none")
    return low, high, str(values.size - finite.size)


def _range(values):
    if values.dtype == bool:
        return f"{int(values.sum()):,} of {values.size:,} are True"
    low, high, _ = _figures(values)
    missing = [f"{int(count):,} {what}" for count, what in ((np.isnan(values).sum(), "NaN"), (np.isinf(values).sum(), "infinite")) if count]
    return f"from {low} to {high}" + (f", {' and '.join(missing)}" if missing else "")


def _kind(found):
    return f"{found.dtype} of shape ({', '.join(map(str, found.shape))}{',' * (found.ndim == 1)})"


def _names(names, count, called, default):
    if names is None:
        return default if default is not None and len(default) == count else [str(n) for n in range(count)]
    names = [str(name) for name in names]
    if len(names) != count:
        raise WrongObject(f"`{called}` has {len(names)} names for {count} {'columns' if called == 'heads' else 'rows'}: it needs one for each")
    return names
