"""Student, truth and error side by side: what a cell shows, what a frame says, against NumPy and by hand."""

import json

import numpy as np
import pytest

import zerohero
from zerohero.errors import WrongObject
from zerohero.gradcheck import gradcheck, numerical_gradient
from zerohero.gradcheck.error_map import error_map as map_of
from zerohero.report import Finding, Group, Report
from zerohero.viz import error_map
from zerohero.viz.comparison import Comparison, shapes_apart
from zerohero.viz.error_map import Fields, error_levels, error_map_view, report_view
from zerohero.viz.still import bundle

TRUE = np.array([[0.2, -0.4, 0.1], [0.3, 0.05, -0.2]])


def wrong(true=TRUE, **places):
    """A copy that is off by hand: wrong(r1c2=0.7)."""
    got = true.copy()
    for place, value in places.items():
        got[int(place[1]), int(place[3])] = value
    return got


def fields(view):
    """The cells of yours, truth and error."""
    found = [mark for mark in view.marks if mark["mark"] == "cells"]
    assert len(found) == 4 and found[3]["rows"] == ["key"]
    return found[:3]


def says(view):
    return [frame.says for frame in view.steps[0].frames]


def test_three_fields_and_the_worst_elements_one_after_another():
    view = error_map_view(wrong(r0c1=-0.3, r1c0=0.7), TRUE, "dW")
    yours, truth, error = fields(view)
    assert yours["values"] == ["0.2", "-0.3", "0.1", "0.7", "0.05", "-0.2"] and truth["values"][1] == "-0.4"
    # relative to the largest true element, 0.4: |-0.3 + 0.4| / 0.4 and |0.7 - 0.3| / 0.4; a level for each power of ten
    assert error["values"] == ["0", "0.25", "0", "1", "0", "0"] and error["levels"] == [0, -6, 0, -7, 0, 0]
    assert truth["levels"] == [4, -8, 2, 6, 1, -4]  # in eighths of 0.4
    assert says(view) == [
        "dW is wrong in 2 of 6.",
        "Worst at dW[1, 0]: yours 0.7, truth 0.3; error 1.",
        "2nd worst at dW[0, 1]: yours -0.3, truth -0.4; error 0.25.",
    ]
    assert view.table.rows[0] == ("dW[1, 0]", "0.7", "0.3", "1", "wrong") and len(view.table.rows) == 6
    assert view.summary.startswith("dW is wrong in 2 of 6 elements, all within dW[:, :2]. dW is float64 of shape (2, 3), the truth float64.")


def test_what_points_at_an_element_lies_on_its_three_cells():
    view = error_map_view(wrong(r1c2=9.0), TRUE)
    (box,) = view.steps[0].frames[1].marks
    for mark, (x, y, width, height) in zip(fields(view), zip(*[iter(box["boxes"])] * 4, strict=True), strict=True):
        assert x < mark["x"] + 2 * mark["width"] < mark["x"] + 3 * mark["width"] < x + width + 0.1
        assert y < mark["y"] + mark["height"] < mark["y"] + 2 * mark["height"] < y + height + 0.1


def test_errors_of_a_millionth_and_of_one_are_told_apart():
    assert error_levels(np.array([0, 1e-6, 2e-5, 1e-4, 0.003, 0.05, 0.5, 1, 10, 1e99])).tolist() == [0, -1, -2, -3, -4, -5, -6, -7, -8, -8]
    got = TRUE + 0.4 * np.array([[0.9e-6, 1.1e-6, 1.1e-5], [1.1e-4, 1, 20]])
    assert fields(error_map_view(got, TRUE))[2]["levels"] == [0, -1, -2, -3, -7, -8]


def test_numbers_that_are_nearly_alike_are_said_with_as_many_digits_as_it_takes():
    assert "yours 0.30001, truth 0.3;" in says(error_map_view(wrong(r1c0=0.30001), TRUE))[1]


