"""The error map against figures by hand, and its blocks against a loop over every element."""

import itertools
import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from zerohero.gradcheck.error_map import coarser, error_map, split_axis

INF, NAN = math.inf, math.nan

CASES = {
    "a number": (4.0, 5.0, ((0.25,),)),
    "one row": ([1.0, -2.0, 4.0], [1.0, 2.0, 4.0], ((0.0, 1.0, 0.0),)),
    "rows and columns": ([[1.0, 2.0], [0.0, -10.0]], [[1.0, 2.5], [3.0, -10.0]], ((0.0, 0.05), (0.3, 0.0))),
    "two digits": ([3.0], [4.0], ((0.33,),)),
    "as good as right": ([1.0, 2.0], [1.0 + 1e-6, 3.0], ((0.0, 0.5),)),
    "expected is 0 throughout": ([0.0, 0.0], [1e-9, 7.0], ((0.0, 1e99),)),
    "not finite": ([1.0, 2.0, 4.0], [NAN, -INF, 3.0], ((None, None, 0.25),)),
    "not finite on both sides": ([INF, NAN, 2.0, INF], [INF, NAN, 1.0, -INF], ((0.0, 0.0, 0.5, None),)),
    "more than JSON can hold": ([1e-300, 0.0], [1e300, 0.0], ((1e99, 0.0),)),
    "integers came back": ([1.5, 2.0], np.array([1, 2]), ((0.25, 0.0),)),
}


@pytest.mark.parametrize("case", CASES)
def test_cells_worked_by_hand(case):
    expected, actual, cells = CASES[case]
    drawn = error_map("dx", expected, actual)
    assert (drawn.of, drawn.shape, drawn.block, drawn.cells) == ("dx", np.shape(expected), (1, 1), cells)
    json.dumps(asdict(drawn), allow_nan=False)


@pytest.mark.parametrize(
    "expected, actual",
    [([1.0], [1.0]), ([], []), ([1.0, 2.0], [1.0]), ([1.0], [1j]), ([1.0], ["up"]), ([1.0], [None]), ([0.0], [1e-9])],
    ids=["right", "empty", "another shape", "complex", "strings", "objects", "right but for noise, where all is 0"],
)
def test_nothing_to_draw(expected, actual):
    assert error_map("dx", expected, actual) is None


SHAPES = [(64, 64), (65, 65), (200, 300), (8, 3, 5, 5), (2, 127, 5), (1000, 2, 2, 2), (3, 4, 100, 7), (70, 1, 3), (5, 1, 1), (1, 1, 5), (130,)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("most", [(64, 64), (20, 30), (7, 3), (1, 1)], ids=str)
def test_every_element_is_in_the_cell_that_its_index_says(shape, most):
    """Oracle: one wrong element at a time; its cell, by the words of ErrorMap, is the only one that is not 0."""
    rng = np.random.RandomState(0)
    lead = shape[:-1] or (1,)
    for index in [(0,) * len(shape), tuple(n - 1 for n in shape), *(tuple(rng.randint(n) for n in shape) for _ in range(5))]:
        expected = np.ones(shape)
        actual = expected.copy()
        actual[index] = 1.5
        drawn = coarser(error_map("dx", expected, actual), *most)
        assert len(drawn.cells) <= most[0] and len(drawn.cells[0]) <= most[1]
        axis, step = split_axis(drawn)
        rows = list(itertools.product(*(range(n) for n in lead[:axis]), range(math.ceil(lead[axis] / step))))
        here = index[:-1] or (0,)
        row, column = rows.index((*here[:axis], here[axis] // step)), index[-1] // drawn.block[1]
        assert len(rows) == len(drawn.cells)
        assert {(r, c): v for r, line in enumerate(drawn.cells) for c, v in enumerate(line) if v} == {(row, column): 0.5}


def test_a_block_holds_its_worst():
    expected, actual = np.ones((128, 3)), np.ones((128, 3))
    actual[10:13, 1] = 1.25, 1.5, NAN
    cells = error_map("dx", expected, actual).cells
    assert cells[5] == (0.0, 0.5, 0.0) and cells[6] == (0.0, None, 0.0)
    assert coarser(error_map("dx", expected, actual), 1, 3).cells == ((0.0, None, 0.0),)


def test_the_largest_map_is_short_as_json():
    rng = np.random.RandomState(0)
    drawn = error_map("dx", rng.randn(64, 64), rng.randn(64, 64))
    assert len(json.dumps(asdict(drawn), separators=(",", ":"))) < 30_000


def test_the_same_arrays_give_the_same_map_and_are_left_alone():
    expected, actual = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4).T.copy().reshape(3, 4)
    before = expected.tobytes(), actual.tobytes()
    assert error_map("dx", expected, actual) == error_map("dx", expected, actual)
    assert before == (expected.tobytes(), actual.tobytes())
