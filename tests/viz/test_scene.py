"""What every view stands on: marks, axes, cells, the palette, and that the still picture is the picture of the browser."""

import itertools
import json
import math
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerohero.viz import scene, still
from zerohero.viz.chart import Chart, Scale, number, thinned
from zerohero.viz.matrix import levels, matrix, room
from zerohero.viz.palette import LEVELS, LOOKS, NEGATIVE, POSITIVE, SERIES
from zerohero.viz.scene import Frame, Steps, Table, View, plain

ROOT = Path(__file__).parents[2]
SCHEMA = jsonschema.Draft202012Validator(json.loads((resources.files("zerohero") / "schema" / "view-1.json").read_text()))

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "]]>&lt;&#x3c;",
    "\x00\x1b[31m\ud800\u202e",
    "a" * 500,
    "{{7*7}}${x}",
    "e\u0301👍שלום",
]

MARKS = {
    "line": scene.line([(10, 10), (110, 60), (30, 90)], "series1", 2),
    "area": scene.area([(10, 10), (110, 60), (30, 90)], "series2"),
    "arrow": scene.arrow([(10, 90), (90, 30)], "series1", 2),
    **{f"dots of {look}": scene.dots([(20, 20), (120, 70)], look, 6) for look in LOOKS},
    "dots with labels": scene.dots([(20, 20)], labels=["one"]),
    **{f"rects of {look}": scene.rects([(20, 20, 60, 30), (100, 40, 5, 50)], look) for look in LOOKS},
    "rects with labels": scene.rects([(20, 20, 60, 30)], labels=["a box"]),
    **{f"text at its {anchor}": scene.text(150, 50, "Text", anchor) for anchor in ("start", "middle", "end")},
    "bold text": scene.text(20, 50, "Text", size=20, bold=True),
    "turned text": scene.text(50, 100, "Text", "middle", turned=True),
    "cells": scene.cells(20, 20, (30, 20), [[0, 8, None], [1, 2, 3]], [["0", "8", "nan"], ["1", "2", "3"]], rows=["a", "b"], heads=["c", "d", "e"]),
    "cells of both signs": scene.cells(20, 20, (30, 20), [[-8, 8]], [["-8", "8"]], rows=["a"], heads=["c", "d"], scale="diverging"),
    "cells with numbers": scene.cells(20, 20, (30, 20), [[-8, 0]], [["-8", "0"]], rows=["a"], heads=["c", "d"], scale="diverging", shown=True, selects="row"),
    "handle": scene.handle("h", 60, 40, 0.1, 0.01, 1, (20, 100), log=True),
}


def view(*marks, **more):
    return View("test", "Title", "Summary.", 200, 120, tuple(marks), **more)


# ---- marks and JSON ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MARKS)
def test_every_mark_is_what_the_schema_says(name):
    made = view(MARKS[name]).to_json()
    SCHEMA.validate(made)
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_a_view_with_everything_is_what_the_schema_says():
    table = Table("numbers", ("a", "b"), (("1", "2"),))
    frames = (Frame("step 0", "First.", (MARKS["line"],), table), Frame("step 1", "Second."))
    made = view(*MARKS.values(), steps=(Steps("step", frames, 1), Steps("none", ())), table=table, actions=(("stop", "Stop"),)).to_json()
    SCHEMA.validate(made)
    assert made["sequences"][0]["labels"] == ["step 0", "step 1"] and made["sequences"][0]["frames"][1] == {"says": "Second.", "marks": []}


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"kind": "<b>"},
        {"width": 0},
        {"marks": [{"mark": "line", "points": [1, 2], "look": "ink", "width": 1}]},
        {"marks": [{"mark": "circle"}]},
        {"marks": [{**MARKS["line"], "look": "red"}]},
        {"marks": [{**MARKS["cells"], "levels": [9]}]},
        {"marks": [{**MARKS["line"], "onclick": "x"}]},
        {"html": "x"},
        {"graph": {}},
    ],
    ids=str,
)
def test_the_schema_refuses_what_is_not_in_the_contract(change):
    """The meta-test: a schema that takes anything would pass every other test."""
    assert not SCHEMA.is_valid({**view().to_json(), **change})


