"""An error map as characters: where an array is wrong, at a glance and without colour."""

import math

import numpy as np

from ..gradcheck.error_map import as_array, coarser, split_axis
from ..report import ErrorMap

ROWS, WIDTH = 20, 60
RIGHT, WHOLE, NOT_FINITE = ".", "#", "!"
LISTED = 4  # indices of one axis that are said one by one: dw[[1, 4], :]


def sentence(drawn: ErrorMap) -> str:
    """Where it is wrong, in the notation of NumPy: "only `dw[2, :]` is wrong". Of square arrays also the diagonal."""
    wrong = as_array(drawn) != 0.0  # so is NaN
    name, whole = drawn.of, drawn.block == (1, 1)
    if wrong.all():
        return f"all of `{name}` is wrong" if whole else f"`{name}` is wrong in every part"
    if len(drawn.shape) == 2 and drawn.shape[0] == drawn.shape[1] and whole:
        diagonal = np.eye(len(wrong), dtype=bool)
        if (wrong == diagonal).all():
            return f"only the diagonal of `{name}` is wrong"
        if (wrong == ~diagonal).all():
            return f"only the diagonal of `{name}` is right"
    index, filled = _box(drawn, wrong)
    if filled:
        place = f"`{name}[{', '.join(index)}]`"
        return f"only {place} is wrong" if whole else f"`{name}` is wrong only within {place}"
    index, _ = _box(drawn, wrong, spans_only=True)
    share = f"{int(wrong.sum())} of {wrong.size} {'elements' if whole else 'parts'}"
    return f"`{name}` is wrong in {share}" + ("" if set(index) == {":"} else f", all within `{name}[{', '.join(index)}]`")


def _box(drawn, wrong, spans_only=False):
    """(NumPy's index of a box that holds all that is wrong, axis by axis; whether all in it is wrong)."""
    axis, step = split_axis(drawn)
    *lead, columns = drawn.shape
    split = [*lead[: axis + 1], columns]  # the axes that run along the map; those between are whole
    steps = [*[1] * (len(split) - 1), drawn.block[1]]
    if lead:
        steps[-2] = step
    grid = wrong.reshape([math.ceil(length / per) for length, per in zip(split, steps, strict=True)])
    index, chosen = [], []
    for at, (length, per) in enumerate(zip(split, steps, strict=True)):
        used = np.flatnonzero(grid.any(axis=tuple(other for other in range(grid.ndim) if other != at)))
        said = _span(used, per, length)
        if not spans_only and np.any(np.diff(used) > 1):  # gaps
            said = _spread(used.tolist(), length, can_list=not any(i.startswith("[") for i in index)) if per == 1 else ":"
        index.append(said)
        chosen.append(range(grid.shape[at]) if said == ":" else used)
    return [*index[:-1], *[":"] * (len(lead) - axis - 1 if lead else 0), index[-1]], bool(grid[np.ix_(*chosen)].all())


def _span(used, per, length):
    """The first to the last of the cells ``used``, ``per`` elements each, of an axis of ``length``, as NumPy's index."""
    start, stop = int(used[0]) * per, min((int(used[-1]) + 1) * per, length)
    if stop - start == 1 < length:
        return str(start)
    return f"{start or ''}:{stop if stop < length else ''}"


def _spread(used, length, can_list):
    """Indices with gaps between, as NumPy's index: every n-th, or a list when they are few; ":" when neither."""
    strides = set(np.diff(used).tolist())
    if len(strides) == 1 and len(used) > 2:
        (stride,) = strides
        return f"{used[0] or ''}:{used[-1] + 1 if used[-1] + stride < length else ''}:{stride}"
    return str(used) if can_list and len(used) <= LISTED else ":"


def drawing(drawn: ErrorMap, rows: int = ROWS, width: int = WIDTH) -> tuple[list[tuple[str, str]], str]:
    """(the map, its key): at most ``rows`` lines (index, one character a cell), ``width`` wide together, and what the characters mean.

    Both are empty where every cell is wrong: then the sentence has said it.
    """
    if all(cell != 0.0 for row in drawn.cells for cell in row):
        return [], ""
    drawn = coarser(drawn, rows, width)
    labels = row_names(drawn)
    margin = max(map(len, labels)) + 2 if any(labels) else 0
    drawn = coarser(drawn, rows, width - margin)
    gap = " " if margin + 2 * len(drawn.cells[0]) <= width else ""  # with a gap, a cell is about as wide as it is high
    lines = [(label.ljust(margin), gap.join(map(_mark, row))) for label, row in zip(labels, drawn.cells, strict=True)]
    return lines, _key(drawn)


def row_names(drawn: ErrorMap) -> list[str]:
    """The index of each row: [2], or [1, 0, 4:8] for indices 4 to 7 of the third axis; "" where there is no axis but the last."""
    lead = drawn.shape[:-1]
    if not lead:
        return [""]
    axis, step = split_axis(drawn)
    return [f"[{', '.join([*map(str, outer), span])}]" for outer in np.ndindex(*lead[:axis]) for span in _spans(lead[axis], step)]


def column_names(drawn: ErrorMap) -> list[str]:
    """The index of each column: 2, or 4:8."""
    return _spans(drawn.shape[-1] if drawn.shape else 1, drawn.block[1])


def _spans(length, step):
    ends = [(start, min(start + step, length)) for start in range(0, length, step)]
    return [f"{start}:{stop}" if stop - start > 1 else str(start) for start, stop in ends]


def _mark(cell):
    """One character: the power of ten of an error below 1."""
    if cell is None:
        return NOT_FINITE
    if cell == 0.0:
        return RIGHT
    return WHOLE if cell >= 1 else str(min(9, -int(f"{cell:e}".partition("e")[2])))


def _key(drawn):
    """What the characters that occur stand for."""
    marks = {_mark(cell) for row in drawn.cells for cell in row}
    sizes = [(m, f"{100 if m == WHOLE else 100 / 10 ** int(m):.10g}%") for m in (WHOLE, *"123456789") if m in marks]
    shares = [f"{m} is off by at least {size} of the largest expected value" if n == 0 else f"{m} by {size}" for n, (m, size) in enumerate(sizes)]
    parts = [f"{RIGHT} is right"] if RIGHT in marks else []
    parts += [", ".join(shares)] if shares else []
    parts += [f"{NOT_FINITE} is NaN or infinite"] if NOT_FINITE in marks else []
    down, across = drawn.block
    parts += [f"each character is the worst of {down} x {across} elements"] if down * across > 1 else []
    return "; ".join(parts)
