"""The V-curve against the textbook's orders, the range curve against the range test, a training run against its numbers."""
# ruff: noqa: RUF001 - the snapshots hold the signs on the buttons

import itertools
import json
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerohero.errors import WrongObject, ZeroheroError
from zerohero.recipe import RangeTest, lr_range_test
from zerohero.viz import still
from zerohero.viz.learning_rate import range_curve_view
from zerohero.viz.step_size import v_curve_view
from zerohero.viz.training import BINS, Curve, Run, duration, training_view

# ---- V-curve ---------------------------------------------------------------------------------------------------------


def errors(view, name):
    """{h: error} of one curve, from the tables of the frames"""
    return {float(frame.label.split("= ")[1]): float(dict((row[0], row[1]) for row in frame.table.rows)[name]) for frame in view.steps[0].frames}


def sides(view, name):
    return [dict((row[0], row[2]) for row in frame.table.rows)[name] for frame in view.steps[0].frames]


def test_errors_are_those_of_numpy_in_each_float():
    view = v_curve_view(np.sin, np.cos, 1.0)
    for size, kind in (("float64", np.float64), ("float32", np.float32)):
        x = kind(1)
        for h, error in errors(view, f"forward, {size}").items():
            assert error == pytest.approx(abs(float((np.sin(x + kind(h)) - np.sin(x)) / kind(h)) - math.cos(1)), rel=1e-4)
        for h, error in errors(view, f"central, {size}").items():
            assert error == pytest.approx(abs(float((np.sin(x + kind(h)) - np.sin(x - kind(h))) / (2 * kind(h))) - math.cos(1)), rel=1e-4)


def test_truncation_falls_with_the_order_of_the_method_and_the_best_steps_are_the_textbooks():
    view = v_curve_view(np.sin, np.cos, 1.0)
    forward, central = errors(view, "forward, float64"), errors(view, "central, float64")
    assert forward[0.01] / forward[0.001] == pytest.approx(10, rel=0.05)
    assert central[0.01] / central[0.001] == pytest.approx(100, rel=0.05)
    best = {row[0]: float(row[1]) for row in view.table.rows}
    assert best == {"forward, float64": 1e-8, "central, float64": 1e-5, "forward, float32": 1e-4, "central, float32": 0.01}
    assert "central, float64: best h 1e-05, error 1.1e-11" in view.summary


def test_steps_walk_from_rounding_over_the_best_h_to_truncation():
    walked = sides(v_curve_view(np.sin, np.cos, 1.0), "forward, float64")
    assert walked == ["rounding"] * 7 + ["best"] + ["truncation"] * 8
    single = sides(v_curve_view(np.sin, np.cos, 1.0), "forward, float32")
    assert single[:8] == ["h is lost: x + h is x"] * 8 and single[8] == "rounding"


def test_a_function_that_leaves_float32_has_no_float32_curve_and_the_picture_says_so():
    view = v_curve_view(math.sin, math.cos, 1.0)
    assert [row[0] for row in view.table.rows] == ["forward, float64", "central, float64"]
    assert "no float32 curve of sin: given float32, sin(x) is float" in view.summary
    doubling = v_curve_view(lambda x: np.float64(x) ** 2, 2.0)
    assert "given float32, f(x) is float64" in doubling.summary

    def in_python(f, x, h):
        return float(f(x + h) - f(x)) / float(h)

    mixed = v_curve_view(np.sin, np.cos, methods={"mine": in_python})
    assert "no float32 curve of mine" in mixed.summary and [row[0] for row in mixed.table.rows] == ["mine, float64"]


def test_the_students_own_differences_are_measured():
    def wrong(f, x, h):
        return (f(x + h) - f(x - h)) / h

    view = v_curve_view(np.sin, np.cos, methods={"mine": wrong})
    assert all(error == pytest.approx(math.cos(1), rel=0.1) for h, error in errors(view, "mine, float64").items() if 1e-12 < h < 0.1)


