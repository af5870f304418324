"""Arrays cell by cell, and view(), which picks the view that fits."""

import json
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

import zerohero
from zerohero.errors import WrongObject
from zerohero.recipe import lr_range_test
from zerohero.viz import array
from zerohero.viz.arrays import CELLS, array_view
from zerohero.viz.choose import KINDS
from zerohero.viz.still import bundle


def cells(view, frame=0):
    return next(mark for mark in view.steps[0].frames[frame].marks if mark["mark"] == "cells")


def test_each_number_stands_in_its_cell():
    view = array_view([[1, -2, 3], [4, 5, -6]], "W", rows=["up", "down"], heads="abc")
    assert cells(view)["values"] == ["1", "-2", "3", "4", "5", "-6"] and cells(view)["shown"]
    assert cells(view)["levels"] == [1, -3, 4, 5, 7, -8] and cells(view)["scale"] == "diverging"
    assert view.steps[0].frames[0].table.rows == (("up", "1", "-2", "3"), ("down", "4", "5", "-6"))
    assert (view.title, view.summary) == ("W", "int64 of shape (2, 3), from -6 to 5.")


@pytest.mark.parametrize(
    "values, frames, shape, summary",
    [
        (np.float32(3.5), ["array"], (1, 1), "float32 of shape (), from 3.5 to 3.5."),
        (np.arange(4), ["array"], (1, 4), "int64 of shape (4,), from 0 to 3."),
        ([True, False, True], ["array"], (1, 3), "bool of shape (3,), 2 of 3 are True."),
        (np.zeros((3, 2, 5)), ["[0]", "[1]", "[2]"], (2, 5), "float64 of shape (3, 2, 5), from 0 to 0."),
        (np.zeros((2, 2, 1, 1)), ["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"], (1, 1), "float64 of shape (2, 2, 1, 1), from 0 to 0."),
        (np.array([1.0, np.nan, np.inf, -np.inf, 2.0]), ["array"], (1, 5), "float64 of shape (5,), from 1 to 2, 1 NaN and 2 infinite."),
        (np.array([np.nan]), ["array"], (1, 1), "float64 of shape (1,), from none to none, 1 NaN."),
        (np.array([1e308, -1e308]), ["array"], (1, 2), "float64 of shape (2,), from -1e+308 to 1e+308."),
        (np.array([2**64 - 1], dtype=np.uint64), ["array"], (1, 1), "uint64 of shape (1,), from 18446744073709551615 to 18446744073709551615."),
        (np.zeros((300, 100), np.float32), ["array"], (64, 64), "Drawn: the first 64 of 300 rows, the first 64 of 100 columns."),
        (np.zeros((9, 64, 64)), ["[0]", "[1]"], (64, 64), "Drawn: the first 2 of 9 matrices."),
    ],
    ids=lambda value: str(getattr(value, "shape", ""))[:20],
)
def test_any_shape_and_dtype(values, frames, shape, summary):
    view = array_view(values)
    assert [frame.label for frame in view.steps[0].frames] == frames
    assert (len(cells(view)["rows"]), len(cells(view)["heads"])) == shape
    assert view.summary.endswith(summary)
    assert len(json.dumps(view.to_json(), allow_nan=False)) < CELLS * 16
    bundle(view)


def test_what_is_not_finite_has_no_level_and_is_said():
    mark = cells(array_view([1.0, np.nan, -np.inf]))
    assert mark["levels"] == [8, None, None] and mark["values"] == ["1", "nan", "-inf"]


def test_all_matrices_of_a_stack_share_one_scale():
    view = array_view(np.array([[[1.0]], [[2.0]]]))
    assert [cells(view, n)["levels"] for n in (0, 1)] == [[4], [8]]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_an_empty_array_is_said_to_be_empty(shape):
    view = array_view(np.zeros(shape))
    assert "there is nothing in it" in view.summary
    bundle(view)


