"""The table of pairs: probabilities and walks against counting by hand, NumPy and the loop of the sampling exercise."""

import json
import math

import numpy as np
import pytest

from zerohero import data
from zerohero.dice import Dice
from zerohero.errors import WrongObject
from zerohero.viz import bigram
from zerohero.viz.bigram import LETTERS, bigram_view
from zerohero.viz.still import bundle

CHARS = [".", "a", "b"]
COUNTS = [[0, 3, 1], [1, 0, 3], [3, 1, 0]]


def cells(view):
    return next(mark for mark in view.marks if mark["mark"] == "cells")


def steps(view, name):
    return next(one for one in view.steps if one.name == name).frames


def says(view, name="walk"):
    return [frame.says for frame in steps(view, name)]


@pytest.fixture(scope="module")
def names():
    """(counts of the shipped names, their symbols)"""
    some = data.names()
    chars = [".", *sorted({letter for name in some for letter in name})]
    counts = np.zeros((len(chars), len(chars)), int)
    for name in some:
        for first, second in zip(f".{name}", f"{name}.", strict=True):
            counts[chars.index(first), chars.index(second)] += 1
    return counts, chars


def test_each_cell_says_its_probability_and_how_often():
    view = bigram_view(COUNTS, CHARS)
    assert cells(view)["values"] == ["0", "0.75 (3 times)", "0.25 (once)", "0.25 (once)", "0", "0.75 (3 times)", "0.75 (3 times)", "0.25 (once)", "0"]
    assert cells(view)["rows"] == ["after .", "after a", "after b"] and cells(view)["heads"] == CHARS and cells(view)["selects"] == "row"
    assert cells(view)["levels"] == [round(8 * math.sqrt(p)) for p in (0, 0.75, 0.25, 0.25, 0, 0.75, 0.75, 0.25, 0)]
    assert view.summary.startswith("12 pairs of 3 symbols")


def test_a_row_shows_its_distribution_as_bars_and_as_a_sorted_table():
    frame = steps(bigram_view(COUNTS, CHARS), "row")[1]
    assert frame.label == "a" and frame.says == "After a: b 0.75, . 0.25; 4 times in all."
    assert frame.table.rows == (("b", "0.75", "3"), (".", "0.25", "1"))
    around, bars = [mark["boxes"] for mark in frame.marks if mark["mark"] == "rects"]
    table = cells(bigram_view(COUNTS, CHARS))
    assert around[1] == pytest.approx(table["y"] + table["height"] - 1)  # around row 1
    assert [box[2] for box in zip(*[iter(bars)] * 4, strict=True)] == [67, 200]  # . is a third as likely as b
    assert [box[1] for box in zip(*[iter(bars)] * 4, strict=True)] == [table["y"] + 2, table["y"] + 2 * table["height"] + 2]


def test_probabilities_are_taken_as_they_are():
    P = np.array(COUNTS) / 4
    view = bigram_view(P, CHARS)
    assert cells(view)["values"][:3] == ["0", "0.75", "0.25"] and view.summary.startswith("Probabilities of 3 symbols")
    assert steps(view, "row")[1].table.rows == (("b", "0.75"), (".", "0.25"))
    assert says(view) == says(bigram_view(COUNTS, CHARS))


def test_the_walk_is_the_name_that_the_course_samples(names):
    """Oracle: the loop that the exercise m04-sample asks for."""
    counts, chars = names
    P = counts / counts.sum(axis=1, keepdims=True)

    def sample_name(dice):
        at, name = 0, ""
        while at := dice.choice(P[at]):
            name += chars[at]
        return name

    for seed in range(8):
        name = sample_name(Dice(seed))
        for table in (counts, P):
            last = says(bigram_view(table, chars, seed=seed))[-1]
            assert f"The name is '{name}':" in last or len(name) >= LETTERS
    dice = Dice(3)
    first, second = (says(bigram_view(counts, chars, seed=dice))[-1] for _ in range(2))  # the dice go on
    again = Dice(3)
    assert f"'{sample_name(again)}'" in first and f"'{sample_name(again)}'" in second


def test_a_walk_along_a_name_step_by_step():
    view = bigram_view(COUNTS, CHARS, walk="ab")
    total = 3 * math.log(0.75)
    assert says(view) == [
        "After . comes a, with probability 0.75. So far: 'a'.",
        "After a comes b, with probability 0.75. So far: 'ab'.",
        f"After b comes ., with probability 0.75. The name is 'ab': log probability {total:.4g}, {-total / 3:.4g} nats a symbol.",
    ]
    impossible = bigram_view(COUNTS, CHARS, walk="aa")
    assert says(impossible)[1] == "After a comes a, with probability 0. So far: 'aa'." and "log probability -inf, inf nats" in says(impossible)[-1]
    assert len(says(bigram_view(COUNTS, CHARS, walk=""))) == 1
    for frame in [*steps(view, "walk"), *steps(impossible, "walk")]:
        assert frame.marks


def test_a_walk_that_does_not_end_is_ended():
    endless = bigram_view([[0, 1], [0, 1]], [".", "a"])
    assert len(says(endless)) == LETTERS and says(endless)[-1].endswith(f"The walk stops here, after {LETTERS} symbols: log probability 0.")