def test_an_error_of_0_lies_on_the_lower_edge_and_a_domain_that_ends_leaves_a_gap():
    view = v_curve_view(lambda x: 3 * x, 3.0, 0.0)
    assert set(errors(view, "forward, float64").values()) <= {0.0} | {e for e in errors(view, "forward, float64").values() if e < 1e-14}
    assert json.dumps(view.to_json(), allow_nan=False)
    view = v_curve_view(np.sqrt, 0.5 / math.sqrt(0.05), 0.05)  # x - 1 and x - 0.1 are below 0
    assert math.isnan(errors(view, "central, float64")[1.0]) and sides(view, "central, float64")[-1] == "no number"
    assert json.dumps(view.to_json(), allow_nan=False)


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: v_curve_view(3, 1.0), WrongObject, "f must be a function"),
        (lambda: v_curve_view(np.sin, "steep"), WrongObject, "slope needs one number"),
        (lambda: v_curve_view(np.sin, math.nan), ValueError, "finite"),
        (lambda: v_curve_view(np.sin, np.cos, steps=[0.1, -1]), ValueError, "above 0"),
        (lambda: v_curve_view(np.sin, np.cos, steps=[]), ValueError, "above 0"),
        (lambda: v_curve_view(np.sin, np.cos, methods={"a": 1}), WrongObject, "dict of functions"),
        (lambda: v_curve_view(np.sin, np.cos, methods=dict.fromkeys("abc", max)), ValueError, "at most 2"),
        (lambda: v_curve_view(lambda x: [x], 1.0), WrongObject, "needs one number and got an object of type list"),
        (lambda: v_curve_view(lambda x: 1 / 0, 1.0), WrongObject, "raised ZeroDivisionError"),
    ],
)
def test_wrong_input_of_the_v_curve_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call()


# ---- range test ------------------------------------------------------------------------------------------------------


def valley():
    rates = np.logspace(-4, 1, 101)
    losses = 3.3 - 1.2 / (1 + (0.03 / rates) ** 2) + np.where(rates > 1, 3 * (rates - 1), 0)
    return RangeTest(rates, losses, losses, "the loss left for good")


def test_the_region_and_the_turn_lie_where_the_range_test_says():
    found = valley()
    view = range_curve_view(found)
    low, high = found.region
    area = next(mark for mark in view.marks if mark["mark"] == "area")
    ticks = {float(mark["text"]): mark["x"] for mark in view.marks if mark["mark"] == "text" and mark["anchor"] == "middle" and mark["text"] in ("0.0001", "1")}
    decade = (ticks[1.0] - ticks[0.0001]) / 4
    assert min(area["points"][::2]) == pytest.approx(ticks[1.0] + decade * math.log10(low), abs=0.2)
    assert max(area["points"][::2]) == pytest.approx(ticks[1.0] + decade * math.log10(high), abs=0.2)
    turn = next(mark for mark in view.marks if mark["mark"] == "line" and mark["look"] == "series3")
    assert turn["points"][0] == pytest.approx(ticks[1.0] + decade * math.log10(found.turns), abs=0.2)
    assert f"Try rates from {low:.2g} to {high:.2g}. The smoothed loss is lowest at {found.turns:.2g}" in view.summary
    said = [frame.says for frame in view.steps[0].frames]
    assert said[0].endswith("below the region: little happens.") and said[-1].endswith("above the region: the steps are too long.")
    assert "in the region worth trying" in said[view.steps[0].start]


def test_a_loss_that_only_grows_or_only_falls_is_advised_upon():
    rates = np.logspace(-3, 0, 20)
    assert "begin with a lower rate" in range_curve_view(RangeTest(rates, 1 + rates, 1 + rates, "all rates tried")).summary
    falling = range_curve_view(RangeTest(rates, 3 - rates, 3 - rates, "all rates tried")).summary
    assert "none up to 1 was too large: end with a higher one" in falling
    left = range_curve_view(RangeTest(rates, 3 - rates, 3 - rates, "the loss left for good")).summary
    assert "too large" not in left and "to 1." in left


def test_a_loss_that_leaves_for_the_sky_does_not_flatten_the_valley():
    found = valley()
    losses = found.losses.copy()
    losses[-1] = 1e30
    view = range_curve_view(RangeTest(found.rates, losses, losses, found.ended))
    smoothed = next(mark for mark in view.marks if mark["mark"] == "line" and mark["look"] == "series0")
    ys = smoothed["points"][1::2]
    assert max(ys) - min(ys[:40]) > 50
    assert json.dumps(view.to_json(), allow_nan=False)


