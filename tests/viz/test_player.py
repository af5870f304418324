"""The player in the page: keys, pointer, focus, what is read aloud, and views that somebody else wrote."""

import json

import pytest

from zerohero.viz import scene
from zerohero.viz.scene import Frame, Steps, Table, View

pytestmark = pytest.mark.browser


def sample(**more):
    """Every control there is: two sequences, cells that choose, a handle, a table, two actions."""
    grid = [["1", "2"], ["3", "4"], ["5", "6"]]
    marks = (
        scene.text(10, 20, "a title"),
        scene.cells(10, 30, (20, 20), [[1, 2], [3, 4], [5, 6]], grid, rows=["a", "b", "c"], heads=["x", "y"], selects="row"),
        scene.dots([(100, 50), (140, 50)], labels=["dot one", "dot two"]),
        scene.handle("rate", 200, 60, 0.1, 0.01, 1.0, (150, 250), log=True),
    )
    steps = tuple(Frame(f"step {n}", f"This is step {n}.", (scene.rects([(100 + n * 10, 70, 9, 9)], "focus"),)) for n in range(4))
    rows = tuple(Frame(name, f"This is row {name}.", (), Table(f"row {name}", ("x", "y"), (("1", "2"),))) for name in "abc")
    table = Table("all", ("name", "value"), tuple((f"n{n}", str(n)) for n in range(5)))
    made = View(
        "sample", "A sample", "Four steps.", 300, 120, marks, (Steps("step", steps, 1), Steps("row", rows)), table, (("stop", "Stop"), ("reset", "Reset"))
    )
    return {**made.to_json(), **more}


class Player:
    """The view as a reader meets it."""

    def __init__(self, page):
        self.page, self.stage, self.cells = page, page.locator(".zh-stage"), page.locator(".zh-cells")

    def text(self, part):
        return self.page.locator(f".zh-{part}").inner_text()

    @property
    def place(self):
        return self.text("place")

    def sent(self):
        return self.page.evaluate("window.sent")

    def answer(self, view=None):
        self.page.evaluate("text => window.answer(text ? JSON.parse(text) : undefined)", json.dumps(view) if view else "")

    def focused(self):
        return self.page.evaluate("() => { const e = document.activeElement; return e.getAttribute('aria-label') ?? e.textContent; }")


@pytest.fixture
def player(page, drawn):
    page.clock.install(time=0)
    page.clock.pause_at(3_600_000)  # time goes on when a test says so
    return Player(drawn(sample()))


def test_keys_step_and_jump(player):
    player.stage.focus()
    places = [player.place]
    for key in ("ArrowRight", "End", "ArrowRight", "ArrowLeft", "Home", "ArrowLeft"):
        player.page.keyboard.press(key)
        places.append(player.place)
    assert places == ["step 1 (2/4)", "step 2 (3/4)", "step 3 (4/4)", "step 3 (4/4)", "step 2 (3/4)", "step 0 (1/4)", "step 0 (1/4)"]
    assert player.text("says") == "This is step 0." and player.page.locator(".zh-moving rect").get_attribute("x") == "100"


def test_space_plays_to_the_last_frame_and_stops_there(player):
    player.stage.press(" ")
    button = player.page.get_by_role("button", name="Pause")
    assert button.count() == 1
    player.page.clock.run_for(950)
    assert player.place == "step 2 (3/4)"
    player.page.clock.run_for(10_000)
    assert player.place == "step 3 (4/4)" and button.count() == 0
    player.page.get_by_role("button", name="Play").click()  # once more from the start
    assert player.place == "step 0 (1/4)"
    player.page.get_by_role("button", name="Step forward").click()  # whoever steps wants no playing
    player.page.clock.run_for(10_000)
    assert player.place == "step 1 (2/4)"


def test_plus_minus_and_zero_zoom(player):
    width = lambda: float(player.page.locator(".zh-svg").get_attribute("width"))  # noqa: E731
    player.stage.press("+")
    assert width() == 375
    for _ in range(3):
        player.stage.press("-")
    assert width() == pytest.approx(300 / 1.5625)
    for _ in range(30):
        player.stage.press("+")
    assert width() == 2400  # eight times
    player.stage.press("0")
    assert width() <= 300
    player.page.get_by_role("button", name="Zoom in").click()
    assert width() > 300


