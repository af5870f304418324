"""What a layer puts out: counts against numpy, saturated and dead shares worked by hand, hooks against the arrays themselves."""

import gc
import json
import weakref
from itertools import pairwise

import numpy as np
import pytest

from zerohero.errors import WrongObject, ZeroheroError
from zerohero.viz.histograms import MOST, STEPS, activations_view, gradients_view
from zerohero.viz.layer_recorder import MOST as MOST_PASSES
from zerohero.viz.layer_recorder import LayerRecorder
from zerohero.viz.layer_values import Histogram, kind_of, measure
from zerohero.viz.saturation import saturation_view


def normal(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape)


def edges(histogram):
    return (histogram.first + np.arange(len(histogram.counts) + 1)) * histogram.width


def column(view, name, row=0, frame=None):
    table = view.table if frame is None else view.steps[0].frames[frame].table
    return table.rows[row][table.columns.index(name)]


# ---- figures of one layer ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 7.3, 1e30])
def test_counts_are_those_of_numpy(scale):
    values = normal(1000) * scale
    histogram = Histogram.of(values)
    assert histogram.counts.tolist() == np.histogram(values, edges(histogram))[0].tolist()
    assert histogram.counts.sum() == 1000 and 256 <= np.abs(values).max() / histogram.width < 512


def test_wider_bins_hold_the_same_values():
    values = normal(1000)
    fine = Histogram.of(values)
    wide = fine.wider(fine.width * 64)
    assert wide.counts.tolist() == np.histogram(values, edges(wide))[0].tolist()
    assert fine.wider(2.0**1000).counts.tolist() == [(values < 0).sum(), (values >= 0).sum()]


def test_mean_spread_and_counts_of_odd_values_are_those_of_numpy():
    values = normal(30, 20)
    values[0, :3] = np.nan, np.inf, -np.inf
    finite = values[np.isfinite(values)]
    one = measure(values)
    assert (one.mean, one.std, one.low, one.high) == pytest.approx((finite.mean(), finite.std(), finite.min(), finite.max()))
    assert (one.size, one.nans, one.infinities, one.extreme, one.dead) == (600, 1, 2, None, None)


@pytest.mark.parametrize(
    "kind, values, extreme, dead",
    [
        # by hand: units are columns. tanh: 0.97 itself is not beyond 0.97; the first column is beyond on both examples
        ("tanh", [[0.98, 0.97, -1.0, 0.0], [-0.99, 0.5, 0.2, 0.0]], 3 / 8, 1),
        ("sigmoid", [[0.02, 0.03, 0.99, 0.5], [0.98, 0.04, 1.0, 0.5]], 4 / 8, 2),
        # a ReLU unit is dead when it is 0 on every example; the others are 0 at times
        ("relu", [[0.0, 0.0, 2.0], [0.0, 1.0, 0.0]], 4 / 6, 1),
        ("relu", [[-0.0, 1e-300]], 1 / 2, 1),
        ("", [[1.0, 0.0]], None, None),
    ],
)
def test_saturated_and_dead_by_hand(kind, values, extreme, dead):
    one = measure(values, kind)
    assert one.extreme == (None if extreme is None else pytest.approx(extreme)) and one.dead == dead


def test_dead_units_as_makemore_counts_them():
    """makemore, part 3: (h.abs() > 0.99).all(0); here with our 0.97, and against a loop."""
    h = np.tanh(normal(32, 200) * 3 + 20 * (np.arange(200) % 50 == 0))
    one = measure(h, "tanh")
    assert one.dead == sum(all(abs(x) > 0.97 for x in h[:, unit]) for unit in range(200)) > 0
    assert one.units == 200 and one.extreme == pytest.approx(np.mean(np.abs(h) > 0.97))


def test_units_lie_on_the_last_axis_or_are_the_channels_of_images():
    h = np.ones((4, 5, 3))
    h[..., 1] = 0
    assert (measure(h, "relu").dead, measure(h, "relu").units) == (1, 3)
    images = np.ones((2, 3, 8, 8))
    images[:, 2] = 0
    assert (measure(images, "relu").dead, measure(images, "relu").units) == (1, 3)
    assert measure(np.zeros(5), "relu").dead is None  # examples or units? nobody knows