def test_a_real_range_test_is_shown_and_what_is_none_is_refused():
    w = [3.0]

    def step(rate):
        loss = w[0] ** 2
        w[0] -= rate * 2 * w[0]
        return loss

    view = range_curve_view(lr_range_test(step, 0.001, 10))
    assert len(json.dumps(view.to_json())) < 30_000
    with pytest.raises(WrongObject, match=r"this list has no \.rates"):
        range_curve_view([1, 2])
    assert range_curve_view(RangeTest(np.array([0.1]), np.array([2.0]), np.array([2.0]), "the loss is not a finite number")).steps


# ---- a training run --------------------------------------------------------------------------------------------------


def test_a_curve_keeps_mean_lowest_and_highest_of_equally_many_steps():
    rng = random.Random(0)
    values = [rng.gauss(0, 1) for _ in range(10_000)]
    curve = Curve()
    for step, value in enumerate(values):
        curve.add(step, value)
    assert BINS // 2 <= len(curve.bins) <= BINS and curve.size == 128
    for one in curve.bins:
        inside = values[one.first : one.last + 1]
        assert one.first % curve.size == 0 and (one.low, one.high, one.count) == (min(inside), max(inside), len(inside))
        assert one.mean == pytest.approx(sum(inside) / len(inside))
    assert curve.lowest == min(values) and values[curve.lowest_at] == curve.lowest


@given(
    st.lists(st.tuples(st.integers(0, 40), st.one_of(st.floats(), st.integers(-3, 3).map(float))), max_size=600),
    st.lists(st.integers(0, 600), max_size=5),
)
def test_many_steps_at_once_make_the_curve_that_single_ones_make(gaps_and_values, cuts):
    steps, values = list(itertools.accumulate(gap for gap, _ in gaps_and_values)), [value for _, value in gaps_and_values]
    single, many = Curve(), Curve()
    for step, value in zip(steps, values, strict=True):
        single.add(step, value)
    for begin, end in itertools.pairwise(sorted({0, *cuts, 600})):
        many.extend(steps[begin:end], values[begin:end])
    for name in ("size", "now", "lowest", "lowest_at", "lost_at", "lost_since", "lost_word"):
        assert repr(getattr(many, name)) == repr(getattr(single, name)), name
    assert [(b.first, b.last, b.low, b.high, b.count, b.lost) for b in many.bins] == [(b.first, b.last, b.low, b.high, b.count, b.lost) for b in single.bins]
    # the sums are rounded in another order
    size = sum(abs(value) for value in values if math.isfinite(value))
    assert all(b.mean == pytest.approx(c.mean, abs=1e-12 * size, nan_ok=True) for b, c in zip(many.bins, single.bins, strict=True) if math.isfinite(size))


def test_a_million_steps_cost_no_more_than_a_thousand():
    run = Run(1_000_000)
    for step in range(0, 1_000_000, 25):
        run.log(
            step, 1.0 + step % 7, 2.0 if step % 1000 == 0 else None, 0.1, {"W1": 1e-3, "W2": 2e-3, "b": 0.0, "layers.0.weight": 1e-3, "layers.1.weight": 2e-3}
        )
    assert all(len(curve.bins) <= BINS for curve in (*run.curves.values(), *run.ratios.values()))
    assert len(json.dumps(training_view(run, "Stop").to_json())) < 30_000
    run.ended = "all steps made"
    assert len(json.dumps(training_view(run).to_json())) < 50_000


def log(run, **numbers):
    return run.log(**{"loss": None, "dev": None, "lr": None, "update_ratio": None, **numbers})


def test_nan_is_said_from_its_first_step_and_the_curve_ends_there():
    run = Run(1000)
    news = [log(run, step=step, loss=math.nan if step >= 412 else 2.0 - step / 1000, dev=2.0 if step % 100 == 0 else None) for step in range(700)]
    assert [step for step, new in enumerate(news) if new] == [412]
    assert "Train loss is nan since step 412; dev loss 2" in run.sentence().replace("700 of 1,000 steps: t", "T")
    view = training_view(run, "Stop")
    line = next(mark for mark in view.marks if mark["mark"] == "line" and mark["look"] == "series0")
    dev = next(mark for mark in view.marks if mark["mark"] == "line" and mark["look"] == "series1")
    assert max(line["points"][::2]) == pytest.approx(64 + 560 * 412 / 999, abs=3)
    assert max(dev["points"][::2]) == pytest.approx(64 + 560 * 600 / 999, abs=3)
    assert "nan since step 412" in still.html(view.to_json())
    assert dict((row[0], row[3]) for row in view.table.rows) == {"train loss": "is nan since step 412", "dev loss": "no"}