def test_all_right_is_said_with_how_right():
    view = error_map_view(TRUE + 1.2e-9, TRUE, "db")
    assert view.summary.startswith("All of db is right to 3e-09, relative to the largest true element.") and says(view) == ["db is right to 3e-09."]
    assert error_map_view(TRUE, TRUE).summary.startswith("All of dW is right to the last digit")


@pytest.mark.parametrize("shape", [(), (1,), (7,), (64, 64), (200, 3), (1, 700), (3, 4, 5), (4, 2, 5, 5), (9, 30, 16), (70, 2, 3, 4), (2, 3, 2, 3, 2)])
def test_every_cell_shows_the_worst_element_of_its_block(shape):
    """Oracle: the element that a cell shows, found by its two numbers, lies in the block that its names say, and none there is worse."""
    rng = np.random.RandomState(0)
    true = rng.permutation(np.arange(1.0, np.prod(shape, dtype=int) + 1)).reshape(shape)  # all different
    got = true * (1 + rng.rand(*shape))
    drawn = Fields(Comparison.of("dW", np.array(got), np.array(true)), (0, 0), (300, 400))
    yours, truth, error = [mark for mark in drawn.marks if mark["mark"] == "cells"][:3]
    assert len(yours["rows"]) <= 64 and len(yours["heads"]) <= 64
    off = np.abs(got - true) / true.max()
    seen = np.zeros(shape, dtype=int)
    for n, value in enumerate(drawn._chosen.ravel()):
        row = yours["rows"][n // yours["columns"]].removeprefix("yours").strip(" []")
        place = eval(
            f"np.s_[{', '.join(filter(None, [row, *[':'] * (len(shape) - 1 - len(row.split(', ')) if row else 0), yours['heads'][n % yours['columns']]]))}]"
        )
        block = off[place] if shape else off
        assert np.max(block) == off.flat[value]
        seen[place if shape else ()] += 1
        assert float(truth["values"][n]) == pytest.approx(true.flat[value], rel=6e-3) and float(yours["values"][n]) == pytest.approx(got.flat[value], rel=6e-3)
    assert (seen == 1).all()  # each element in one block
    for flat in drawn._compared.order(10):
        x, y = drawn.pointing_at(flat)["boxes"][8:10]  # of the third field
        column, line = round((x + 1.5 - error["x"]) / error["width"]), round((y + 1.5 - error["y"]) / error["height"])
        assert off.flat[drawn._chosen[line, column]] >= off.flat[flat]


def test_the_index_of_each_matrix_of_an_array_of_more_axes_stands_beside_it():
    view = error_map_view(np.ones((4, 2, 5, 5)), np.ones((4, 2, 5, 5)), "dk")
    beside = [mark["text"] for mark in view.marks if mark["mark"] == "text" and mark["anchor"] == "end"]
    assert beside == ["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]", "[2, 0]", "[2, 1]", "[3, 0]", "[3, 1]"]
    assert len([mark for mark in view.marks if mark["mark"] == "line"]) == 7  # between them


def test_what_is_not_finite_comes_first_and_breaks_no_scale():
    got = wrong(r0c0=np.nan, r1c1=np.inf, r1c0=0.8)
    true = TRUE.copy()
    got[0, 2] = true[0, 2] = np.nan  # where the truth has none either, it is right
    view = error_map_view(got, true)
    assert [text.split(";")[0] for text in says(view)[1:]] == [
        "Worst at dW[0, 0]: yours nan, truth 0.2", "2nd worst at dW[1, 1]: yours inf, truth 0.05", "3rd worst at dW[1, 0]: yours 0.8, truth 0.3",
    ]  # fmt: skip
    assert fields(view)[2]["levels"] == [None, 0, 0, -7, None, 0] and fields(view)[0]["levels"][0] is None and fields(view)[1]["levels"][1] == -8
    json.dumps(view.to_json(), allow_nan=False)


def test_a_truth_of_zeros_and_numbers_as_large_as_they_get():
    assert says(error_map_view([1.0, 0.0], [0.0, 0.0]))[1] == "Worst at dW[0]: yours 1, truth 0; error the truth is 0 throughout."
    assert "wrong in 1 of 2" in error_map_view([1e308, -1e308], [1e308, 1e308]).steps[0].frames[0].says
    bundle(error_map_view(np.array([1e308, -1e308]), np.array([-1e308, 1e308])))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 3)])
