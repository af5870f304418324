"""Bars of gradients and curves of update:data: figures worked by hand and by numpy, from arrays, torch and a student's own objects."""

import json
import math

import numpy as np
import pytest

from zerohero.errors import WrongObject
from zerohero.viz.gradient_flow import MOST, MOST_STEPS, gradient_flow_view
from zerohero.viz.update_ratio import UpdateRatios, update_to_data_view


class Value:
    """A scalar engine's value, as far as its gradient goes."""

    def __init__(self, grad, label=""):
        self.data, self.grad, self.label = 1.0, grad, label


def rows(view, frame=None):
    table = view.table if frame is None else view.steps[0].frames[frame].table
    return {row[0]: row[1:] for row in table.rows}


def marks(view, kind):
    return [mark for mark in view.marks if mark["mark"] == kind]


# ---- gradient flow --------------------------------------------------------------------------------------------------------


def test_mean_and_largest_magnitude_by_hand():
    view = gradient_flow_view({"W1": [[1.0, -3.0]], "b1": [0.02]})
    assert rows(view) == {"W1": ("2", "3", "2"), "b1": ("0.02", "0.02", "1")}
    assert view.summary == "Mean |gradient| from 0.02 (b1) to 2 (W1)."


def test_bars_end_where_their_number_lies_on_the_axis():
    """A factor of ten is the same length everywhere: from the ticks, and from bar to bar."""
    view = gradient_flow_view({f"W{n}": np.full(3, 10.0**-n) for n in range(4)})
    bars = next(mark for mark in marks(view, "rects") if mark.get("labels"))
    ends = [bars["boxes"][4 * n] + bars["boxes"][4 * n + 2] for n in range(4)]
    ticks = {mark["text"]: mark["x"] for mark in marks(view, "text") if mark["anchor"] == "middle"}
    assert ends[0] == pytest.approx(ticks["1"], abs=0.2) and ends[2] == pytest.approx(ticks["0.01"], abs=0.2)
    assert np.diff(ends) == pytest.approx([ends[1] - ends[0]] * 3, abs=0.3)
    dots = next(mark for mark in marks(view, "dots") if mark.get("labels"))
    assert dots["points"][::2] == pytest.approx(ends, abs=0.2)  # of equal numbers the largest is the mean


def test_what_has_no_bar_says_why():
    view = gradient_flow_view({"zero": np.zeros(3), "missing": None, "odd": [1.0, math.nan], "far": [math.inf], "gone": [], "W": [1.0]})
    words = [mark["text"] for mark in marks(view, "text") if mark.get("bold")]
    assert words == ["0", "none", "nan", "inf", "empty"]
    assert view.summary == "Mean |gradient| from 1 (W) to 1 (W); no gradient: missing; gradient 0: zero; gradient with NaN: odd; infinite gradient: far; empty: gone."  # fmt: skip
    assert rows(view)["missing"] == ("none", "none", "0") and rows(view)["odd"] == ("nan", "nan", "2")
    json.dumps(view.to_json(), allow_nan=False)
    json.dumps(gradient_flow_view({"a": [1e308, -1e308], "b": [5e-324]}).to_json(), allow_nan=False)


def test_a_torch_module_after_backward():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    net[2].bias.requires_grad_(False)
    assert gradient_flow_view(net).summary == "No gradient: 0.weight, 0.bias, 2.weight, 2.bias."
    net(torch.randn(5, 3)).sum().backward()
    view = gradient_flow_view(net)
    grad = net[0].weight.grad.abs()
    assert rows(view)["0.weight"] == (f"{grad.mean().item():.4g}", f"{grad.max().item():.4g}", "12")
    assert rows(view)["2.bias"] == rows(gradient_flow_view({"2.bias": net[2].bias}))["2.bias"] == ("none", "none", "0")  # it is frozen
    assert rows(gradient_flow_view(net.named_parameters())) == rows(view)
    assert rows(gradient_flow_view({"a": net[0].weight, "b": net[0].weight.grad}))["a"] == rows(view)["0.weight"]
    assert list(rows(gradient_flow_view(list(net.parameters())))) == [f"parameter {n}" for n in range(4)]


def test_the_students_own_values():
    assert rows(gradient_flow_view([Value(2.0, "w"), Value(-0.5, "b")])) == {"w": ("2", "2", "1"), "b": ("0.5", "0.5", "1")}
    assert list(rows(gradient_flow_view([Value(2.0), Value(1.0)]))) == ["parameter 0", "parameter 1"]
    layers = {"layer 1": [Value(1.0), Value(-3.0)], "layer 2": [Value(None)], "layer 3": Value(0.25)}
    assert rows(gradient_flow_view(layers)) == {"layer 1": ("2", "3", "2"), "layer 2": ("none", "none", "0"), "layer 3": ("0.25", "0.25", "1")}