@pytest.mark.parametrize(
    "name, kind",
    [("tanh 1", "tanh"), ("ReLU", "relu"), ("layers.2.sigmoid", "sigmoid"), ("relu6", "relu"), ("LeakyReLU", ""), ("h1", ""), ("LogSigmoid", ""), ("gelu", "")],
)
def test_the_kind_of_a_layer_is_in_its_name(name, kind):
    assert kind_of(name) == kind


def test_the_kind_can_be_told():
    assert kind_of("h1", {"h1": "tanh"}) == "tanh" and kind_of("tanh", {"tanh": ""}) == ""
    with pytest.raises(WrongObject, match=r"`kinds` says that 'h1' is 'gelu'; there are tanh, sigmoid, relu"):
        activations_view({"h1": [[1.0]]}, kinds={"h1": "gelu"})


# ---- the view -----------------------------------------------------------------------------------------------------------


def test_the_sentence_says_what_the_layer_is():
    h = np.zeros((100, 10))
    h[:, 0], h[:50, 1], h[50:, 1] = 1.0, 0.99, -0.99
    h[:20, 2] = -1
    view = activations_view({"tanh 1": h})
    assert view.summary == f"tanh 1: mean 0.08, std {h.std():.2f}, 22% saturated, 2 of 10 units dead."
    assert column(view, "dead units") == "2 of 10" and column(view, "saturated, or 0 for a ReLU") == "22.00%"


def heights(view, look):
    """{left edge of a bin in px: its top}, of the outline of this look."""
    line = next(mark for mark in view.marks if mark["mark"] == "line" and mark["look"] == look and mark["width"] == 2)
    points = list(zip(line["points"][::2], line["points"][1::2], strict=True))
    return {x0: y0 for (x0, y0), (x1, y1) in pairwise(points) if y0 == y1 and x1 > x0}


def test_outlines_are_as_high_as_numpy_says():
    one, other = normal(400, 10), normal(400, 10, seed=1) * 2
    view = activations_view({"a": one, "b": other})
    bottom = max(mark["points"][1] for mark in view.marks if mark["mark"] == "line" and len(mark["points"]) > 8)
    for look, values in (("series0", one), ("series1", other)):
        tops = heights(view, look)
        width = 0.5  # |values| up to about 8: 40 bins at most, and a power of two
        assert f"bin of {width}" in " ".join(mark.get("text", "") for mark in view.marks)
        counts = np.histogram(values, np.arange(-10, 10.5, width))[0]
        shares = (counts[counts > 0] / values.size).tolist()
        drawn = [bottom - top for top in tops.values() if top < bottom]
        scale = max(drawn) / max(shares)
        assert max(drawn) > 50 and len(drawn) >= 10
        assert all(min(abs(d - scale * share) for share in shares) < 1 for d in drawn)


def test_far_values_are_left_out_of_the_picture_and_told():
    values = normal(1000, 4)
    values[0, 0] = 1e6
    view = activations_view({"a": values})
    assert "Outside the picture lie at most" in view.summary
    assert column(view, "highest") == "1e+06"


def test_steps_are_frames_and_of_many_some_are_shown():
    steps = [{"tanh 1": np.tanh(normal(50, 20) * (1 + s))} for s in range(100)]
    view = activations_view(steps, steps=range(0, 1000, 10))
    frames = view.steps[0].frames
    assert len(frames) == STEPS and frames[0].label == "step 0" and frames[-1].label == "step 990"
    assert view.steps[0].start == len(frames) - 1 and f"{STEPS} of 100 steps are shown" in view.summary
    assert column(view, "std", frame=0) == f"{steps[0]['tanh 1'].std():.4g}"
    assert "saturated" in frames[-1].says
    json.dumps(view.to_json(), allow_nan=False)


@pytest.mark.parametrize("layers, steps", [(1, 50), (5, 30), (12, 20)])
def test_the_size_of_a_view(layers, steps):
    view = activations_view([{f"tanh {n}": np.tanh(normal(64, 100) * (1 + n)) for n in range(layers)} for _ in range(steps)])
    assert len(json.dumps(view.to_json())) < 60_000


def test_many_layers_stand_beside_each_other():
    view = activations_view({f"relu {n}": np.maximum(normal(20, 10), 0) for n in range(30)})
    names = [mark["text"] for mark in view.marks if mark["mark"] == "text" and mark["text"].startswith("relu ")]
    assert names == [f"relu {n}" for n in range(MOST)] and f"the first {MOST} of 30 layers are shown" in view.summary.lower()
    assert len(view.table.rows) == MOST