def test_the_slider_and_the_menu(player):
    slider = player.page.get_by_role("slider", name="step")
    slider.press("End")
    assert player.place == "step 3 (4/4)" and slider.get_attribute("aria-valuetext") == "step 3"
    player.page.get_by_label("What to step through").select_option(label="row")
    assert player.place == "a (1/3)" and player.text("says") == "This is row a."


def test_the_focus_stays_where_it_was(player):
    button = player.page.get_by_role("button", name="Step forward")
    button.focus()
    for _ in range(4):
        player.page.keyboard.press("Enter")
    assert player.place == "step 3 (4/4)" and player.focused() == "Step forward" and button.get_attribute("aria-disabled") == "true"
    for selector, name in (("[data-handle]", "rate"), (".zh-action", "Stop")):
        player.page.locator(selector).first.focus()
        player.answer(sample(summary="Another."))
        assert player.focused() == name and player.text("summary") == "Another." and player.place == "step 3 (4/4)"


def test_cells_are_read_by_arrow_keys_and_enter_chooses_a_row(player):
    player.cells.focus()
    read = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowDown"):
        player.page.keyboard.press(key)
        read.append(player.text("readout"))
    assert read == ["a, y: 2", "a, y: 2", "b, y: 4", "b, x: 3", "a, x: 1", "a, x: 1", "b, x: 3"]
    assert player.place == "step 1 (2/4)"  # the arrows were the cells'
    player.page.keyboard.press("Enter")
    assert player.place == "b (2/3)"
    player.stage.focus()
    assert player.text("readout") == "" and player.page.locator(".zh-cursor").get_attribute("visibility") == "hidden"


def test_what_is_pointed_at_is_told(player):
    box = player.cells.locator(".zh-cover").bounding_box()
    player.page.mouse.move(box["x"] + 30, box["y"] + 50)
    assert player.text("readout") == "c, y: 6"
    player.page.mouse.click(box["x"] + 5, box["y"] + 50)
    assert player.place == "c (3/3)"
    player.page.locator(".zh-dots circle").nth(1).hover()
    assert player.text("readout") == "dot two"
    player.page.locator(".zh-title").hover()
    assert player.text("readout") == ""


def test_the_table_is_made_when_it_is_opened(player):
    rows = player.page.locator(".zh-table tbody tr")
    assert rows.count() == 0
    player.page.locator(".zh-table summary").click()
    player.page.locator(".zh-table td").first.wait_for()
    assert rows.count() == 5 and player.page.locator(".zh-table th[scope=row]").first.inner_text() == "n0"
    player.page.get_by_label("What to step through").select_option(label="row")
    assert player.page.locator(".zh-table summary").inner_text() == "As a table: row a" and rows.count() == 1


def test_a_dragged_handle_sends_one_value_at_a_time_and_the_last_one_arrives(player):
    box = player.page.locator("[data-handle]").bounding_box()
    middle, high = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    player.page.mouse.move(middle, high)
    player.page.mouse.down()
    for by in range(1, 50):
        player.page.mouse.move(middle + by, high)
    player.page.mouse.up()
    player.page.mouse.move(middle, high)  # no longer held
    assert len(player.sent()) == 1
    player.answer()
    assert len(player.sent()) == 2
    player.answer()
    first, last = player.sent()
    assert first["drag"] == "rate" and last["value"] == pytest.approx(10 ** (-1 + 2 * 49 / 100), rel=0.02)  # the range is 0.01 to 1 in 100 px
    assert float(player.page.locator("[data-handle]").get_attribute("cx")) == pytest.approx(249, abs=1)


def test_a_kernel_that_does_not_answer_gets_the_last_value_after_a_while(player):
    handle = player.page.locator("[data-handle]")
    for _ in range(3):
        handle.press("ArrowRight")
    assert [message["value"] for message in player.sent()] == [pytest.approx(10**-0.98, rel=1e-4)]
    player.page.clock.run_for(1100)
    assert [message["value"] for message in player.sent()][1:] == [pytest.approx(10**-0.94, rel=1e-4)]


def test_the_handle_is_a_slider_for_keys(player):
    handle = player.page.locator("[data-handle]")
    values = []
    for key in ("ArrowRight", "Shift+ArrowLeft", "End", "ArrowUp", "Home", "ArrowDown"):
        handle.press(key)
        values.append(float(handle.get_attribute("aria-valuenow")))
    assert values == pytest.approx([10**-0.98, 10**-1.18, 1, 1, 0.01, 0.01], rel=1e-4)
    assert {name: handle.get_attribute(name) for name in ("role", "aria-label", "aria-valuemin", "aria-valuemax")} == {
        "role": "slider", "aria-label": "rate", "aria-valuemin": "0.01", "aria-valuemax": "1",
    }  # fmt: skip