def test_an_empty_array(shape):
    view = error_map_view(np.zeros(shape), np.zeros(shape))
    assert "There is nothing in it." in view.summary
    bundle(view)


@pytest.mark.parametrize(
    "got, true, words",
    [
        (np.ones(3), np.ones((3, 1)), ["dW has shape (3,), the truth (3, 1)", "the numbers are right, in the wrong shape", "NumPy stretches both to (3, 3)"]),
        (np.arange(4.0), np.ones((3, 4)), ["(4,)", "(3, 4)", "NumPy stretches dW to (3, 4)"]),
        (np.ones((3, 4)), np.ones(4), ["NumPy stretches the truth to (3, 4)"]),
        (TRUE.T, TRUE, ["its transpose is right", "NumPy cannot subtract"]),
        (np.arange(6.0).reshape(3, 2), TRUE, ["NumPy cannot subtract"]),
    ],
)
def test_shapes_that_differ_are_said_both_with_what_numpy_would_hide(got, true, words):
    with pytest.raises(WrongObject) as problem:
        error_map(got, true, "dW")
    assert all(word in str(problem.value) for word in words), problem.value
    if "stretches" in words[-1]:  # and that is what NumPy does
        assert (got - true).shape == eval(words[-1].partition(" to ")[2])
    assert not shapes_apart("dW", true, true)


def test_dtypes_and_lists_and_tensors():
    torch = pytest.importorskip("torch")
    view = error_map_view(torch.tensor(TRUE, dtype=torch.float32, requires_grad=True), TRUE.tolist(), "dx")
    assert "All of dx is right to" in view.summary and "dx is float32 of shape (2, 3), the truth float64." in view.summary
    assert "float16, which keeps three digits" in error_map_view(TRUE.astype(np.float16), TRUE).summary
    assert "dW is int64, not of a float dtype." in error_map_view([1, 2], [1.0, 2.0]).summary
    with pytest.raises(WrongObject, match="`student` is complex"):
        error_map(TRUE.astype(complex), TRUE)
    with pytest.raises(WrongObject, match="`truth` has rows of different lengths"):
        error_map(TRUE, [[1.0], [2.0, 3.0]])


def test_a_hostile_name_stays_text():
    name = "<script>alert('1')</script>\n\"&"
    view = error_map_view(wrong(r0c0=5.0), TRUE, name)
    shown = bundle(view)
    assert "<script" not in shown["text/html"] and '\n"&' not in json.dumps(shown["text/plain"].split("\n")[0])


def test_sizes():
    rng = np.random.RandomState(0)
    assert len(json.dumps(error_map_view(rng.randn(27, 27), rng.randn(27, 27)).to_json())) < 50_000
    worst = bundle(error_map_view(rng.randn(64, 64), rng.randn(64, 64)))
    assert len(json.dumps(next(iter(worst.values())))) < 190_000 and len(worst["text/html"]) < 600_000


# ---- the map of a report -------------------------------------------------------------------------------------------------


