"""Where an array is wrong: its relative errors as at most 64 by 64 cells."""

import math
from typing import Any

import numpy as np

from ..report import ErrorMap

MOST = 64
RIGHT = 1e-6  # relative to the largest |expected|; a slope measured in float64 and a gradient returned in float32 are both good to this
LARGEST = 1e99  # JSON has no infinity


def error_map(of: str, expected: Any, actual: Any, *, right: float = RIGHT) -> ErrorMap | None:
    """The map of |actual - expected| / max |expected|, or None when there is nothing to draw.

    of       : the array, as the student calls it
    expected : numbers of any shape, empty excepted; the last axis runs across, all others down
    actual   : numbers of the same shape
    right    : relative errors up to this are written as 0.0

    None for an empty array, another shape, what is not real numbers, and when no element is wrong. An element that is NaN
    or infinite where ``expected`` is not (or the reverse) is None. Cells are rounded to two digits and capped at 1e99; they
    are 1e99 where ``expected`` is 0 throughout and ``actual`` is further from it than ``right``.

    Above 64 rows or columns a cell stands for a block and holds its worst. Blocks keep to one index of every axis before
    the one they split, and take the axes after it whole: for shape (30, 2, 5, 5), a row of cells is one index [i, j] and
    the five rows of that 5 by 5 kernel.
    """
    true, got = _numbers(expected), _numbers(actual)
    if true is None or got is None or true.shape != got.shape or not true.size:
        return None
    error, wrong = relative_errors(true, got, right)
    error[~wrong] = 0.0
    if not wrong.any():
        return None
    lead, columns = _matrix(true.shape)
    cells, axis, step, across = _fold(error.reshape(-1, columns), lead, MOST, MOST)
    return ErrorMap(of, true.shape, (step * math.prod(lead[axis + 1 :]), across), _rounded(cells))


def relative_errors(expected: np.ndarray, actual: np.ndarray, right: float = RIGHT) -> tuple[np.ndarray, np.ndarray]:
    """(|actual - expected| / max |expected|, which elements are wrong): float64 and bool arrays of the shape that both have.

    expected, actual : float64 arrays. Errors are capped at 1e99 and NaN where one of the two is not finite, unless they are the same.
    Where ``expected`` is 0 throughout, what is not further from it than ``right`` is right, and its error is the distance.
    """
    finite = np.isfinite(expected)
    scale = float(np.max(np.abs(expected), initial=0.0, where=finite))
    with np.errstate(all="ignore"):
        distance = np.abs(actual - expected)
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        close = distance <= right * (scale or 1.0)
        error = np.array(np.minimum(distance / scale if scale else np.where(close, distance, LARGEST), LARGEST))
    error[~(finite & np.isfinite(actual))] = np.nan
    error[same] = 0.0
    return error, np.asarray(~(same | close))


def in_blocks(array: np.ndarray, of: str, rows: int, columns: int) -> tuple[np.ndarray, ErrorMap]:
    """(the array as blocks[row, column, element], a map without errors that says which elements these are), as error_map() divides it.

    array : at least one element. Blocks at the end are filled up with 0.
    """
    lead, across = _matrix(array.shape)
    parts, axis, step, wide = _blocks(array.reshape(-1, across), lead, rows, columns)
    outer, down, _, right, _ = parts.shape
    nothing = ErrorMap(of, array.shape, (step * math.prod(lead[axis + 1 :]), wide), ((0.0,) * right,) * (outer * down))
    return parts.transpose(0, 1, 3, 2, 4).reshape(outer * down, right, -1), nothing


def coarser(drawn: ErrorMap, rows: int, columns: int) -> ErrorMap:
    """The map in at most ``rows`` by ``columns`` cells."""
    split, held = split_axis(drawn)
    lead, _ = _matrix(drawn.shape)
    cells, axis, step, across = _fold(as_array(drawn), (*lead[:split], math.ceil(lead[split] / held)), rows, columns)
    if axis == split:
        step = min(step * held, lead[split])
    return ErrorMap(drawn.of, drawn.shape, (step * math.prod(lead[axis + 1 :]), across * drawn.block[1]), _rounded(cells))


def split_axis(drawn: ErrorMap) -> tuple[int, int]:
    """(axis, indices of it in one row of cells): a row is one index of each axis before that one, and all of those after."""
    lead, _ = _matrix(drawn.shape)
    axis, step = len(lead) - 1, drawn.block[0]
    while axis > 0 and step >= lead[axis]:
        step //= lead[axis]
        axis -= 1
    return axis, step


def as_array(drawn: ErrorMap) -> np.ndarray:
    """The cells as float64, NaN where they are None."""
    return np.array(drawn.cells, dtype=np.float64)


def _numbers(value):
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind in "fiub" else None


def _matrix(shape):
    """(lengths of the axes that run down, number of columns)."""
    return shape[:-1] or (1,), shape[-1] if shape else 1


def _fold(error, lead, most_rows, most_columns):
    """(cells, the axis that is split, indices of it in one cell, columns in one cell)."""
    parts, axis, step, across = _blocks(error, lead, most_rows, most_columns)
    return parts.max(axis=(2, 4)).reshape(-1, parts.shape[3]), axis, step, across


def _blocks(error, lead, most_rows, most_columns):
    """As _fold, with the elements of each cell: [outer axes, blocks down, elements down, blocks across, elements across]."""
    axis, outer = 0, 1
    while axis < len(lead) - 1 and outer * lead[axis] <= most_rows:
        outer *= lead[axis]
        axis += 1
    columns, inner = error.shape[1], math.prod(lead[axis + 1 :])
    step, across = math.ceil(lead[axis] / (most_rows // outer)), math.ceil(columns / most_columns)
    # zeros at the end, so that all blocks are whole
    blocks = np.pad(error.reshape(outer, lead[axis], inner, columns), [(0, 0), (0, -lead[axis] % step), (0, 0), (0, -columns % across)])
    down, right = blocks.shape[1] // step, blocks.shape[3] // across
    return blocks.reshape(outer, down, step * inner, right, across), axis, step, across


def _rounded(cells):
    return tuple(tuple(None if math.isnan(cell) else float(f"{cell:.2g}") for cell in row) for row in cells.tolist())