@pytest.mark.parametrize(
    "layers",
    [
        {},
        [],
        {"empty": [], "nan": [[np.nan, np.nan]], "inf": [[np.inf, -np.inf]], "zero": np.zeros((2, 2)), "huge tanh": [[1e308, -1e308]]},
        {"tiny": [5e-324], "one": 3.0, "<script>alert(1)</script>\x00'\"": [[1.0, 2.0]]},
        [{"a": [[1.0]]}, {"b": [[2.0]]}],
        {"ints": [[1, 2]], "bools": [[True, False]]},
    ],
)
@pytest.mark.parametrize("make", [activations_view, gradients_view])
def test_odd_input_has_a_picture_without_nan(make, layers):
    text = json.dumps(make(layers).to_json(), allow_nan=False)
    assert "\x00" not in text


def test_odd_values_are_told():
    view = activations_view({"tanh 1": [[np.nan, 0.0, np.inf]]})
    assert "1 NaN, 1 infinite" in view.summary and column(view, "NaN or infinite") == "2"


@pytest.mark.parametrize(
    "layers, message",
    [
        (np.zeros((2, 2)), r"`layers` is an object of type ndarray; it must be a dict such as"),
        ([np.zeros(2)], r"`layers` holds an object of type ndarray"),
        ({"h": ["a"]}, r"`layers\['h'\]` is list of dtype <U1"),
        ({"h": [[1.0], [1.0, 2.0]]}, r"`layers\['h'\]` has rows of different lengths"),
    ],
)
def test_what_is_no_layer_is_named(layers, message):
    with pytest.raises(WrongObject, match=message):
        activations_view(layers)
    with pytest.raises(WrongObject, match=r"`steps` has 1 names for 2 dicts"):
        activations_view([{}, {}], steps=[0])


# ---- saturation map -----------------------------------------------------------------------------------------------------


def test_a_cell_is_full_where_the_unit_is_saturated():
    h = np.array([[0.99, 0.1, -0.98], [1.0, 0.2, 0.0]])
    view = saturation_view({"tanh 1": h})
    cells = next(mark for mark in view.steps[0].frames[0].marks if mark["mark"] == "cells")
    assert cells["levels"] == [8, 0, 8, 8, 0, 0] and cells["values"] == ["0.99", "0.1", "-0.98", "1", "0.2", "0"]
    assert view.summary == "Dead units: 1 in tanh 1."
    assert view.steps[0].frames[0].says == "tanh 1: 50% saturated; 1 of 3 units saturated on every example (number 0)."


def test_of_many_units_those_that_are_saturated_most_often_are_drawn():
    h = np.zeros((100, 300))
    h[:, 217] = 1
    h[:60, 5] = 1
    view = saturation_view({"tanh 1": h, "relu 2": h})
    cells = next(mark for mark in view.steps[0].frames[0].marks if mark["mark"] == "cells")
    assert {"unit 5", "unit 217"} <= set(cells["heads"]) and len(cells["levels"]) <= 2048
    assert "the 45 of 300 units that are saturated most often" in view.steps[0].frames[0].says
    assert view.steps[0].frames[1].says.startswith("relu 2: 99.5% 0; 298 of 300 units 0 on every example (numbers 0, 1, 2")
    assert len(json.dumps(view.to_json())) < 60_000


@pytest.mark.parametrize(
    "layers, message",
    [
        ({"h1": np.zeros((2, 2))}, r"`layers` has 'h1', and its name does not say what it is: saturation\(layers, kinds=\{'h1': 'tanh'\}\)"),
        ({"tanh": np.zeros(3)}, r"`layers\['tanh'\]` has shape \(3,\); it needs examples along axis 0"),
        ({"tanh": np.zeros((0, 3))}, r"has shape \(0, 3\)"),
        ([1], r"`layers` is an object of type list"),
    ],
)
def test_what_has_no_saturation_is_named(layers, message):
    with pytest.raises(WrongObject, match=message):
        saturation_view(layers)
    assert saturation_view({}).summary == "There are no layers to show."
    crossed = saturation_view({"tanh": [[np.nan, 1.0]]}).steps[0].frames[0].marks[0]
    assert crossed["levels"] == [None, 8]


# ---- torch --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def net():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))


def hooks(model):
    return sum(len(module._forward_hooks) + len(module._forward_pre_hooks) + len(module._backward_hooks) for module in model.modules())