def test_actions_go_to_the_kernel_and_change_with_the_view(player):
    player.page.get_by_role("button", name="Stop").click()
    assert player.sent() == [{"act": "stop"}]
    player.answer(sample(actions=[]))
    assert player.page.locator(".zh-actions").is_hidden()


def test_the_readers_tree(player):
    """What a screen reader has of it, in its order."""
    assert player.page.locator(".zh-view").aria_snapshot() == TREE.strip()


TREE = """
- group "A sample":
  - paragraph: A sample
  - paragraph: Four steps.
  - toolbar "Steps":
    - combobox "What to step through":
      - option "step" [selected]
      - option "row"
    - button "First step": «
    - button "Step back": \u2039
    - button "Play"
    - button "Step forward": \u203a
    - button "Last step": »
    - slider "step": "1"
    - text: step 1 (2/4)
  - button "Stop"
  - button "Reset"
  - group "Zoom":
    - button "Zoom out": \u2212
    - button "Zoom in": +
    - button "Fit the whole picture": Fit
  - group "Picture. Left and Right step, Space plays, plus and minus zoom":
    - group "Four steps.":
      - text: a title
      - application "3 rows, 2 columns; arrow keys read the cells, Enter chooses a row"
      - slider "rate"
  - paragraph: This is step 1.
  - paragraph
  - group: "As a table: all"
"""


def test_the_tab_key_goes_through_everything_once_in_the_order_seen(player):
    seen = []
    for _ in range(20):
        player.page.keyboard.press("Tab")
        if not player.page.evaluate("document.activeElement.closest('.zh-view') !== null"):
            break
        seen.append(player.focused())
    assert seen == [
        "What to step through", "First step", "Step back", "Play", "Step forward", "Last step", "step", "Stop", "Reset", "Zoom out", "Zoom in",
        "Fit the whole picture", "Picture. Left and Right step, Space plays, plus and minus zoom",
        "3 rows, 2 columns; arrow keys read the cells, Enter chooses a row", "rate", "As a table: all",
    ]  # fmt: skip


def test_two_views_in_a_page_share_no_id_and_no_key(page, drawn):
    drawn(sample())
    page.evaluate("() => document.body.prepend(document.getElementById('view').firstChild)")
    page.evaluate("() => { document.getElementById('view').textContent = ''; }")
    assert page.locator(".zh-view [id], .zh-view[id]").count() == 0
    page.evaluate("() => { window.end(); }")
    assert page.locator(".zh-view").count() == 0


# ---- other pages ----------------------------------------------------------------------------------------------------------


def test_nothing_moves_by_itself_for_those_who_want_less_motion(page, drawn):
    page.emulate_media(reduced_motion="reduce")
    drawn(sample())
    moving = page.evaluate(
        """() => [...document.querySelectorAll('.zh-view, .zh-view *')].filter(one => { const s = getComputedStyle(one);
          return s.animationName !== 'none' || s.transitionDuration !== '0s' || s.scrollBehavior === 'smooth'; }).length"""
    )
    assert moving == 0 and page.locator(".zh-place").inner_text() == "step 1 (2/4)"


def test_forced_colours_keep_lines_text_and_controls(page, drawn):
    page.emulate_media(forced_colors="active")
    drawn(View("test", "T", "S.", 200, 100, (scene.line([(0, 50), (200, 50)]), scene.text(9, 20, "text"), scene.line([(0, 70), (200, 70)], "series1")), actions=(("a", "A"),)))  # fmt: skip
    style = page.evaluate(
        """() => { const of = selector => getComputedStyle(document.querySelector(selector));
          const canvas = Object.assign(document.createElement('p'), { style: 'color: canvastext; border-color: buttontext' });
          document.body.append(canvas);
          return { page: getComputedStyle(canvas).color, line: of('.zh-line').stroke, text: of('.zh-text').fill, border: of('.zh-action').borderTopColor,
                   button: getComputedStyle(canvas).borderTopColor, dash: of('.zh-series1').strokeDasharray, background: getComputedStyle(document.body).backgroundColor }; }"""
    )
    assert style["line"] == style["text"] == style["page"] != style["background"]
    assert style["border"] == style["button"] and style["dash"] == "7px, 4px"


