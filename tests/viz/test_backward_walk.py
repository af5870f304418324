"""The backward walk: a two-layer net differentiated by hand beside torch, with known mistakes planted."""

import json

import numpy as np
import pytest

from zerohero.errors import WrongObject
from zerohero.viz import backward_walk
from zerohero.viz.backward_walk import backward_walk_view
from zerohero.viz.still import bundle

ONES = np.ones((2, 3))


def frames(view):
    return view.steps[0].frames


def listed(view):
    """{tensor: its verdict in the list on the left}"""
    mark = next(mark for mark in view.marks if mark["mark"] == "cells")
    assert mark["selects"] == view.steps[0].name and mark["heads"] == ["verdict"] and mark["shown"]
    return dict(zip(mark["rows"], mark["values"], strict=True))


@pytest.fixture(scope="module")
def net():
    """({gradient: by hand}, {tensor: of torch, with its grad}) of x W1 + b1, tanh, h W2 + b2, softmax, cross-entropy; in backward order."""
    torch = pytest.importorskip("torch")
    rng = np.random.RandomState(0)
    x, y = rng.randn(5, 4), rng.randint(0, 3, 5)
    W1, b1, W2, b2 = (rng.randn(*shape) for shape in ((4, 6), (6,), (6, 3), (3,)))
    z = x @ W1 + b1
    h = np.tanh(z)
    logits = h @ W2 + b2
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    dlogits = (probs - np.eye(3)[y]) / 5
    dh = dlogits @ W2.T
    dz = dh * (1 - h**2)
    by_hand = {"dlogits": dlogits, "dW2": h.T @ dlogits, "db2": dlogits.sum(0), "dh": dh, "dz": dz, "dW1": x.T @ dz, "db1": dz.sum(0)}
    tensors = {name: torch.tensor(value, requires_grad=True) for name, value in (("W1", W1), ("b1", b1), ("W2", W2), ("b2", b2))}
    tensors["z"] = torch.tensor(x) @ tensors["W1"] + tensors["b1"]
    tensors["h"] = tensors["z"].tanh()
    tensors["logits"] = tensors["h"] @ tensors["W2"] + tensors["b2"]
    for name in ("z", "h", "logits"):
        tensors[name].retain_grad()
    torch.nn.functional.cross_entropy(tensors["logits"], torch.tensor(y)).backward()
    return by_hand, tensors


def test_gradients_by_hand_are_right_beside_those_of_torch(net):
    by_hand, tensors = net
    view = backward_walk_view(by_hand, tensors)
    assert [frame.label for frame in frames(view)] == ["dlogits", "dW2", "db2", "dh", "dz", "dW1", "db1"] and view.steps[0].start == 0
    assert view.summary == "7 tensors: 7 right."
    for frame, (name, verdict) in zip(frames(view), listed(view).items(), strict=True):
        worst = np.max(np.abs(by_hand[name] - tensors[name[1:]].grad.numpy())) / np.max(np.abs(tensors[name[1:]].grad.numpy()))
        words = f"right to {worst:.1g}" if worst else "right to the last digit"
        assert frame.says == f"{name} {by_hand[name].shape}: {words}."
        assert verdict == ("✓ " + words).replace("right to the last digit", "right, exactly")
        yours = next(mark for mark in frame.marks if mark["mark"] == "cells")
        assert [float(value) for value in yours["values"]] == pytest.approx(by_hand[name].ravel().tolist(), rel=6e-3, abs=1e-9)
    assert (
        backward_walk_view({name: by_hand[name] for name in ("dh",)}, {"dh": tensors["h"].grad}).summary == "1 tensor: 1 right."
    )  # a plain array, its own name