def test_a_loss_that_came_back_is_not_called_nan():
    run = Run()
    for step, loss in enumerate([1.0, math.inf, 1.0, 0.5]):
        log(run, step=step, loss=loss)
    assert "train loss was inf at step 1" in run.sentence()
    log(run, step=4, loss=math.nan)
    assert "train loss is nan since step 4" in run.sentence()


def test_losses_far_apart_are_drawn_by_powers_of_ten():
    run = Run()
    for step in range(100):
        log(run, step=step, loss=10.0 ** (2 - step / 20))
    assert "loss (log scale)" in still.html(training_view(run).to_json())
    log(run, step=100, loss=0.0)
    assert "loss (log scale)" not in still.html(training_view(run).to_json())
    for huge in (1e308, -1e308):
        log(run, step=101, loss=huge)
    assert json.dumps(training_view(run).to_json(), allow_nan=False)


def test_update_ratios_are_drawn_as_log10_and_an_update_of_0_is_said():
    run = Run()
    for step in range(10):
        log(run, step=step, update_ratio={"W1": 1e-3, "W2": 0.0 if step > 4 else 1e-2, "<script>": 1.0})
    assert "the update of W2 is 0" in run.sentence()
    rows = {row[0]: row[1:] for row in training_view(run).table.rows}
    assert rows["update:data of W1"] == ("0.001", "0.001", "no") and rows["update:data of W2"] == ("0", "0.01", "was 0 at step 9")
    view = training_view(run).to_json()
    line = next(mark for mark in view["marks"] if mark["mark"] == "line" and mark["look"] == "series0")
    reference = next(mark for mark in view["marks"] if mark["mark"] == "text" and mark["text"] == "1e-3")
    assert line["points"][1] == pytest.approx(reference["y"] - 4, abs=0.2)
    assert "<script>" not in still.html(view)
    log(run, step=10, update_ratio={f"layer {n}": 1e-3 for n in range(40)})
    log(run, step=10, update_ratio={})
    assert len(training_view(run).table.rows) == 43


def test_the_frames_of_an_ended_run_say_what_was_logged_there():
    run = Run(100)
    for step in range(100):
        log(run, step=step, loss=1 / (1 + step), dev=0.5 if step % 10 == 0 else None, lr=0.1)
    run.ended = "all steps made"
    frames = training_view(run).steps[0].frames
    assert [frame.label for frame in frames[::19]] == ["step 0", "step 99"]
    assert frames[-1].says == "Step 99: train loss 0.01, dev loss 0.5, learning rate 0.1."
    assert "100 of 100 steps: train loss 0.01 (lowest 0.01 at step 99)" in run.sentence() and run.sentence().endswith("All steps made.")


def test_time_left_is_that_of_the_steps_left_at_the_speed_of_late():
    run = Run(1000)
    log(run, step=399, loss=1.0)
    run.speed = 50.0
    assert run.left == 12 and "50 steps per second, about 12 s left" in run.sentence()
    assert [duration(s) for s in (0.2, 59, 60, 200, 3600, 7500)] == ["1 s", "59 s", "1 min 0 s", "3 min 20 s", "1 h 0 min", "2 h 5 min"]
    run.steps = None
    assert run.left is None and "left" not in run.sentence()


def test_steps_that_go_back_are_refused():
    run = Run()
    log(run, step=10, loss=1.0)
    with pytest.raises(ZeroheroError, match="step 3 after step 10"):
        log(run, step=3, loss=1.0)


# ---- in a page -------------------------------------------------------------------------------------------------------


STEPS = """
  - toolbar "Steps":
    - button "First step"{first}: «
    - button "Step back"{first}: ‹
    - button "Play"
    - button "Step forward": ›
    - button "Last step": »
    - slider {slider}
    - text: {place}"""
SNAPSHOT = """
- {group}:
  - paragraph: {title}
  - paragraph: "{summary}"{controls}
  - group "Zoom":
    - button "Zoom out": −
    - button "Zoom in": +
    - button "Fit the whole picture": Fit
  - group "Picture. Left and Right step, Space plays, plus and minus zoom":
    - 'group "{summary}"': {texts}
  - paragraph{says}
  - paragraph
  - group: "As a table: {table}"
"""


