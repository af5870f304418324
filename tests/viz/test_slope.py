"""The slope explorer: slopes against calculus, what is said where there is none, and the live form in a page."""
# ruff: noqa: RUF001 - the snapshots hold the signs on the buttons

import json
import math

import numpy as np
import pytest

from zerohero.errors import WrongObject
from zerohero.viz import still
from zerohero.viz.slope import Slope, slope_view
from zerohero.widgets import slope_explorer


def frames(view):
    return {frame.label: frame for frame in view.steps[0].frames}


def numbers(frame):
    """{what: value} of the frame's table"""
    return dict(frame.table.rows)


def test_each_frame_has_the_slope_of_its_secant_and_the_error_beside_the_true_slope():
    view = slope_view(math.sin, 1.0, 0.5, -4, 4, df=math.cos)
    assert list(frames(view))[:3] == ["h = 1", "h = 0.5", "h = 0.1"]
    assert view.steps[0].start == 1  # the h that was asked for is seen first
    for h in (1.0, 0.5, 0.1, 0.001):
        frame = frames(view)[f"h = {h:g}"]
        secant = (math.sin(1 + h) - math.sin(1)) / h
        assert float(numbers(frame)["slope of the secant"]) == pytest.approx(secant, rel=1e-9)
        assert float(numbers(frame)["slope of the tangent, exact"]) == pytest.approx(math.cos(1), rel=1e-9)
        assert float(numbers(frame)["difference"]) == pytest.approx(abs(secant - math.cos(1)), rel=1e-2)
        assert f"off by {abs(secant - math.cos(1)):.3g}" in frame.says


def test_the_measured_tangent_is_good_to_nine_digits():
    for f, df in (
        (math.sin, math.cos),
        (math.exp, math.exp),
        (math.tanh, lambda x: 1 - math.tanh(x) ** 2),
        (lambda x: 3 * x**2 - 4 * x + 5, lambda x: 6 * x - 4),
    ):
        for x in (-2.0, 0.3, 2.9):
            assert Slope(f, -3, 3).tangent(x)[0] == pytest.approx(df(x), rel=1e-9)


def test_the_secant_passes_through_both_points_and_the_tangent_touches_the_curve():
    slope = Slope(lambda x: x * x, -3, 3)
    frame = frames(slope.stepped(1.0, 1.0))["h = 1"]
    tangent, secant = (mark for mark in frame.marks if mark["mark"] == "line")
    for (x, y), mark in (((1.0, 1.0), tangent), ((1.0, 1.0), secant), ((2.0, 4.0), secant)):
        (x0, y0, x1, y1), (px, py) = mark["points"], slope.plot.at(x, y)
        assert y0 + (y1 - y0) * (px - x0) / (x1 - x0) == pytest.approx(py, abs=0.5)
    # cut at the plot, not bent at its edge
    x0, y0, x1, y1 = tangent["points"]
    unit = slope.plot.height / (slope.plot.y.high - slope.plot.y.low) / (slope.plot.width / 6)
    assert (y0 - y1) / (x1 - x0) == pytest.approx(2 * unit, rel=0.01)


def test_a_step_that_is_lost_in_rounding_is_called_so():
    frame = frames(slope_view(math.sin, 1000.0, 1e-14, 999, 1001))["h = 1e-14"]
    assert "x + h is x" in frame.says and numbers(frame)["slope of the secant"] == "0"


@pytest.mark.parametrize("f, where", [(lambda x: max(x, 0.0), 0.0), (abs, 0.0), (lambda x: float(x > 1), 1.0), (lambda x: abs(x - 2) + 1e6, 2.0)])
def test_a_corner_or_a_jump_has_no_tangent(f, where):
    slope, why = Slope(f, -3, 3).tangent(where)
    assert math.isnan(slope) and "corner" in why
    assert "There is no tangent" in frames(slope_view(f, where, 1.0, -3, 3))["h = 1"].says


@pytest.mark.parametrize("f", [lambda x: x * x + 1e6, lambda x: 7.0, lambda x: 1e9 * x, lambda x: math.sin(20 * x), lambda x: 0.0])
def test_a_smooth_function_is_not_taken_for_one_with_a_corner(f):
    assert all(math.isfinite(Slope(f, -3, 3).tangent(x)[0]) for x in (-1.0, 0.0, 0.7, 2.0))


def test_where_the_function_has_no_value_there_is_a_gap_and_it_is_said():
    view = slope_view(math.log, 1.0, 1.0, -2, 2)
    assert "no value at 121 of 241 points: at -2 it raised ValueError: math domain error" in view.summary
    drawn = [mark for mark in view.marks if mark["mark"] == "line" and mark["look"] == "series0" and len(mark["points"]) > 4]
    assert min(drawn[0]["points"][::2]) > Slope(math.log, -2, 2).plot.at(0, 0)[0]
    assert "log has no value at -1" in frames(slope_view(math.log, -1.0, 0.5, -2, 2))["h = 0.1"].says
    # NaN of numpy is the same, and does not warn
    assert "no value at 120 of 241" in slope_view(np.sqrt, 1.0, 1.0, -2, 2).summary