def test_rows_that_sum_to_0_or_hold_no_numbers_are_said():
    view = bigram_view([[0, 1, 0], [0, 0, 0], [1, np.nan, 0]], CHARS)
    assert "Nothing comes after a: its row sums to 0." in view.summary and "Not a number in the row of b." in view.summary
    assert says(view) == ["After . comes a, with probability 1. So far: 'a'.", "The walk ends: the row of a sums to 0. So far: 'a'."]
    assert says(view, "row")[1:] == ["Nothing can be drawn: the row of a sums to 0.", "Nothing can be drawn: the row of b holds what is not a number."]
    assert cells(view)["levels"][3:] == [0, 0, 0, 0, None, 0] and cells(view)["values"][7] == "nan"
    assert "Nothing comes after ., a, b: their rows sum to 0." in bigram_view(np.zeros((3, 3)), CHARS).summary
    json.dumps(bundle(view)["application/vnd.zerohero.view+json"], allow_nan=False)


def test_a_table_divided_along_the_wrong_axis_is_said(names):
    counts, chars = names
    wrong = bigram_view(counts / counts.sum(axis=1), chars).summary  # the lesson's planted bug: it lacks keepdims
    assert "(27 of 27 rows do not): each is divided by its sum here. The columns sum to 1: were they meant to be rows?" in wrong
    assert "divided by its sum" not in bigram_view(counts / counts.sum(axis=1, keepdims=True), chars).summary
    for k in (1, 0.5, 0.01):  # smoothed counts are counts
        assert "pairs of 27 symbols" in bigram_view(counts + k, chars).summary and "divided by" not in bigram_view(counts + k, chars).summary


def test_tensors_other_alphabets_and_symbols_that_cannot_be_seen():
    torch = pytest.importorskip("torch")
    assert cells(bigram_view(torch.tensor(COUNTS), CHARS))["values"] == cells(bigram_view(COUNTS, CHARS))["values"]
    assert cells(bigram_view(torch.tensor(COUNTS, dtype=torch.float32).softmax(1).requires_grad_(), CHARS))["values"][4] == "0.042"
    view = bigram_view(COUNTS, ["\n", " ", "<b>"], walk=" ")
    assert cells(view)["heads"] == ["\\n", "␣", "<b>"] and says(view)[0] == "After \\n comes ␣, with probability 0.75. So far: ' '."
    assert "<b>" not in bundle(view)["text/html"]
    assert bigram_view([[1]], ["."]).steps


@pytest.mark.parametrize(
    "table, alphabet, options, message",
    [
        (np.ones((3, 4)), CHARS, {}, r"`table` has shape \(3, 4\); it must be square"),
        (np.ones(3), CHARS, {}, r"`table` has shape \(3,\); it must be square"),
        (COUNTS, "ab", {}, r"`alphabet` has 2 symbols for a table of shape \(3, 3\)"),
        (np.ones((66, 66)), range(66), {}, "`alphabet` has 66 symbols; 1 to 65 can be drawn"),
        (np.ones((0, 0)), "", {}, "`alphabet` has 0 symbols"),
        (-np.ones((3, 3)), CHARS, {}, "`table` holds negative numbers: .* of logits, hand in their softmax"),
        (COUNTS, CHARS, {"walk": "ac"}, "`walk` holds 'c', which is no letter of `alphabet`"),
        (COUNTS, CHARS, {"walk": "a.b"}, r"`walk` holds '\.'"),
        (COUNTS, CHARS, {"walk": 3}, "`walk` is of type int"),
        (COUNTS, CHARS, {"walk": "ab" * 20}, "`walk` has 40 letters"),
        ("abc", CHARS, {}, "`table` is str"),
    ],
)
def test_what_does_not_fit_is_named(table, alphabet, options, message):
    with pytest.raises(WrongObject, match=message):
        bigram(table, alphabet, **options)


def test_sizes(names):
    counts, chars = names
    shown = bundle(bigram_view(counts, chars))
    assert len(json.dumps(shown["application/vnd.zerohero.view+json"])) < 80_000 and len(shown["text/html"]) < 160_000
    rng = np.random.RandomState(0)
    assert len(json.dumps(bigram_view(rng.randint(0, 999, (65, 65)), [chr(40 + n) for n in range(65)]).to_json())) < 360_000  # each of 4225 pairs seen


SEEN = """- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - 'group "12 pairs of 3 symbols: what comes first down, what comes next across. Each row sums to 1; bars beside the table show the row that is chosen."':
    - application "3 rows, 3 columns; arrow keys read the cells, Enter chooses a row"
    - text: . a b . a b next first . a b after . 0.75"""


@pytest.mark.browser
def test_in_the_browser_a_cell_is_read_its_row_chosen_and_the_walk_stepped(drawn):
    page = drawn(bigram_view(COUNTS, CHARS, walk="ab"))
    assert page.locator(".zh-stage").aria_snapshot() == SEEN
    table = page.locator(".zh-cells")
    table.press("ArrowDown")
    table.press("ArrowRight")
    table.press("ArrowRight")
    assert page.locator(".zh-readout").inner_text() == "after a, b: 0.75 (3 times)"
    table.press("Enter")
    assert page.locator(".zh-says").inner_text() == "After a: b 0.75, . 0.25; 4 times in all."
    page.locator(".zh-choice").select_option(label="walk")
    page.locator(".zh-stage").press("End")
    assert "The name is 'ab': log probability -0.863" in page.locator(".zh-says").inner_text()