@pytest.mark.browser
def test_the_v_curve_in_a_page(drawn):
    page = drawn(v_curve_view(np.sin, np.cos))
    assert page.locator(".zh-view").aria_snapshot() == SNAPSHOT.strip().format(
        group="'group \"Error of the measured slope: sin at x = 1, true slope 0.540302\"'",
        title='"Error of the measured slope: sin at x = 1, true slope 0.540302"',
        summary="forward, float64: best h 1e-08, error 3e-09; central, float64: best h 1e-05, error 1.1e-11; "
        "forward, float32: best h 0.0001, error 0.00028; central, float32: best h 0.01, error 1e-05.",
        controls=STEPS.format(first=" [disabled]", slider='"h": "0"', place="h = 1e-15 (1/16)"),
        texts="1e-15 1e-12 1e-09 1e-06 0.001 1 1e-12 1e-09 1e-06 0.001 1 step h error of the slope 1e-08 1e-05 0.0001 0.01 "
        "forward, float64 central, float64 forward, float32 central, float32",
        says=': "h = 1e-15, error: forward, float64 0.015 (rounding); central, float64 0.015 (rounding); '
        'forward, float32 0.54 (h is lost: x + h is x); central, float32 0.54 (h is lost: x + h is x)."',
        table="errors at h = 1e-15",
    )
    page.locator(".zh-stage").focus()
    page.keyboard.press("End")
    assert page.locator(".zh-says").inner_text().startswith("h = 1, error: forward, float64 0.47 (truncation)")
    page.locator(".zh-still .zh-dots circle").nth(2).hover()
    assert page.locator(".zh-readout").inner_text() == "forward, float64, h = 1e-13: error 0.000734"


@pytest.mark.browser
def test_the_range_curve_in_a_page(drawn):
    page = drawn(range_curve_view(valley()), dark=True)
    assert page.locator(".zh-view").aria_snapshot() == SNAPSHOT.strip().format(
        group="'group \"Range test: which learning rate?\"'",
        title='"Range test: which learning rate?"',
        summary="Try rates from 0.063 to 1. The smoothed loss is lowest at 1, from there on the steps are too long. 101 steps: the loss left for good.",
        controls=STEPS.format(first="", slider='"learning rate": "18"', place="rate 0.794 (19/24)"),
        texts="0.0001 0.001 0.01 0.1 1 10 2 3 4 5 learning rate (log scale) loss worth trying loss of each step smoothed lowest",
        says=': "Rate 0.794: loss 2.102, smoothed 2.102; in the region worth trying."',
        table="range test",
    )
    page.locator(".zh-stage").focus()
    page.keyboard.press("Home")
    assert "below the region" in page.locator(".zh-says").inner_text()


@pytest.mark.browser
def test_a_live_run_in_a_page_has_a_stop_and_an_ended_one_is_stepped(drawn):
    run = Run(100)
    for step in range(50):
        log(run, step=step, loss=2.0 - step / 100, lr=0.1, update_ratio={"W1": 1e-3})
    page = drawn(training_view(run, "Stop"))
    assert page.locator(".zh-view").aria_snapshot() == SNAPSHOT.strip().format(
        group='group "Training"',
        title="Training",
        summary="50 of 100 steps: train loss 1.51 (lowest 1.51 at step 49); learning rate 0.1.",
        controls='\n  - button "Stop"',
        texts="0 20 40 60 80 1.6 1.8 2 step loss train loss 0 50 0.05 0.1 0.15 step rate learning rate 0 50 -4 -2 step log10 update:data 1e-3 W1",
        says="",
        table="the run in numbers",
    )
    page.get_by_role("button", name="Stop", exact=True).click()
    assert page.evaluate("window.sent") == [{"act": "stop"}]
    run.ended = "stopped"
    page.evaluate("view => window.answer(view)", training_view(run).to_json())
    assert page.get_by_role("button", name="Stop", exact=True).count() == 0
    page.locator(".zh-stage").focus()
    page.keyboard.press("Home")
    assert page.locator(".zh-says").inner_text() == "Step 0: train loss 2, learning rate 0.1, update:data of W1 0.001."
