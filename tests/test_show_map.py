"""What a student sees of an error map: the sentence, the characters, and that both survive without colour or style."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from zerohero.gradcheck.error_map import error_map
from zerohero.report import ErrorMap, Finding, Group, Report
from zerohero.show import html, text
from zerohero.show.error_map import drawing, sentence


def wrong(shape, *places, by=0.5):
    """The map of an array of ones that is off by ``by`` in ``places``."""
    actual = np.ones(shape)
    for place in places:
        actual[place] += by
    return error_map("dw", np.ones(shape), actual)


def report(drawn):
    finding = Finding("gradient of `w` is wrong", where="dw[2, 0]", expected="1", actual="1.5", next="look", error_map=drawn)
    return Report("m01-x", "", "failed", (Group("values", False),), (finding,))


DIAGONAL, OFF = np.eye(5, dtype=bool), ~np.eye(5, dtype=bool)
SENTENCES = {
    "only `dw[2, :]` is wrong": wrong((5, 7), (2,)),
    "only `dw[:, 3]` is wrong": wrong((5, 7), (slice(None), 3)),
    "only `dw[2, 3]` is wrong": wrong((5, 7), (2, 3)),
    "only `dw[3:, 5:]` is wrong": wrong((5, 7), (slice(3, 5), slice(5, 7))),
    "only `dw[:, ::2]` is wrong": wrong((5, 7), (slice(None), slice(None, None, 2))),
    "only `dw[1::3, :]` is wrong": wrong((9, 2), (slice(1, None, 3),)),
    "only `dw[:5:2, :]` is wrong": wrong((9, 2), (slice(0, 5, 2),)),
    "only `dw[[1, 4], :]` is wrong": wrong((6, 4), ([1, 4],)),
    "only the diagonal of `dw` is wrong": wrong((5, 5), DIAGONAL),
    "only the diagonal of `dw` is right": wrong((5, 5), OFF),
    "only `dw[0]` is wrong": wrong((7,), 0),
    "only `dw[1, 2, :, 4]` is wrong": wrong((2, 3, 5, 5), (1, 2, slice(None), 4)),
    "only `dw[:, 0, :, ::2]` is wrong": wrong((2, 3, 5, 5), (slice(None), 0, slice(None), slice(None, None, 2))),
    "`dw` is wrong in 2 of 35 elements, all within `dw[1:3, 1:3]`": wrong((5, 7), (1, 1), (2, 2)),
    "`dw` is wrong in 3 of 35 elements": wrong((5, 7), (0, 0), (1, 3), (4, 6)),
    "all of `dw` is wrong": wrong((5, 7), ...),
    "`dw` is wrong only within `dw[40:60, :]`": wrong((200, 300), (slice(41, 59),)),
    "`dw` is wrong only within `dw[3, :, :, :]`": wrong((64, 2, 2, 2), (3, 1, 1)),
    "`dw` is wrong in every part": wrong((200, 300), (slice(None), slice(None, None, 5))),
}


@pytest.mark.parametrize("said", SENTENCES)
def test_a_sentence_says_where(said):
    assert sentence(SENTENCES[said]) == said


def test_the_examples_that_the_lab_extension_is_held_to_are_right():
    """tests/examples/error-maps.json: what labext/src/report/error_map.ts has to say as well."""
    examples = json.loads((Path(__file__).parent / "examples" / "error-maps.json").read_text(encoding="utf-8"))
    for example in examples:
        drawn = example["map"]
        cells = tuple(tuple(row) for row in drawn["cells"])
        assert sentence(ErrorMap(drawn["of"], tuple(drawn["shape"]), tuple(drawn["block"]), cells)) == example["says"]
    assert {example["says"] for example in examples} > set(SENTENCES)


def test_an_index_said_to_be_all_that_is_wrong_is_so():
    """Oracle: NumPy reads the index of the sentence; over 300 random patterns it selects exactly, or at least, what is wrong."""
    rng = np.random.RandomState(0)
    for _ in range(300):
        shape = tuple(rng.randint(1, 5, rng.randint(1, 5)))
        chosen = tuple(rng.choice([slice(None), rng.randint(n), slice(rng.randint(n), n)]) for n in shape)
        bad = np.zeros(shape, dtype=bool)
        bad[chosen] = True
        if rng.rand() < 0.5:
            bad &= rng.rand(*shape) < 0.6
        if not bad.any():
            continue
        drawn = error_map("dw", np.ones(shape), np.where(bad, 2.0, 1.0))
        said = sentence(drawn)
        index = re.search(r"dw\[(.*)\]`", said)
        here = np.zeros(shape, dtype=bool)
        if index:
            here[eval(f"np.s_[{index[1]}]", {"np": np})] = True
        if said.startswith("only `dw["):
            assert (here == bad).all(), said
        elif index:
            assert not (bad & ~here).any(), said


def test_one_row_line_by_line():
    assert text(report(SENTENCES["only `dw[2, :]` is wrong"])).split("\n") == [
        "m01-x: gradient of `w` is wrong",
        "  where     dw[2, 0]",
        "  expected  1",
        "  actual    1.5",
        "  next      look",
        "  map       only `dw[2, :]` is wrong",
        "            [0]  . . . . . . .",
        "            [1]  . . . . . . .",
        "            [2]  1 1 1 1 1 1 1",
        "            [3]  . . . . . . .",
        "            [4]  . . . . . . .",
        "            . is right; 1 is off by at least 10% of the largest expected value",
    ]


def test_every_size_of_error_has_its_character():
    sizes = (0.0, 1e-6, 9.9e-6, 1e-5, 0.0099, 0.01, 0.099, 0.1, 0.99, 1.0, 1e99, None)
    lines, key = drawing(ErrorMap("db", (12,), (1, 1), (sizes,)))
    assert lines == [("", ". 6 6 5 3 2 2 1 1 # # !")]
    assert key == (
        ". is right; # is off by at least 100% of the largest expected value, 1 by 10%, 2 by 1%, 3 by 0.1%, 5 by 0.001%, 6 by 0.0001%; ! is NaN or infinite"
    )


def test_rows_of_many_axes_are_labelled_with_their_index():
    lines, _ = drawing(wrong((2, 3, 2, 4), (1, 2)))
    assert [label.strip() for label, _ in lines] == [f"[{i}, {j}, {k}]" for i in range(2) for j in range(3) for k in range(2)]
    assert [marks for _, marks in lines] == [". . . ."] * 10 + ["1 1 1 1"] * 2


def test_a_large_map_is_put_together_for_text():
    lines, key = drawing(SENTENCES["`dw` is wrong only within `dw[40:60, :]`"])
    assert lines[3] == ("[36:48]    ", "1" * 30) and lines[5] == ("[60:72]    ", "." * 30)
    assert "each character is the worst of 12 x 10 elements" in key


@pytest.mark.parametrize("shape", [(64, 64), (200, 300), (8, 3, 5, 5), (3, 4, 100, 7), (5000,), (1000, 2, 2, 2)], ids=str)
def test_a_map_is_at_most_24_lines_of_80_columns(shape):
    rng = np.random.RandomState(0)
    actual = np.ones(shape) + rng.choice([0, 2, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, np.nan], shape) * (np.arange(shape[-1]) > 0)
    lines = text(report(error_map("dw", np.ones(shape), actual))).split("\n")
    lines = lines[next(i for i, line in enumerate(lines) if "  map" in line) :]
    assert len(lines) <= 24 and max(map(len, lines)) <= 80 and all(len(line) <= 72 for line in lines if "[" in line)


def test_nothing_is_drawn_where_a_sentence_says_it_all():
    assert drawing(SENTENCES["all of `dw` is wrong"]) == ([], "")
    assert "map" not in text(report(error_map("dw", 1.0, 2.0))) and "map" not in html(report(error_map("dw", [1.0], [2.0])))


@pytest.mark.parametrize("shape", [(5, 7), (30, 40), (200, 300)], ids=str)
def test_html_without_tags_or_styles_still_shows_every_character(shape):
    drawn = wrong(shape, (2,), (0, 1))
    shown = html(report(drawn))
    lines, key = drawing(drawn, 64, 120)
    bare = unescape(re.sub("<[^>]*>", "", shown))
    assert "\n".join(label + marks for label, marks in lines) in bare and key in bare
    assert ("<details>" in shown) == (len(lines) > 8)
    assert shown.count("<mark ") == sum(bool(re.search("[1-9#!]", marks)) for _, marks in lines)


def test_html_escapes_the_name_of_the_array():
    drawn = replace(SENTENCES["only `dw[2, :]` is wrong"], of='"><script>')
    assert "<script>" not in html(report(drawn)) and '"><' not in re.sub(r"<[^<>]*>", "", html(report(drawn)))


def test_without_values_there_is_no_map():
    shown = report(SENTENCES["only `dw[2, :]` is wrong"])
    bare = shown.without_values()
    assert bare.findings[0].error_map is None
    for view in (text, html):
        assert "map" in view(shown) and "map" not in view(bare) and "dw" not in view(bare)