def same(one, other):
    """Two LayerValues with the same numbers."""
    assert one.histogram.counts.tolist() == other.histogram.counts.tolist() and one.histogram.width == other.histogram.width
    assert (one.kind, one.mean, one.std, one.extreme, one.dead) == (other.kind, other.mean, other.std, other.extreme, other.dead)


def test_hooks_see_what_the_modules_compute(net):
    import torch

    x = torch.randn(20, 3)
    with LayerRecorder(net) as recorder:
        net(x).sum().backward()
    h1 = net[1](net[0](x)).detach().requires_grad_()
    h2 = net[3](net[2](h1)).detach().requires_grad_()
    net[4](h2).sum().backward()
    net[3](net[2](h1)).backward(h2.grad)
    ((label, outputs),) = recorder.activations
    assert label == "0" and list(outputs) == ["1 Tanh", "3 ReLU"]
    same(outputs["1 Tanh"], measure(h1, "tanh"))
    same(outputs["3 ReLU"], measure(h2, "relu"))
    ((_, back),) = recorder.gradients
    same(back["1 Tanh"], measure(h1.grad))
    same(back["3 ReLU"], measure(h2.grad))
    assert column(activations_view(recorder), "mean") == f"{h1.mean().item():.4g}"
    assert column(gradients_view(recorder), "std", row=1) == f"{h2.grad.numpy().std():.4g}"


def test_every_hook_is_gone_at_the_end_and_after_an_exception(net):
    import torch

    with LayerRecorder(net) as recorder:
        assert hooks(net) == 3  # the beginning of a pass, and two layers
        out = net(torch.randn(2, 3))
    assert hooks(net) == 0
    out.sum().backward()  # too late: the recorder has ended
    assert recorder.activations and not recorder.gradients
    with pytest.raises(RuntimeError), LayerRecorder(net):
        net(torch.randn(2, 7))
    assert hooks(net) == 0
    with pytest.raises(ZeroheroError, match="is at work already"), LayerRecorder(net) as recorder, recorder:
        pass
    assert hooks(net) == 0


def test_the_recorder_keeps_no_tensor_and_no_graph(net):
    import torch

    kept = []
    net[1].register_forward_hook(lambda module, inputs, output: kept.append(weakref.ref(output)))
    with LayerRecorder(net) as recorder:
        for _ in range(2):
            loss = net(torch.randn(4, 3)).sum()
            loss.backward()
            kept.append(weakref.ref(loss))
        net(torch.randn(4, 3))  # a graph that is never walked
        del loss
        gc.collect()
        assert [one() for one in kept] == [None] * 5
    assert not any(isinstance(one, torch.Tensor) for one in gc.get_referents(*recorder.__dict__.values()))


def test_what_the_model_computes_is_not_changed(net):
    import torch

    x = torch.randn(6, 3)
    net(x).sum().backward()
    plain = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    with LayerRecorder(net):
        net(x).sum().backward()
    assert all(torch.equal(p.grad, grad) for p, grad in zip(net.parameters(), plain, strict=True))


def test_steps_of_a_training_are_recorded_in_bounded_number(net):
    import torch

    with LayerRecorder(net) as recorder:
        for _ in range(300):
            net(torch.randn(2, 3))
            with torch.no_grad():
                net(torch.randn(2, 3))  # an evaluation is no step
    labels = [int(label) for label, _ in recorder.activations]
    assert len(labels) <= MOST_PASSES and set(np.diff(labels)) == {8} and labels[0] == 0 and labels[-1] >= 290
    with LayerRecorder(net, every=100) as recorder:
        for _ in range(300):
            net(torch.randn(2, 3))
    assert [label for label, _ in recorder.activations] == ["0", "100", "200"]


def test_one_backward_pass_after_several_forward_passes(net):
    import torch

    with LayerRecorder(net, layers=["1"]) as recorder:
        sum(net(torch.full((1, 3), float(n))).sum() for n in range(2)).backward()
    (_, one), (_, other) = recorder.gradients
    assert list(one) == list(other) == ["1 Tanh"]