def test_planted_mistakes_are_found_and_the_first_is_where_it_starts(net):
    by_hand, tensors = net
    wrong = {**by_hand, "dW2": by_hand["dW2"] * np.where(np.arange(6) == 4, 2, 1)[:, None], "db2": by_hand["db2"][:, None], "dz": None}
    wrong["dW1"] = wrong["dW1"].copy()
    wrong["dW1"][1, 2] = np.nan
    view = backward_walk_view(wrong, tensors)
    assert view.summary.startswith("7 tensors: 3 right, 3 wrong, 1 not yet. The first that is wrong, from the loss backwards, is dW2:")
    assert view.steps[0].start == 1
    assert listed(view)["dW2"] == "✗ wrong in 3 of 18" and listed(view)["db2"] == "✗ wrong shape" and listed(view)["dz"] == "… not yet"
    assert listed(view)["dW1"] == "✗ wrong in 1 of 24" and listed(view)["dh"].startswith("✓ right")
    says = {frame.label: frame.says for frame in frames(view)}
    at = int(np.argmax(np.abs(by_hand["dW2"][4])))
    assert says["dW2"] == (
        f"dW2 (6, 3): wrong in 3 of 18; worst at dW2[4, {at}]: yours {wrong['dW2'][4, at]:.4g}, truth {by_hand['dW2'][4, at]:.4g}. Only dW2[4, :] is wrong."
    )
    assert "db2 has shape (3, 1), the truth (3,)" in says["db2"] and "the numbers are right, in the wrong shape" in says["db2"]
    assert says["dz"] == "dz (5, 6): not yet." and "worst at dW1[1, 2]: yours nan" in says["dW1"]
    rows = {row[0]: row[1:] for row in view.table.rows}
    assert rows["dz"] == ("(5, 6)", "not yet", "", "") and rows["db2"][1] == "wrong shape, (3,) is right" and rows["dW2"][1] == "wrong in 3 of 18"
    json.dumps(view.to_json(), allow_nan=False)


def test_a_list_of_steps_with_formulas():
    view = backward_walk_view([("dlogits", ONES, ONES, "probs - onehot"), ("dh", ONES, None), ("dC", None, None, "demb, added up by id"), ("db", ONES)])
    assert listed(view) == {"dlogits": "✓ right, exactly", "dh": "? no truth", "dC": "… not yet", "db": "? no truth"}
    assert "probs - onehot" in [mark.get("text") for mark in frames(view)[0].marks] and view.table.rows[2] == ("dC", "", "not yet", "", "demb, added up by id")
    assert [frame.says for frame in frames(view)[1:3]] == ["dh (2, 3): no truth.", "dC: not yet."]
    assert view.summary == "4 tensors: 1 right, 1 not yet, 2 no truth."


def test_right_is_what_the_gradient_checker_takes_for_right():
    off = np.zeros((2, 3))
    off[0, 0] = 1
    for error, verdict in ((0.9e-6, "right to 9e-07"), (1.1e-6, "wrong in 1 of 6")):
        assert verdict in frames(backward_walk_view([("dW", ONES + error * off, ONES)]))[0].says
    single = backward_walk_view([("dW", (ONES * 0.1).astype(np.float32), ONES * 0.1)])
    assert listed(single)["dW"].startswith("✓ right to 1e-08")
    assert "float16, which keeps three digits" in frames(backward_walk_view([("dW", ONES.astype(np.float16), ONES)]))[0].says


def test_a_tensor_that_keeps_no_grad_is_named():
    torch = pytest.importorskip("torch")
    leaf = torch.ones(3, requires_grad=True)
    with pytest.raises(WrongObject, match=r"the tensor for `dh` keeps no grad: call \.retain_grad\(\) on it before loss\.backward\(\)"):
        backward_walk({"dh": np.ones(3)}, {"h": leaf * 2})
    with pytest.raises(WrongObject, match=r"the tensor for `dW` has no grad yet: call loss\.backward\(\) first"):
        backward_walk({"dW": np.ones(3)}, {"W": leaf})