# ---- views that somebody else wrote -----------------------------------------------------------------------------------------

TAGS = {"SECTION", "P", "DIV", "SELECT", "OPTION", "BUTTON", "INPUT", "SPAN", "svg", "g", "path", "rect", "circle", "text", "title", "DETAILS", "SUMMARY", "TABLE", "THEAD", "TBODY", "TR", "TH", "TD"}  # fmt: skip
EVIL = "<img src=x onerror='window.ran = 1'><script>window.ran = 1</script>\" onload=\"window.ran = 1"


def changed(**more):
    return json.dumps(sample(**more))


def mark(**more):
    return changed(marks=[more])


LINE = {"mark": "line", "points": [0, 0, 9, 9], "look": "ink", "width": 1}
CELLS = {
    "mark": "cells",
    "x": 0,
    "y": 0,
    "width": 9,
    "height": 9,
    "columns": 1,
    "scale": "sequential",
    "levels": [1],
    "values": ["v"],
    "rows": ["r"],
    "heads": ["h"],
}
HANDLE = {"mark": "handle", "name": "h", "x": 0, "y": 0, "along": "x", "value": 1, "from": 0, "to": 2, "span": [0, 9]}
STEP = {"name": "s", "labels": ["a"], "frames": [{"says": "", "marks": []}], "start": 0}

REFUSED = {
    "null": "null",
    "a list": "[]",
    "a text": json.dumps(EVIL),
    "no schema": "{}",
    "an older schema": changed(schema=0),
    "a schema that is a text": changed(schema="1"),
    "a title that is a number": changed(title=3),
    "a title that is an object": changed(title={"toString": EVIL}),
    "marks that are no list": changed(marks={"length": 3}),
    "a mark that is null": changed(marks=[None]),
    "an unknown mark": mark(mark="image", href="http://example.com/x.png"),
    "a mark from the prototype": mark(mark="constructor"),
    "an unknown look": mark(**{**LINE, "look": "ink' onload='x"}),
    "a look from the prototype": mark(**{**LINE, "look": "__proto__"}),
    "a point missing": mark(**{**LINE, "points": [1, 2, 3]}),
    "points that are texts": mark(**{**LINE, "points": ["0", "0", "9", "9"]}),
    "points that are null": mark(**{**LINE, "points": [None, 0, 0, 0]}),
    "a width of a line that is a text": mark(**{**LINE, "width": "1; fill: url(http://example.com)"}),
    "an infinite number": mark(**LINE).replace("[0, 0, 9, 9]", "[0, 0, 1e999, 9]"),
    "a negative box": mark(mark="rects", boxes=[0, 0, -1, 1], look="ink"),
    "labels that do not fit": mark(mark="dots", points=[0, 0], look="ink", r=1, labels=["a", "b"]),
    "cells that do not fit": mark(**{**CELLS, "levels": [1, 1]}),
    "a level out of range": mark(**{**CELLS, "levels": [9]}),
    "columns that are no number": mark(**{**CELLS, "columns": "1"}),
    "a handle with no range": mark(**{**HANDLE, "to": 0}),
    "a log handle from 0": mark(**{**HANDLE, "log": True}),
    "a size of 0": changed(width=0),
    "an enormous size": changed(width=1e9),
    "a start out of range": changed(sequences=[{**STEP, "start": 1}]),
    "a start that is a fraction": changed(sequences=[{**STEP, "start": 0.5}]),
    "labels without frames": changed(sequences=[{**STEP, "frames": []}]),
    "a table that does not fit": changed(table={"caption": "", "columns": ["a"], "rows": [["1", "2"]]}),
    "too many marks": changed(marks=[LINE] * 20_001),
    "too many points": mark(**{**LINE, "points": [0] * 200_002}),
    "fields that only the prototype has": changed().replace('"title": "A sample"', '"__proto__": {"title": "x"}'),
    "an action without a name": changed(actions=[{"label": EVIL}]),
}