def test_a_pole_does_not_flatten_the_curve_nor_join_its_sides():
    slope = Slope(lambda x: 1 / x, -3, 3)
    assert slope.plot.y.high < 10
    view = slope.stepped(1.0, 1.0)
    curve = [mark for mark in view.marks if mark["mark"] == "line" and mark["look"] == "series0" and mark["width"] == 2.5 and len(mark["points"]) > 4]
    assert len(curve) == 2


def test_students_functions_may_return_arrays_tensors_or_values():
    class Value:
        def __init__(self, data):
            self.data = data

    expected = frames(slope_view(lambda x: x * x))["h = 0.1"].says
    for wrap in (np.array, np.float64, Value, lambda y: np.array([y])):
        assert frames(slope_view(lambda x, wrap=wrap: wrap(x * x)))["h = 0.1"].says == expected
    torch = pytest.importorskip("torch")
    assert frames(slope_view(lambda x: torch.tensor(x, dtype=torch.float64) ** 2))["h = 0.1"].says == expected


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: slope_view(3.0), WrongObject, "f must be a function"),
        (lambda: slope_view(lambda x: [x, x]), WrongObject, "needs one number and got an object of type list"),
        (lambda: slope_view(lambda: 1.0), WrongObject, "TypeError"),
        (lambda: slope_view(math.sin, df=2), WrongObject, "df must be a function"),
        (lambda: slope_view(math.sin, x=5, low=0, high=1), ValueError, "not between"),
        (lambda: slope_view(math.sin, h=0), ValueError, "h must be a number above 0"),
        (lambda: slope_view(math.sin, h=math.nan), ValueError, "h must be a number above 0"),
        (lambda: slope_view(math.sin, low=1, high=-1), ValueError, "low must be below high"),
        (lambda: slope_view(math.sin, x="1"), WrongObject, "x needs one number"),
    ],
)
def test_wrong_input_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_huge_and_hostile_input_makes_a_view_all_the_same():
    def f(x):
        raise ValueError("<script>alert(1)</script>\n\x00") if x < 0 else None

    with pytest.raises(WrongObject, match="script"):
        slope_view(f)
    view = slope_view(lambda x: x * 1e300 if x > 0 else math.inf, 1.0, 1.0)
    assert json.dumps(view.to_json(), allow_nan=False)

    def g(x):
        return f(x) if x < 0 else x

    assert "<script>" not in still.html(slope_view(g).to_json())


def test_without_a_kernel_the_still_form_is_printed(capsys):
    slope_explorer(math.sin, x=1.0, h=0.1)
    assert "h = 0.1: the secant has slope 0.497364" in capsys.readouterr().out


def test_the_json_is_small():
    slope = Slope(math.sin, -4, 4)
    assert len(json.dumps(slope.stepped(1.0, 1.0).to_json())) < 20_000
    assert len(json.dumps(slope.live(1.0, 1.0).to_json())) < 12_000


SNAPSHOT = """
- group "Slope of sin at x = 1":
  - paragraph: Slope of sin at x = 1
  - paragraph: The tangent has slope 0.540302 (exact). Drag the point along the curve, and h along its ruler.
  - group "Zoom":
    - button "Zoom out": −
    - button "Zoom in": +
    - button "Fit the whole picture": Fit
  - group "Picture. Left and Right step, Space plays, plus and minus zoom":
    - group "The tangent has slope 0.540302 (exact). Drag the point along the curve, and h along its ruler.":
      - text: "-4 -2 0 2 4 -1 -0.5 0 0.5 1 x sin(x) sin secant tangent h 1e-15 1e-13 1e-11 1e-09 1e-07 1e-05 0.001 0.1"
      - slider "x"
      - slider "h"
  - paragraph: "h = 0.1: the secant has slope 0.497364, the tangent 0.540302: the secant is off by 0.0429."
  - paragraph
  - group: "As a table: the two slopes"
"""


@pytest.mark.browser
def test_in_a_page_x_and_h_are_sliders_and_the_answer_is_drawn(drawn):
    slope = Slope(math.sin, -4, 4, math.cos)
    page = drawn(slope.live(1.0, 0.1))
    assert page.locator(".zh-view").aria_snapshot() == SNAPSHOT.strip()
    page.get_by_role("slider", name="x", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.sent") == [{"drag": "x", "value": 1.08}]
    page.evaluate("view => window.answer(view)", slope.live(1.08, 0.1).to_json())
    assert f"the tangent {math.cos(1.08):.6g}" in page.locator(".zh-says").inner_text()
    page.get_by_role("slider", name="h", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    sent = page.evaluate("window.sent")[-1]
    assert sent["drag"] == "h" and sent["value"] == pytest.approx(0.1 / (8 / 1e-15) ** 0.01, rel=1e-4)


@pytest.mark.browser
def test_the_still_form_is_stepped_by_keyboard(drawn):
    page = drawn(slope_view(math.sin, 1.0, 1.0, -4, 4), dark=True)
    page.locator(".zh-stage").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert page.locator(".zh-place").inner_text() == "h = 0.01 (3/13)"
    assert "off by 0.00422" in page.locator(".zh-says").inner_text()