def test_modules_can_be_chosen_and_used_twice(net):
    import torch

    class Shared(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.tanh = torch.nn.Linear(3, 3), torch.nn.Tanh()

        def forward(self, x):
            return self.tanh(self.linear(self.tanh(self.linear(x))))

    with LayerRecorder(Shared()) as recorder:
        pass
    model = Shared()
    with LayerRecorder(model) as recorder:
        model(torch.randn(2, 3))
    assert list(recorder.activations[0][1]) == ["tanh", "tanh (2)"]
    with LayerRecorder(net, layers=[net[0], "3"]) as recorder:
        net(torch.randn(2, 3))
    assert list(recorder.activations[0][1]) == ["0 Linear", "3 ReLU"]
    with LayerRecorder([net[0], net[1]]) as recorder:
        net[1](net[0](torch.randn(2, 3)))
        net[1](net[0](torch.randn(2, 3)))
    assert [label for label, _ in recorder.activations] == ["0", "1"]
    with LayerRecorder(torch.nn.Linear(2, 2)) as recorder:
        pass
    with LayerRecorder(torch.nn.Tanh()) as recorder:
        recorder._first(torch.randn(2, 2))
    assert list(recorder.activations[0][1]) == ["Tanh"]


def test_what_the_recorder_lacks_is_said(net):
    import torch

    with pytest.raises(WrongObject, match=r"`layers` holds 'nine', which is no part of the model; it has 0, 1, 2, 3, 4"):
        LayerRecorder(net, layers=["nine"])
    with pytest.raises(WrongObject, match=r"`model` is an object of type list; LayerRecorder needs a torch.nn.Module"):
        LayerRecorder([1])
    with LayerRecorder(net) as recorder:
        pass
    with pytest.raises(WrongObject, match="the recorder saw no forward pass: call the model inside its `with` block"):
        activations_view(recorder)
    with torch.no_grad(), LayerRecorder(net) as recorder:
        net(torch.randn(2, 3))
    with pytest.raises(WrongObject, match=r"all 1 forward passes were under torch\.no_grad\(\)"):
        activations_view(recorder)
    with torch.no_grad(), LayerRecorder(net, no_grad=True) as recorder:
        net(torch.randn(2, 3))
    assert activations_view(recorder).summary.startswith("1 Tanh: mean")
    with pytest.raises(WrongObject, match=r"the recorder saw no gradients: call loss\.backward\(\)"):
        gradients_view(recorder)


def test_the_gradient_of_a_tensor_is_shown_and_a_missing_one_named():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    h = x * 3
    with pytest.raises(WrongObject, match=r"`layers\['x'\]` has no gradient yet: call backward\(\)"):
        gradients_view({"x": x})
    h.retain_grad()
    (h**2).sum().backward()
    view = gradients_view({"x": x, "h": h, "ready": h.grad})
    assert [column(view, "mean", row) for row in range(3)] == ["27", "9", "9"]  # by hand: h.grad is 2h = 6, 12, and x.grad 3 times that
    with pytest.raises(WrongObject, match=r"call h.retain_grad\(\) before backward\(\)"):
        gradients_view({"h": x * 1})


SEEN = """\
- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - 'group "2 layers at 2 steps. At the end: tanh <b>: mean 0.50, std 0.50, 50% saturated, 1 of 2 units dead; relu: mean 0.00, std 0.00, 100% zero, 1 of 1 units dead."': 0 0.2 0.4 0.6 0.8 1 0 0.5 1 activation share of values in a bin of 0.0312 tanh <b> relu
"""


@pytest.mark.browser
def test_in_the_browser_steps_are_walked_by_key_and_layers_told_when_pointed_at(drawn):
    page = drawn(activations_view([{"tanh <b>": [[0.0, 0.0]], "relu": [[1.0]]}, {"tanh <b>": [[0.0, 1.0]], "relu": [[0.0]]}], steps=[0, 10]))
    assert page.locator(".zh-says").inner_text().startswith("Step 10: tanh <b>: mean 0.50, std 0.50, 50% saturated, 1 of 2 units dead")
    snapshot = page.locator(".zh-stage").aria_snapshot()
    page.locator(".zh-stage").press("ArrowLeft")
    assert page.locator(".zh-says").inner_text().startswith("Step 0: tanh <b>: mean 0.00, std 0.00, 0% saturated")
    page.locator(".zh-moving .zh-dots circle").hover()
    assert page.locator(".zh-readout").inner_text() == "tanh <b>: mean 0.00, std 0.00, 0% saturated, 0 of 2 units dead"
    page.locator(".zh-table summary").click()
    assert page.locator(".zh-table tbody tr").count() == 2 and page.locator(".zh-view b").count() == 0
    assert snapshot == SEEN.rstrip()
