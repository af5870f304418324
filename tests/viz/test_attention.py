"""Attention weights: cells and sentences against NumPy and torch; what breaks a softmax or a mask is said."""

import json

import numpy as np
import pytest

from zerohero.errors import WrongObject
from zerohero.viz import attention
from zerohero.viz.attention import attention_view
from zerohero.viz.still import bundle

TOKENS = ["the", " cat", " sat"]
WEIGHTS = np.array([[1, 0, 0], [0.75, 0.25, 0], [0.1, 0.6, 0.3]])


def causal(*shape):
    weights = np.tril(np.random.RandomState(0).rand(*shape) + 0.1)
    return weights / weights.sum(axis=-1, keepdims=True)


def cells(frame):
    (mark,) = frame.marks
    return mark


def test_one_matrix():
    view = attention_view(WEIGHTS, TOKENS)
    (frame,) = view.steps[0].frames
    assert cells(frame)["values"] == ["1", "0", "0", "0.75", "0.25", "0", "0.1", "0.6", "0.3"]
    assert cells(frame)["rows"] == cells(frame)["heads"] == ["0 the", "1 ␣cat", "2 ␣sat"]
    assert cells(frame)["levels"] == [8, 0, 0, 7, 4, 0, 3, 6, 4]  # eighths of the root
    assert frame.says == "The strongest link, 1 ␣cat looks at 0 the, 0.75."  # the first token has no other to look at
    assert frame.table.rows == (("0 the", "0 the", "1", "1"), ("1 ␣cat", "0 the", "0.75", "1"), ("2 ␣sat", "1 ␣cat", "0.6", "1"))
    assert view.summary == "3 tokens: each row is a token, its cells how much it looks at each other."


def test_heads_are_frames_and_layers_are_sequences():
    weights = causal(2, 3, 5, 5)
    view = attention_view(weights, "abcde")
    assert [steps.name for steps in view.steps] == ["layer 0", "layer 1"] and [f.label for f in view.steps[1].frames] == ["head 0", "head 1", "head 2"]
    for layer, steps in enumerate(view.steps):
        for head, frame in enumerate(steps.frames):
            assert [float(value) for value in cells(frame)["values"]] == pytest.approx(weights[layer, head].ravel().tolist(), rel=6e-2)
            row, column = np.unravel_index(np.argmax(weights[layer, head, 1:]), (4, 5))
            assert frame.says == f"Layer {layer}, head {head}: the strongest link, {row + 1} {'abcde'[row + 1]} looks at {column} {'abcde'[column]}, {weights[layer, head, row + 1, column]:.3g}."  # fmt: skip
    assert view.summary.startswith("2 layers, 3 heads, 5 tokens:")
    assert attention_view(weights[0], "abcde").steps[0].name == "head"


def test_torch_gives_weights_that_are_not_faulted():
    torch = pytest.importorskip("torch")
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(1, 6, 8, generator=torch.Generator().manual_seed(0))
    hidden = torch.triu(torch.ones(6, 6, dtype=torch.bool), 1)
    _, weights = module(x, x, x, attn_mask=hidden, average_attn_weights=False)
    for dtype in (torch.float32, torch.bfloat16):
        view = attention_view(weights[0].to(dtype), torch.arange(6))
        assert view.summary == "2 heads, 6 tokens: each row is a token, its cells how much it looks at each other."
        assert cells(view.steps[0].frames[0])["rows"][5] == "5 5"
    assert len(attention_view([weights[0], weights[0]], "abcdef").steps) == 2  # a list, one tensor for each layer
    with pytest.raises(WrongObject, match=r"tensors of shapes \(2, 6, 6\), \(6, 6\); those of all layers must be alike"):
        attention([weights[0], weights[0, 0]], "abcdef")


def faulty(**places):
    weights = causal(6, 6)
    for place, value in places.items():
        weights[int(place[1]), int(place[3])] = value
    return weights


@pytest.mark.parametrize(
    "weights, said",
    [
        (faulty(r3c1=0.9), "the row of 3 d sums to "),
        (np.ones((6, 6)), "the row of 0 a sums to 6, not to 1 (6 of 6 rows do not)"),
        (causal(6, 6).T, "(6 of 6 rows do not, but each column does: was the softmax taken over the wrong axis?)"),
        (faulty(r1c4=1e-3), "the mask has a hole: 1 b looks ahead at 4 e, 0.001 (1 of 15 weights above the diagonal are not 0)"),
        (faulty(r2c0=np.nan), "the row of 2 c holds what is not a number"),
        (np.full((6, 6), np.nan), "no weight is a number; the row of 0 a holds what is not a number (6 of 6 rows do)"),
        (np.random.RandomState(1).randn(6, 6), "weights are below 0: they are scores, of which the softmax is to be taken"),
    ],
)
def test_what_is_wrong_with_weights_is_said(weights, said):
    view = attention_view(np.stack([causal(6, 6), weights]), "abcdef")
    frame = view.steps[0].frames[1]
    assert said in frame.says and "In head 1 " in view.summary and said.split("; ")[-1] in view.summary
    assert frame.says.count(";") == said.count(";") + 1 or said.startswith("no weight")
    assert ";" not in view.steps[0].frames[0].says
    json.dumps(view.to_json(), allow_nan=False)