def test_a_report_is_viewed_as_the_map_of_its_errors(capsys):
    report = gradcheck(
        np.multiply, lambda dout, x, w: (dout * w, np.where(np.arange(5) == 2, 3, 1) * dout * x), [np.arange(1.0, 16).reshape(3, 5), np.ones((3, 5))]
    )
    assert not report.passed
    view = report_view(report)
    (cells, key) = [mark for mark in view.steps[0].frames[0].marks if mark["mark"] == "cells"]
    assert [n for n, value in enumerate(cells["values"]) if value != "right"] == [2, 7, 12] and key["rows"] == ["key"]
    assert "[:, 2] is wrong; shape (3, 5)." in view.steps[0].frames[0].says
    assert [row[:2] for row in view.steps[0].frames[0].table.rows] and {row[1] for row in view.steps[0].frames[0].table.rows} == {"2"}
    zerohero.view(report)
    assert "[:, 2] is wrong" in capsys.readouterr().out
    zerohero.view(report.findings[0])
    assert "[:, 2] is wrong" in capsys.readouterr().out


def test_yours_stands_beside_the_slopes_that_were_measured():
    """As docs/views.md has it."""
    x, w = np.arange(6.0).reshape(2, 3), np.linspace(-1, 1, 12).reshape(3, 4)
    measured = numerical_gradient(lambda x, w: float((np.tanh(x @ w)).sum()), [x, w])[1]
    dw = x.T @ (1 - np.tanh(x @ w) ** 2)
    assert error_map_view(dw, measured, "dw").summary.startswith("All of dw is right to ")
    dw[:, 1] = 0
    assert error_map_view(dw, measured, "dw").summary.startswith("Only dw[")


def test_several_findings_with_maps_and_blocks():
    maps = [map_of(name, np.ones((200, 3)), np.ones((200, 3)) * (1 + (np.arange(200) == 9))[:, None]) for name in ("da", "db")]
    findings = tuple(Finding(f"gradient of `{m.of}` is wrong", error_map=m) for m in maps)
    view = report_view(Report("m", "", "failed", (Group("values", False),), findings))
    assert [frame.label for frame in view.steps[0].frames] == ["da", "db"]
    assert view.steps[0].frames[1].says == "db is wrong only within db[8:12, :]; shape (200, 3). A cell is the worst of 4 x 1 elements."


def test_a_report_without_a_map_says_so():
    passed = Report("m01-x", "", "passed", (Group("values", True),))
    with pytest.raises(WrongObject, match="there is no map to show: the check passed"):
        zerohero.view(passed)
    with pytest.raises(WrongObject, match=r"no array is wrong element by element\. m01-x: slope is wrong"):
        zerohero.view(Report("m01-x", "", "failed", (Group("values", False),), (Finding("slope is wrong"),)))


# ---- in the browser ------------------------------------------------------------------------------------------------------

SEEN = """- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - 'group "Only dW[1, 2] is wrong: wrong in 1 of 6. dW is float64 of shape (2, 3), the truth float64. Cells of full colour are 0.4."':
    - text: yours
    - application "2 rows, 3 columns; arrow keys read the cells": 0.2 -0.4 0.1 0.3 0.05 0.2
    - text: 0 1 2 truth
    - application "2 rows, 3 columns; arrow keys read the cells": 0.2 -0.4 0.1 0.3 0.05 -0.2
    - text: 0 1 2 error
    - application "2 rows, 3 columns; arrow keys read the cells": 0 0 0 0 0 1
    - text: 0 1 2 [0] [1] relative error from
    - application "1 rows, 9 columns; arrow keys read the cells": right 1e-6 1e-5 1e-4 0.001 0.01 0.1 1 10"""


@pytest.mark.browser
def test_in_the_browser_it_steps_to_the_worst_and_each_field_is_read(drawn):
    page = drawn(error_map_view(wrong(r1c2=0.2), TRUE))
    assert page.locator(".zh-stage").aria_snapshot() == SEEN
    page.locator(".zh-stage").press("ArrowRight")
    assert page.locator(".zh-says").inner_text() == "Worst at dW[1, 2]: yours 0.2, truth -0.2; error 1."
    assert page.locator(".zh-moving .zh-focus rect").count() == 3
    truth = page.locator(".zh-cells").nth(1)
    truth.press("ArrowDown")
    assert page.locator(".zh-readout").inner_text() == "truth [1], 0: 0.3"