def test_coordinates_are_rounded_to_a_tenth():
    assert scene.line([(0.04, 1.26), (100, 2)])["points"] == [0, 1.3, 100, 2]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: scene.line([(0, math.nan), (1, 1)]), "nan is no place"),
        (lambda: scene.text(math.inf, 0, "x"), "inf is no place"),
        (lambda: scene.line([(0, 0)]), "1 point where at least 2 are needed"),
        (lambda: scene.area([(0, 0), (1, 1)]), "2 points where at least 3"),
        (lambda: scene.dots([(0, 0)], labels=["a", "b"]), "2 labels for 1 dots"),
        (lambda: scene.rects([(0, 0, 1, 1)], labels=["a", "b"]), "2 labels for 1 rects"),
        (lambda: scene.line([(0, 0), (1, 1)], "red"), "there is no look 'red'"),
        (lambda: scene.cells(0, 0, (9, 9), [[-1]], [["a"]], rows=["a"], heads=["b"]), "levels of sequential cells go from 0 to 8"),
        (lambda: scene.cells(0, 0, (9, 9), [[1]], [["a", "b"]], rows=["a"], heads=["b"]), "one level and one value for each of 1 rows and 1 columns"),
        (lambda: Table("t", ("a", "b"), (("1",),)).to_json(), "a row of 1 cells in a table of 2 columns"),
        (lambda: view(steps=(Steps("s", (Frame("a", "A."),), 1),)).to_json(), "start 1 of 1 frames"),
    ],
)
def test_what_the_browser_would_refuse_is_refused_where_it_is_made(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    "text, seen",
    [
        ("a\nb", "a\\nb"),
        ("\x00", "\\x00"),
        ("\u202e", "\\u202e"),
        ("\ud800", "\\ud800"),
        ("é👍", "é👍"),
        (3, "3"),
        (" the", " the"),
        ("\xa0", "\\xa0"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_shown_by_its_name(text, seen):
    assert plain(text) == seen


@given(st.text(max_size=300) | st.sampled_from(HOSTILE), st.integers(1, 100))
def test_plain_is_one_printable_line_of_bounded_length(text, longest):
    assert plain(text, longest).isprintable() and len(plain(text, longest)) <= longest


# ---- axes ------------------------------------------------------------------------------------------------------------------

any_floats = st.lists(st.floats(), max_size=30)


@given(any_floats, st.booleans(), st.booleans())
def test_a_scale_holds_every_number_that_can_be_drawn(numbers, log, zero):
    scale = Scale.over(numbers, log=log, zero=zero)
    assert math.isfinite(scale.low) and math.isfinite(scale.high) and scale.low < scale.high
    for n in numbers:
        drawn = math.isfinite(n) and (n > 0 or not log)
        assert -1e-9 <= scale.share(n) <= 1 + 1e-9 if drawn else math.isnan(scale.share(n))
    if zero and not log:
        assert scale.low <= 0 <= scale.high


@given(any_floats, st.booleans(), st.integers(2, 10))
def test_ticks_are_few_different_and_on_the_scale(numbers, log, about):
    scale = Scale.over(numbers, log=log)
    ticks = scale.ticks(about)
    assert len(ticks) == len(set(ticks)) <= 2 * about + 2 and ticks == sorted(ticks)
    assert all(-1e-6 <= scale.share(tick) <= 1 + 1e-6 for tick in ticks)


@pytest.mark.parametrize(
    "scale, ticks",
    [
        (Scale(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (Scale(-3, 25), [0, 5, 10, 15, 20, 25]),
        (Scale(2.1, 2.19), [2.1, 2.12, 2.14, 2.16, 2.18]),
        (Scale(1e-4, 10, log=True), [1e-4, 1e-3, 1e-2, 0.1, 1, 10]),
        (Scale(2, 5, log=True), [2, 5]),
        (Scale(1e-300, 1e300, log=True), [1e-300, 1e-199, 1e-98, 1e3, 1e104, 1e205]),
    ],
)
def test_ticks_are_round_numbers(scale, ticks):
    assert scale.ticks() == pytest.approx(ticks)


def test_shares_by_hand():
    assert Scale(0, 4).share(1) == 0.25 and Scale(1, 100, log=True).share(10) == pytest.approx(0.5)
    assert Scale(-1e308, 1e308).share(0) == 0.5 and Scale(1e-300, 1e300, log=True).share(1) == pytest.approx(0.5)


def test_numbers_at_an_axis_can_be_told_apart():
    chart = Chart("x", "y", Scale(0, 1), Scale(1000.01, 1000.06))
    names = [mark["text"] for mark in chart.axes() if mark["mark"] == "text" and mark["text"].startswith("1000")]
    assert len(names) == len(set(names)) >= 4 and "1000.03" in names


def test_a_line_ends_before_a_gap_and_is_cut_at_the_edge():
    chart = Chart("x", "y", Scale(0, 4), Scale(0, 1), width=400, height=100, left=0, top=0)
    marks = chart.lines([0, 1, 2, 3, 4], [0, 0.5, math.nan, 2, math.inf])
    assert marks == [scene.line([(0, 100), (100, 50)], "series0", 2.0), scene.dots([(300, 0)], "series0", 2)]


def test_a_chart_of_nothing_has_axes():
    chart = Chart("x", "y", Scale.over([]), Scale.over([math.nan], log=True))
    assert chart.lines([], []) == [] and chart.dots([], []) == [] and len(chart.axes()) > 5


def test_dots_outside_or_missing_are_left_out():
    chart = Chart("x", "y", Scale(0, 1), Scale(0, 1), width=100, height=100, left=0, top=0)
    (mark,) = chart.dots([0, 0.5, 2, math.nan], [0, 0.5, 0.5, 0.5], labels=["a", "b", "c", "d"])
    assert mark["points"] == [0, 100, 50, 50] and mark["labels"] == ["a", "b"]


@given(st.lists(st.floats(), max_size=300), st.integers(8, 60))
def test_thinned_keeps_the_extremes_the_ends_and_a_sign_of_every_gap(ys, most):
    xs = list(range(len(ys)))
    kept_x, kept_y = thinned(xs, ys, most)
    assert len(kept_x) <= max(most, 5 * math.ceil(most / 4)) + 5
    assert kept_x == sorted(kept_x) and all(np.array_equal(ys[int(x)], y, equal_nan=True) for x, y in zip(kept_x, kept_y, strict=True))
    finite = [y for y in ys if math.isfinite(y)]
    if ys:
        assert {0, len(ys) - 1} <= {*kept_x}
    if finite:
        assert {min(finite), max(finite)} <= {*kept_y}
    assert any(not math.isfinite(y) for y in ys) == any(not math.isfinite(y) for y in kept_y)


@pytest.mark.parametrize("value, text", [(0.25, "0.25"), (1e-5, "1e-05"), (math.nan, "nan"), (-math.inf, "-inf"), (1e308, "1e+308"), (12345.0, "1.234e+04"), (np.float32(3), "3")])  # fmt: skip
def test_a_number_as_it_is_said(value, text):
    assert number(value) == text


# ---- cells -----------------------------------------------------------------------------------------------------------------


def test_levels_by_hand():
    assert levels([[0, 0.01, 0.5, 1]]) == [[0, 1, 4, 8]]
    assert levels([[-1, 0, 1e-9, 1]], "diverging") == [[-8, 0, 1, 8]]
    assert levels([[-1.0, 2.0]]) == [[0, 8]]
    assert levels([[1.0, 4.0]], top=2.0) == [[4, 8]]
    assert levels([[math.nan, math.inf, -math.inf, 2.0]]) == [[None, None, None, 8]]
    assert levels(np.zeros((2, 0))) == [[], []] and levels([[0.0]]) == [[0]]


@given(st.lists(st.floats(), min_size=1, max_size=20), st.sampled_from(["sequential", "diverging"]))
def test_levels_are_whole_in_range_and_in_the_order_of_the_numbers(values, scale):
    (row,) = levels([values], scale)
    low = -LEVELS if scale == "diverging" else 0
    pairs = sorted((value, level) for value, level in zip(values, row, strict=True) if level is not None)
    assert all(isinstance(level, int) and low <= level <= LEVELS for _, level in pairs)
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(pairs))
    assert all((level is None) == (not math.isfinite(value)) for value, level in zip(values, row, strict=True))


def test_names_of_rows_and_columns_have_room():
    rows, heads = ["long name"] * 3, ["another", "b"]
    left, above = room(rows, heads, 20)
    marks = matrix(np.ones((3, 2)), rows, heads, at=(left, above), size=(20, 20))
    names = [mark for mark in marks if mark["mark"] == "text"]
    assert len(names) == 5 and all(mark["x"] - 6.6 * len(mark["text"]) > 0 for mark in names if mark["anchor"] == "end")
    assert all(mark["turned"] and mark["y"] - 6.6 * len(mark["text"]) > 0 for mark in names if mark["anchor"] == "start")


# ---- the still picture -------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Elements and attributes as a browser would find them."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


ALLOWED = {"figure", "figcaption", "strong", "br", "div", "svg", "title", "path", "circle", "rect", "text", "p", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"}  # fmt: skip


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_are_text_and_the_picture_is_well_formed(label):
    marks = [
        scene.text(0, 9, label),
        scene.dots([(1, 1)], labels=[label]),
        scene.rects([(1, 1, 2, 2)], labels=[label]),
        scene.cells(0, 0, (9, 9), [[1]], [[label]], rows=[label], heads=[label], shown=True),
        scene.handle(label, 0, 0, 1, 0, 2, (0, 9)),
    ]
    table = Table(label, (label,), ((label,),))
    made = View("test", label, label, 100, 100, tuple(marks), (Steps(label, (Frame(label, label),)),), table).to_json()
    SCHEMA.validate(made)
    root = ET.fromstring(still.svg(made))
    assert plain(label) in {(element.text or "").rstrip() for element in root.iter()}
    for tag, attributes in Tags(still.html(made)).found:
        assert tag in ALLOWED
        assert not [name for name in attributes if name.startswith("on") or name in ("href", "src", "xlink:href", "id")]
    assert still.plain_text(made).replace("\n", "").isprintable()


def test_the_still_picture_shows_the_frame_a_view_starts_with():
    frames = tuple(Frame(f"step {n}", f"Step {n}.", (scene.text(0, 9, f"frame {n}"),), Table("t", ("n",), ((str(n),),))) for n in range(3))
    made = view(steps=(Steps("empty", ()), Steps("step", frames, 2))).to_json()
    html = still.html(made)
    assert "frame 2" in html and "Step 2." in html and "frame 0" not in html and ">2</th>" in html
    assert still.plain_text(made).split("\n") == ["Title", "Summary.", "Step 2.", "n", "2"]


def test_a_long_table_is_cut_in_a_terminal():
    made = view(table=Table("t", ("n",), tuple((str(n),) for n in range(100)))).to_json()
    assert still.plain_text(made).endswith("39\n(the first 40 of 100 rows)") and ">99</th>" in still.html(made)


BOXES = """svg => {
  const origin = svg.getBoundingClientRect();
  const shapes = [...svg.querySelectorAll('path, rect, circle, text')].filter(one => one.getAttribute('visibility') !== 'hidden' && one.textContent !== ' ');
  const boxes = shapes.map(one => one.getBoundingClientRect());
  const round = n => Math.round(n * 10) / 10;
  return [
    Math.min(...boxes.map(box => box.left)) - origin.left, Math.min(...boxes.map(box => box.top)) - origin.top,
    Math.max(...boxes.map(box => box.right)) - origin.left, Math.max(...boxes.map(box => box.bottom)) - origin.top
  ].map(round);
}"""

PAINT = r"""svg => [...svg.querySelectorAll('path, rect, circle, text')]
  .filter(one => !one.matches('.zh-cursor, .zh-cover, .zh-cells *'))
  .map(one => { const s = getComputedStyle(one);
    return [one.getAttribute('d')?.replace(/[\d.]+/g, n => Math.round(n)), s.fill, s.fill === 'none' ? '' : s.fillOpacity, s.stroke, ...(s.stroke === 'none' ? [] : [s.strokeWidth, s.strokeDasharray, s.strokeOpacity])].join(' '); })"""


@pytest.mark.browser
def test_the_still_picture_is_the_picture_of_the_browser(drawn):
    """Every kind of mark lies in the same place, within a px, and is painted alike."""
    different = {}
    page = drawn(view())
    page.evaluate("() => { document.body.append(Object.assign(document.createElement('div'), { id: 'still' })); }")
    for name, mark in MARKS.items():
        made = view(mark).to_json()
        page.evaluate("view => window.answer(view)", made)
        page.evaluate("html => { document.getElementById('still').innerHTML = html; }", still.svg(made))
        player, picture = page.locator(".zh-svg"), page.locator("#still svg")
        one, other = player.evaluate(BOXES), picture.evaluate(BOXES)
        if any(abs(a - b) > 1 for a, b in zip(one, other, strict=True)):
            different[name] = (one, other)
        if mark["mark"] not in ("cells", "handle") and player.evaluate(PAINT) != picture.evaluate(PAINT):
            different[f"{name}: paint"] = (player.evaluate(PAINT), picture.evaluate(PAINT))
    assert not different


# ---- the palette -------------------------------------------------------------------------------------------------------------

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])  # of linear sRGB, IEC 61966-2-1


def linear(color):
    channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2: (lighter + 0.05) / (darker + 0.05) of relative luminances."""
    dark, light = sorted((XYZ[1] @ linear(one), XYZ[1] @ linear(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    """CIE 1976 L*a*b* under D65."""
    x = XYZ @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_formulas_are_right():
    """White on black is 21:1; L* of white is 100; #767676 is the grey of contrast 4.54 on white."""
    assert contrast("#ffffff", "#000000") == pytest.approx(21) and contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)
    assert lab(linear("#ffffff")) == pytest.approx([100, 0, 0], abs=0.02) and lab(linear("#ff0000")) == pytest.approx([53.24, 80.09, 67.2], abs=0.05)


@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_every_colour_is_seen_on_a_light_and_on_a_dark_page(page):
    colors = {look.color for look in LOOKS.values() if look.color != "currentColor"} | {POSITIVE, NEGATIVE}
    assert not {color: contrast(color, page) for color in colors if contrast(color, page) < 3}


@pytest.mark.parametrize("vision", DEFICIENCIES)
def test_series_are_told_apart_by_every_vision(vision):
    seen = {name: lab(DEFICIENCIES[vision] @ linear(LOOKS[name].color)) for name in SERIES}
    apart = {(a, b): float(np.linalg.norm(seen[a] - seen[b])) for a, b in itertools.combinations(SERIES, 2)}
    assert min(apart.values()) >= 15, apart
    positive, negative = (lab(DEFICIENCIES[vision] @ linear(color)) for color in (POSITIVE, NEGATIVE))
    assert np.linalg.norm(positive - negative) >= 15


def test_series_are_told_apart_without_colour():
    assert len({LOOKS[name].dash for name in SERIES}) == len({LOOKS[name].shape for name in SERIES}) == len(SERIES)


def test_the_browser_has_the_same_looks():
    css = (ROOT / "labext" / "style" / "view.css").read_text(encoding="utf-8")
    for name, look in LOOKS.items():
        rule = re.search(rf"^\.zh-{name} \{{([^}}]*)\}}", css, re.M)[1]
        found = dict(re.findall(r"--(zh(?:-dash)?): ([^;]+);", rule))
        assert found == {"zh": look.color.lower(), **({"zh-dash": look.dash} if look.dash else {})}
    for name, color in (("positive", POSITIVE), ("negative", NEGATIVE)):
        assert re.search(rf"\.zh-{name} \{{\s*fill: {color.lower()};", css)
    ts = (ROOT / "labext" / "src" / "view" / "view.ts").read_text(encoding="utf-8")
    assert re.findall(r"'(\w+)'", re.search(r"LOOKS = \[([^\]]*)\]", ts)[1]) == list(LOOKS)
    known = json.loads((ROOT / "src" / "zerohero" / "schema" / "view-1.json").read_text())["$defs"]["look"]["enum"]
    assert known == list(LOOKS)