def test_steps_and_many_parameters():
    steps = [{f"W{n}": np.full(2, 1.0 + n + s) for n in range(60)} for s in range(50)]
    view = gradient_flow_view(steps, steps=range(100, 150))
    frames = view.steps[0].frames
    assert len(frames) == MOST_STEPS and frames[-1].label == "step 149" and len(rows(view, 0)) == MOST
    assert f"the first {MOST} of 60 parameters are shown. {MOST_STEPS} of 50 steps are shown." in view.summary.lower()
    assert rows(view, 0)["W3"] == ("4", "4", "2") and rows(view, -1)["W3"] == ("53", "53", "2")
    assert len(json.dumps(gradient_flow_view({f"layers.{n}.weight": np.ones(3) for n in range(MOST)}).to_json())) < 20_000


@pytest.mark.parametrize(
    "parameters, message",
    [
        (3, r"`parameters` is an object of type int; it must be a torch module, a dict such as \{'W1': dW1\}, or a list of objects with `.grad`"),
        ("W1", r"an object of type str"),
        ([1.0, 2.0], r"an object of type list"),
        ({"W1": "abc"}, r"`parameters\['W1'\]` is str of dtype"),
    ],
)
def test_what_has_no_gradient_is_named(parameters, message):
    with pytest.raises(WrongObject, match=message):
        gradient_flow_view(parameters)
    with pytest.raises(WrongObject, match="`steps` has 1 names for 2 dicts"):
        gradient_flow_view([{}, {}], steps=[1])
    assert gradient_flow_view({}).summary == gradient_flow_view([]).summary == "There are no parameters to show."


# ---- update:data ----------------------------------------------------------------------------------------------------------


def test_the_ratio_is_that_of_the_standard_deviations():
    """As makemore, part 3, has it: (lr * p.grad).std() / p.data.std()."""
    rng = np.random.RandomState(0)
    W, dW = rng.standard_normal((2, 30, 20))
    ratios = UpdateRatios()
    noted = ratios.log({"W": (-0.1 * dW, W)})
    assert noted == {"W": pytest.approx(0.1 * dW.std() / W.std())}
    view = update_to_data_view(ratios)
    assert rows(view)["W"][1] == f"{math.log10(0.1 * dW.std() / W.std()):.3g}"
    assert ratios.log({"b": ([0.001], [2.0])})["b"] == pytest.approx(0.0005)  # one number has no spread: magnitudes
    assert list(ratios.ratios["b"])[1] == pytest.approx(0.0005) and math.isnan(ratios.ratios["b"][0])


def test_the_guide_lies_at_a_thousandth():
    view = update_to_data_view({"W1": [1e-2, 1e-3, 1e-4]})
    guide = next(mark for mark in marks(view, "line") if mark["look"] == "ink" and len(mark["points"]) == 4)["points"]
    curve = next(mark for mark in marks(view, "line") if mark["look"] == "series0" and mark["width"] == 2.0)["points"]
    assert guide[1] == guide[3] == curve[3] and curve[1] < curve[3] < curve[5]
    assert "3 steps. log10 of update:data at the end: W1 -4" in view.summary


def test_ready_numbers_come_as_dicts_as_lists_of_dicts_and_as_logs():
    as_lists = update_to_data_view({"W": [1e-3, 1e-2], "b": [1e-4, 1e-5]})
    assert update_to_data_view([{"W": 1e-3, "b": 1e-4}, {"W": 1e-2, "b": 1e-5}]).to_json() == as_lists.to_json()
    assert rows(update_to_data_view({"W": [-3.0, -2.0]}, logs=True))["W"] == rows(as_lists)["W"]
    with pytest.raises(WrongObject, match=r"`ratios\['W'\]` holds -3, and a ratio is not below 0; say logs=True"):
        update_to_data_view({"W": [-3.0]})


def test_a_long_run_is_thinned_and_keeps_its_peak():
    ratios = np.full(20_000, 1e-3)
    ratios[7777] = 1.0
    view = update_to_data_view({"W": ratios})
    curve = next(mark for mark in marks(view, "line") if mark["look"] == "series0" and mark["width"] == 2.0)["points"]
    assert len(curve) <= 2 * 310
    peak = min(range(1, len(curve), 2), key=lambda n: curve[n])
    x0, x1 = curve[0], curve[-2]
    assert (curve[peak - 1] - x0) / (x1 - x0) == pytest.approx(7777 / 19_999, abs=1e-3)
    assert rows(view)["W"][3] == "0"  # log10 of 1
    assert len(json.dumps(update_to_data_view({f"W{n}": ratios for n in range(20)}).to_json())) < 40_000


def test_the_record_keeps_eight_bytes_for_each_number():
    ratios = UpdateRatios()
    for _ in range(100):
        ratios.log({"W": (np.ones((50, 50)), np.eye(50))})
    assert ratios.ratios["W"].itemsize * len(ratios.ratios["W"]) == 800