SHOWN = {
    "hostile texts everywhere": changed(
        title=EVIL,
        summary=EVIL,
        kind=EVIL,
        marks=[
            {"mark": "text", "x": 9, "y": 9, "text": EVIL, "anchor": "start", "look": "ink", "size": 12},
            {"mark": "dots", "points": [9, 9], "look": "ink", "r": 3, "labels": [EVIL]},
            {"mark": "rects", "boxes": [0, 0, 9, 9], "look": "ink", "labels": [EVIL]},
            {**CELLS, "values": [EVIL], "rows": [EVIL], "heads": [EVIL], "selects": EVIL, "shown": True},
            {**HANDLE, "name": EVIL},
        ],
        sequences=[{"name": EVIL, "labels": [EVIL, EVIL], "frames": [{"says": EVIL, "marks": []}] * 2, "start": 0}, {**STEP, "name": EVIL, "labels": [EVIL]}],
        table={"caption": EVIL, "columns": [EVIL], "rows": [[EVIL]]},
        actions=[{"name": EVIL, "label": EVIL}],
    ),
    "a text without end": changed(title="x" * 300_000),
    "keys nobody asked for": changed(onclick=EVIL, html=EVIL, __proto__={"marks": []}, constructor=EVIL),
    "cells without cells": mark(**{**CELLS, "columns": 0, "levels": [], "values": [], "rows": [], "heads": []}),
    "cells that choose among no such sequence": mark(**{**CELLS, "selects": "constructor"}),
    "numbers far outside": mark(**{**LINE, "points": [-1e300, 1e300, 1e300, -1e300]}),
    "no sequences": changed(sequences=[]),
    "sequences without frames": changed(sequences=[{"name": "s", "labels": [], "frames": [], "start": 0}]),
}

STATE = """() => ({
  ran: window.ran ?? null,
  polluted: Object.keys(Object.prototype).concat(({}).title ?? []),
  tags: [...new Set([...document.querySelectorAll('#view *')].map(one => one.tagName))],
  handlers: [...document.querySelectorAll('#view *')].flatMap(one => [...one.attributes]).filter(a => /^on|href|^src|^style$/.test(a.name)).map(a => a.name),
  long: Math.max(...[...document.querySelectorAll('#view *')].filter(one => !one.children.length).map(one => one.textContent.length)),
  problem: document.querySelector('.zh-problem').hidden ? '' : document.querySelector('.zh-problem').textContent
})"""


def poke(page):
    """Use everything there is."""
    page.evaluate(
        """() => { for (const one of document.querySelectorAll('#view *')) {
          for (const type of ['pointerenter', 'pointermove', 'focus', 'click']) { one.dispatchEvent(new PointerEvent(type, { bubbles: type !== 'focus' })); }
          for (const key of ['ArrowRight', 'Enter', ' ', 'End']) { one.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); }
        } }"""
    )


def test_views_that_do_not_hold_to_the_contract_are_refused_in_a_sentence(page, drawn):
    drawn(sample())
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name, text in REFUSED.items():
        page.evaluate("text => window.answer(JSON.parse(text))", text)
        state = page.evaluate(STATE)
        assert state["problem"].startswith("This view cannot be shown: ") and state["problem"].endswith("."), (name, state["problem"])
        assert len(state["problem"]) < 200 and state["ran"] is None and state["polluted"] == [] and state["handlers"] == [] and {*state["tags"]} <= TAGS, name
        assert page.locator(".zh-title").inner_text() == "A sample"  # what was shown before stays
    assert errors == []


def test_hostile_views_are_shown_as_text(page, drawn):
    drawn(sample())
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.locator(".zh-table summary").click()
    for name, text in SHOWN.items():
        page.evaluate("text => window.answer(JSON.parse(text))", text)
        poke(page)
        state = page.evaluate(STATE)
        assert (state["problem"], state["ran"], state["polluted"], state["handlers"], errors) == ("", None, [], [], []), name
        assert {*state["tags"]} <= TAGS and state["long"] <= 2_000, name


def test_a_newer_schema_says_what_to_do(drawn):
    page = drawn({"schema": 2, "anything": []})
    assert page.locator(".zh-problem").inner_text() == (
        "This view was made by a newer zerohero (schema 2; this one knows 1): update zerohero, then reload the page."
    )
    assert page.locator(".zh-view button:visible, .zh-stage:visible, summary:visible").count() == 0


def test_what_is_no_json_is_said(player):
    player.page.evaluate("window.answer('{\"schema\": 1,')")
    assert "This view cannot be shown: what the kernel sent is not JSON." in player.page.locator("#view").inner_text()
    player.answer(sample(summary="Another."))
    assert player.text("summary") == "Another."