def test_torch_tensors_of_every_kind():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.int8, torch.bool):
        assert cells(array_view(torch.ones(2, 3).to(dtype)))["levels"] == [8] * 6
    assert "from 1 to 1" in array_view(torch.ones(2, requires_grad=True)).summary


@pytest.mark.parametrize(
    "values, options, message",
    [
        (["a"], {}, r"`values` is list of dtype <U1; it must be an array of floats, ints or bools"),
        ([[1], [1, 2]], {}, r"`values` has rows of different lengths"),
        (np.array([object()]), {}, r"`values` is ndarray of dtype object"),
        (np.ones(2, complex), {}, r"`values` is complex numbers: look at their real part"),
        (np.ones((2, 3)), {"rows": ["a"]}, r"`rows` has 1 names for 2 rows"),
        (np.ones((2, 3)), {"heads": ["a"]}, r"`heads` has 1 names for 3 columns"),
    ],
)
def test_what_does_not_fit_is_named(values, options, message):
    with pytest.raises(WrongObject, match=message):
        array(values, **options)


@dataclass
class Value:
    data: float
    _prev: tuple = ()
    grad: float = 0.0


class Hostile:
    def __getattr__(self, name):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "obj, text",
    [
        (Value(2.0, (Value(3.0),)), "Expression graph"),
        (np.eye(2), "float64 of shape (2, 2)"),
        ([[1, 2], [3, 4]], "int64 of shape (2, 2)"),
        ([1.5, True], "float64 of shape (2,)"),
        (np.zeros((2, 3, 4)), "float64 of shape (2, 3, 4)"),
        ({"tanh": np.zeros((4, 3))}, "Activations"),
        ([{"tanh": np.zeros((4, 3))}, {"tanh": np.ones((4, 3))}], "at 2 steps"),
        (lr_range_test(lambda rate: (np.log10(rate) + 1) ** 2 + 1, steps=20), "worth trying"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_view_shows_what_it_is_handed(obj, text, capsys):
    zerohero.view(obj)
    assert text in capsys.readouterr().out


def test_view_takes_tensors(capsys):
    torch = pytest.importorskip("torch")
    zerohero.view(torch.ones(2, 2, requires_grad=True))
    assert "float32 of shape (2, 2), from 1 to 1." in capsys.readouterr().out


def test_every_kind_is_shown_by_a_function_that_is_there():
    for _, _, module, name in KINDS:
        assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize(
    "obj, name",
    [
        ("text", "str"),
        (None, "NoneType"),
        (3.0, "float"),
        (np.float64(3), "float64"),
        ([], "list"),
        ({}, "dict"),
        ([Value(1.0)], "list"),
        ({"a": "b"}, "dict"),
        ([{}], "list"),
        ({1: np.ones(2)}, "dict"),
        (Hostile(), "Hostile"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_told_what_view_takes(obj, name):
    with pytest.raises(WrongObject, match=rf"an object of type {name}, which has no .*`_prev`; a value of a scalar engine has `data`") as problem:
        zerohero.view(obj)
    assert all(what in str(problem.value) for what, *_ in KINDS)


@pytest.mark.browser
def test_in_the_browser_cells_are_read_by_arrow_keys_and_matrices_stepped(drawn):
    page = drawn(array_view(np.arange(12).reshape(2, 2, 3), "A", heads=["<i>", "b", "c"]))
    page.locator(".zh-cells").press("ArrowRight")
    assert page.locator(".zh-readout").inner_text() == "0, b: 1"
    page.locator(".zh-stage").press("ArrowRight")
    assert page.locator(".zh-says").inner_text() == "A[1]: from 6 to 11." and page.locator(".zh-view i").count() == 0
    page.locator(".zh-cells").press("ArrowDown")
    assert page.locator(".zh-readout").inner_text() == "1, <i>: 9"
    assert (
        page.locator(".zh-stage").aria_snapshot()
        == """- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - group "int64 of shape (2, 2, 3), from 0 to 11.":
    - application "2 rows, 3 columns; arrow keys read the cells": 6 7 8 9 10 11
    - text: 0 1 <i> b c"""
    )