def test_attention_to_both_sides_has_no_hole():
    weights = np.full((6, 6), 1 / 6)
    assert "hole" not in attention_view(weights, "abcdef").steps[0].frames[0].says


def test_of_hundreds_of_tokens_the_first_or_last_are_drawn_and_all_are_looked_at():
    weights = causal(300, 300)
    weights[200] *= 0.75
    weights[200, 299] = 0.25
    for from_end, part, names in ((False, "first", ("0 t0", "47 t47")), (True, "last", ("252 t252", "299 t299"))):
        view = attention_view(weights, [f"t{n}" for n in range(300)], from_end=from_end)
        mark = cells(view.steps[0].frames[0])
        assert (mark["rows"][0], mark["rows"][-1]) == names and f"Drawn: the {part} 48 tokens." in view.summary
        assert "The mask has a hole: 200 t200 looks ahead at 299 t299" in view.summary
        assert len(json.dumps(view.to_json())) < 50_000
        start = int(names[0].split()[0])
        assert float(mark["values"][48 * 47 + 46]) == pytest.approx(weights[start + 47, start + 46], rel=6e-2)
        assert view.steps[0].frames[0].table.rows[-1][0] == names[1]


def test_many_heads_are_cut_and_it_is_said():
    view = attention_view(causal(12, 12, 100, 100), [str(n) for n in range(100)])
    assert sum(len(steps.frames) for steps in view.steps) == 36 and len(view.steps) == 3
    assert "Drawn: the first 13 tokens. Drawn: the first 36 of 144 heads; hand in one layer to see its others." in view.summary
    assert len(json.dumps(view.to_json())) < 130_000


def test_tokens_that_cannot_be_seen_or_would_do_harm():
    tokens = ["\n", "\x00", b"\xc3", "<script>alert(1)</script>", "a" * 999, 17]
    view = attention_view(causal(6, 6), tokens)
    assert cells(view.steps[0].frames[0])["rows"] == ["0 \\n", "1 \\x00", "2 \\xc3", "3 <script>ale…", "4 aaaaaaaaaaa…", "5 17"]
    shown = bundle(view)
    assert "<script" not in shown["text/html"] and all(line.isprintable() for line in shown["text/plain"].split("\n"))


@pytest.mark.parametrize("weights, tokens", [(np.zeros((0, 0)), []), (np.zeros((0, 3, 3)), "abc"), (np.ones((1, 1)), ["a"])])
def test_little_or_nothing(weights, tokens):
    bundle(attention_view(weights, tokens))


@pytest.mark.parametrize(
    "weights, tokens, message",
    [
        (WEIGHTS, TOKENS[:2], "`tokens` has 2 entries for weights between 3 tokens"),
        (np.ones((3, 4)), TOKENS, r"`weights` has shape \(3, 4\); it must be \(T, T\), \(heads, T, T\) or \(layers, heads, T, T\)"),
        (np.ones(3), TOKENS, r"`weights` has shape \(3,\)"),
        (np.ones((2, 2, 2, 3, 3)), TOKENS, "of a batch, hand in one example"),
        ([["a"]], ["a"], "`weights` is list of dtype"),
    ],
)
def test_what_does_not_fit_is_named(weights, tokens, message):
    with pytest.raises(WrongObject, match=message):
        attention(weights, tokens)


SEEN = """- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - 'group "2 heads, 3 tokens: each row is a token, its cells how much it looks at each other."':
    - text: looked at 0 the 1 ␣cat 2 ␣sat 0 the 1 ␣cat 2 ␣sat
    - application "3 rows, 3 columns; arrow keys read the cells\""""


@pytest.mark.browser
def test_in_the_browser_heads_are_stepped_and_weights_read(drawn):
    page = drawn(attention_view(np.stack([WEIGHTS, np.eye(3)]), TOKENS))
    assert page.locator(".zh-stage").aria_snapshot() == SEEN
    page.locator(".zh-cells").press("ArrowDown")
    assert page.locator(".zh-readout").inner_text() == "1 ␣cat, 0 the: 0.75"
    page.locator(".zh-stage").press("ArrowRight")
    assert page.locator(".zh-says").inner_text() == "Head 1: the strongest link, 1 ␣cat looks at 1 ␣cat, 1."