def test_odd_ratios_are_told():
    ratios = UpdateRatios()
    assert ratios.log({"still": ([0.0, 0.0], [1.0, 2.0]), "flat": ([1.0, 2.0], [3.0, 3.0]), "nan": ([np.nan, 1.0], [1.0, 2.0])})["still"] == 0
    assert math.isinf(ratios.ratios["flat"][0]) and math.isnan(ratios.ratios["nan"][0])
    view = update_to_data_view(ratios)
    assert "still -inf (no update), flat inf, nan nan" in view.summary
    assert rows(view)["still"][-2:] == ("1", "0") and rows(view)["flat"][-2:] == ("0", "1")
    json.dumps(view.to_json(), allow_nan=False)
    assert math.isnan(UpdateRatios().log({"e": ([], [])})["e"])
    many = update_to_data_view({f"W{n}": [1e-3] for n in range(70)})
    assert "Drawn: the first 5 of 70; the table has the first 60." in many.summary


@pytest.mark.parametrize(
    "pairs, message",
    [
        ([1], r"log\(\) needs a dict such as \{'W1': \(update, data\)\}, not an object of type list"),
        ({"W": 1e-3}, r"log\(\) got for 'W' an object of type float; it needs a pair"),
        ({"W": (np.ones(2), np.ones(3))}, r"an update of shape \(2,\) and data of shape \(3,\)"),
        ({"W": ("a", np.ones(3))}, r"`update of W` is str"),
    ],
)
def test_what_is_no_update_is_named(pairs, message):
    ratios = UpdateRatios()
    with pytest.raises(WrongObject, match=message):
        ratios.log(pairs)
    assert ratios.steps == 0
    for wrong, told in ((5, "an object of type int"), ({"W": 3.0}, r"has shape \(\)")):
        with pytest.raises(WrongObject, match=told):
            update_to_data_view(wrong)
    assert update_to_data_view(ratios).summary == "There are no update:data ratios to show."


def test_names_of_the_package_are_there_and_cheap():
    import zerohero.viz as viz
    import zerohero.widgets as widgets

    for name in ("activations", "gradients", "saturation", "gradient_flow", "update_to_data", "decision_boundary", "LayerRecorder", "UpdateRatios"):
        assert callable(getattr(viz, name)), name
    assert callable(widgets.BoundaryMovie)


def test_public_functions_print_their_text_where_there_is_no_notebook(capsys):
    from zerohero import viz

    viz.activations({"tanh 1": [[0.0, 1.0]]})
    viz.gradients({"tanh 1": [[0.0, 1.0]]})
    viz.saturation({"tanh 1": [[0.0, 1.0]]})
    viz.gradient_flow({"W": [1.0]})
    viz.update_to_data({"W": [1e-3]})
    viz.decision_boundary(lambda point: point[0], [[1.0, 0.0], [-1.0, 0.0]], [1, -1])
    text = capsys.readouterr().out
    for line in ("Activations", "Gradients", "Saturation", "Gradient flow", "Update to data", "Decision boundary"):
        assert f"\n{line}\n" in f"\n{text}"


SEEN = """\
- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - 'group "2 parameters at 2 steps. At the end: Mean |gradient| from 0.5 (<img>) to 0.5 (<img>); no gradient: b."': 0.09227 0.5419 |gradient| (log scale) <img> b mean largest 0.5 none
"""


@pytest.mark.browser
def test_in_the_browser_steps_are_walked_by_key_and_bars_told_when_pointed_at(drawn):
    page = drawn(gradient_flow_view([{"<img>": [0.1], "b": [0.1]}, {"<img>": [0.5], "b": None}], steps=[0, 10]))
    assert page.locator(".zh-says").inner_text() == "Step 10: Mean |gradient| from 0.5 (<img>) to 0.5 (<img>); no gradient: b."
    snapshot = page.locator(".zh-stage").aria_snapshot()
    page.locator(".zh-moving .zh-rects rect").first.hover()
    assert page.locator(".zh-readout").inner_text() == "<img>: mean |gradient| 0.5"
    page.locator(".zh-stage").press("ArrowLeft")
    assert page.locator(".zh-says").inner_text().startswith("Step 0: Mean |gradient| from 0.1") and page.locator("img").count() == 0
    assert snapshot == SEEN.rstrip()


@pytest.mark.browser
def test_in_the_browser_update_ratios_have_a_legend_and_a_table(drawn):
    page = drawn(update_to_data_view({"<script>": [1e-3, 1e-2], "b": [1e-4, math.nan]}))
    page.locator(".zh-dots circle").first.hover()
    assert page.locator(".zh-readout").inner_text() == "<script>, step 1: -2"
    page.locator(".zh-table summary").click()
    assert page.locator(".zh-table tbody tr").all_inner_texts()[1].split() == ["b", "-4", "-4", "-4", "-4", "0", "1"]
    assert page.locator("script").count() == 0 and "<script>" in page.locator(".zh-svg").text_content()