@pytest.mark.parametrize(
    "steps, truth, message",
    [
        ([], None, "`steps` holds no tensor"),
        ({}, {}, "`steps` holds no tensor"),
        (3, None, "`steps` is of type int"),
        ("dW", None, "`steps` is of type str"),
        ([ONES], None, "each of `steps` must be"),
        ([(ONES, ONES)], None, "each of `steps` must be"),
        ([("dW", ONES, ONES)], {"W": ONES}, "`truth` goes with a dict of gradients"),
        ({"dW": ONES}, ONES, "`truth` is of type ndarray"),
        ({"dW": ONES}, {"V": ONES}, "`truth` has none of the names of `steps`: it has V, steps has dW"),
        ({"dW": ["a"]}, {"W": ONES}, "`dW` is list of dtype"),
        ({"dW": ONES}, {"W": "text"}, "`truth of dW` is str"),
        ([(f"d{n}", ONES) for n in range(65)], None, "`steps` holds 65 tensors; at most 64"),
    ],
)
def test_what_does_not_fit_is_named(steps, truth, message):
    with pytest.raises(WrongObject, match=message):
        backward_walk(steps, truth)


def test_odd_names_and_shapes():
    view = backward_walk_view([("<b>&\"\n" + "x" * 99, ONES, ONES), ("", ONES, ONES * 2), ("d0", 1.0, 2.0), ("d1", np.ones(0), np.ones(0)), ("d4", np.ones((2, 3, 4, 5)), np.zeros((2, 3, 4, 5)))])  # fmt: skip
    shown = bundle(view)
    assert "<b>" not in shown["text/html"] and len(frames(view)) == 5
    assert listed(view)["d0"] == "✗ wrong in 1 of 1" and listed(view)["d4"] == "✗ wrong in 120 of 120"


def test_the_size_of_26_tensors():
    rng = np.random.RandomState(0)
    steps = [(f"d{n}", value := rng.randn(32, 27), value * (1 + (n % 5 == 0))) for n in range(26)]
    assert len(json.dumps(backward_walk_view(steps).to_json())) < 150_000


SEEN = """- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - 'group "2 tensors: 1 right, 1 wrong. The first that is wrong, from the loss backwards, is dW: what comes after it may be wrong for that reason only."':
    - application "2 rows, 1 columns; arrow keys read the cells, Enter chooses a row": ✓ right, exactly ✗ wrong in 2 of 2
    - text: dh dW verdict relative error from
    - application "1 rows, 9 columns; arrow keys read the cells": right 1e-6 1e-5 1e-4 0.001 0.01 0.1 1 10
    - text: dW (1, 2) h.T @ dz yours
    - application "1 rows, 2 columns; arrow keys read the cells"
    - text: 0 1 truth
    - application "1 rows, 2 columns; arrow keys read the cells"
    - text: error
    - application "1 rows, 2 columns; arrow keys read the cells"
    - text: "[0]"\
"""


@pytest.mark.browser
def test_in_the_browser_a_tensor_is_chosen_from_the_list(drawn):
    page = drawn(backward_walk_view([("dh", ONES, ONES), ("dW", [[1.0, 2.0]], [[2.0, 4.0]], "h.T @ dz")]))
    assert page.locator(".zh-says").inner_text() == "dW (1, 2): wrong in 2 of 2; worst at dW[0, 1]: yours 2, truth 4. All of dW is wrong."
    assert page.locator(".zh-stage").aria_snapshot() == SEEN
    page.locator(".zh-cover").first.hover(position={"x": 10, "y": 30})  # through the box around the row that is shown
    assert page.locator(".zh-readout").inner_text() == "dW, verdict: ✗ wrong in 2 of 2"
    page.locator(".zh-cells").first.press("ArrowUp")
    page.locator(".zh-cells").first.press("Enter")
    assert page.locator(".zh-says").inner_text() == "dh (2, 3): right to the last digit."
    page.locator(".zh-stage").press("ArrowRight")
    assert page.locator(".zh-place").inner_text() == "dW (2/2)"
