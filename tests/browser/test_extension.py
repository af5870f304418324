"""Check and its report in JupyterLab and Notebook 7: a student's way from a wrong answer to a right one."""

import hashlib
import json
import re
import time
from pathlib import Path

import pytest
from lab_server import barriers, open_in, rewrite, serving, shoot, show_map_in_notebook_7
from playwright.sync_api import expect

from zerohero.exercise import find
from zerohero.report import MIME
from zerohero_autograder.build import source_notebook, student_notebook

pytestmark = pytest.mark.browser

COURSE = Path(__file__).parents[2] / "course"
SOON = 30_000  # ms; a kernel on a busy machine
WRONG = "def relu_backward(dout, x):\n    return dout"
RIGHT = "def relu_backward(dout, x):\n    return dout * (x > 0)"
OWN = "import zerohero\nprint(zerohero.__file__)\nprint(relu_forward(-1.0))"
FORWARD = "def relu_forward(x):\n    return np.maximum(x, 0)"


@pytest.fixture(scope="module")
def lesson():
    """The cells of a short m03, as students get them, by id: what Python it needs, the section on relu, its two exercises."""
    built = student_notebook(source_notebook((COURSE / "m03_layers" / "m03_layers.py").read_text(encoding="utf-8"), "m03_layers"))
    cells = {cell["id"]: cell for cell in built["cells"]}
    names = list(cells)
    given = next(cell for cell in built["cells"] if cell["metadata"].get("zerohero") == {"given": True})
    given["source"] = "import numpy as np\n\nfrom zerohero import check, hint"
    heading = cells[names[names.index("m03-relu-forward-answer") - 1]]
    own = {"cell_type": "code", "id": "own", "metadata": {}, "source": OWN, "outputs": [], "execution_count": None}
    chosen = [given, heading, *(cells[f"m03-relu-{way}{part}"] for way in ("forward", "backward") for part in ("-answer", ""))]
    return {**built, "cells": [*chosen[:4], own, *chosen[4:]]}


@pytest.fixture(scope="module")
def folder(lesson, tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")

    def write(name, **sources):
        cells = [{**cell, "source": sources.get(cell["id"].replace("-", "_"), cell["source"])} for cell in lesson["cells"]]
        (folder / f"{name}.ipynb").write_text(json.dumps({**lesson, "cells": cells}), encoding="utf-8")

    write("relu")
    write("all", own="# LEFT", m03_relu_forward_answer="def relu_forward(x):\n    return x", m03_relu_backward_answer=RIGHT)
    for name in ("classic", "gone"):
        write(name, m03_relu_backward_answer=WRONG)
    write("second", own="# RIGHT", m03_relu_backward_answer=WRONG)
    spoil(folder / "second.ipynb")
    foreign = [{"cell_type": "code", "metadata": {}, "source": "1 + 1", "outputs": [], "execution_count": None}]
    (folder / "foreign.ipynb").write_text(json.dumps({**lesson, "nbformat_minor": 4, "cells": foreign}), encoding="utf-8")
    return folder


def spoil(file):
    """A notebook without cell ids and without one check cell, with outputs that nobody should trust."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    finding = {"what": "<img src=x onerror=document.title='ran'> is wrong", "group": "<b>", "where": "`<script>`"}
    finding |= dict.fromkeys(("expected", "actual", "mistake", "because", "next"), "")
    report = {"schema": 1, "exercise": "m99-hostile", "title": "", "status": "failed", "groups": [], "findings": [finding]}
    reports = [report, {**report, "exercise": "gradcheck"}, {**report, "schema": 2}, {**report, "groups": {}}]
    outputs = [{"output_type": "display_data", "data": {MIME: one, "text/plain": "?"}, "metadata": {}} for one in reports]
    odd = {"cell_type": "code", "metadata": {"zerohero": ["?"]}, "source": "", "outputs": outputs, "execution_count": None}
    cells = [{key: value for key, value in cell.items() if key != "id"} for cell in notebook["cells"] if cell["id"] != "m03-relu-forward"]
    file.write_text(json.dumps({**notebook, "nbformat_minor": 4, "cells": [odd, *cells]}), encoding="utf-8")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def lab(folder, installed, scratch):
    with serving(folder, scratch, installed=installed) as address:
        yield address


@pytest.fixture
def runs_nothing_above(scratch):
    file = scratch / "config" / "lab" / "user-settings" / "zerohero" / "check.jupyterlab-settings"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"runAbove": false}')
    yield
    file.unlink()


@pytest.fixture
def saved(folder):
    def read(name):
        return {cell["id"]: cell for cell in json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]}

    return read


def cell(where, text):
    """The first code cell that holds ``text``, on the page or in a notebook of it."""
    return where.locator(".jp-CodeCell").filter(has_text=text).first


def save(page):
    page.keyboard.press("Control+s")
    expect(page.locator(".lm-DockPanel-tabBar .lm-mod-current.jp-mod-dirty")).to_have_count(0, timeout=SOON)


def test_from_a_wrong_answer_to_a_right_one(page, lab, saved, installed):
    """Check by the cell toolbar, the named mistake, two hints, a reload, the rest of it by the keyboard."""
    open_in(page, "jupyterlab", lab, "relu.ipynb")
    report = page.get_by_role("region", name="Check of m03-relu-backward")
    hints = find("m03-relu-backward").hints
    rewrite(page, cell(page, "def relu_backward"), WRONG)
    page.get_by_role("toolbar", name="Cell toolbar").get_by_role("button", name="Check", exact=True).click()
    expect(report.locator(".zh-verdict")).to_have_text(re.compile("✗Not right yet.*the gradient of x is wrong"), timeout=SOON)
    expect(report.locator(".zh-verdict")).to_be_in_viewport()
    expect(report.get_by_role("row", name="mistake")).to_contain_text("DROPPED_LOCAL")
    expect(page.get_by_role("log")).to_contain_text(
        "running the cells above first (3)"
    )  # the kernel had run nothing; one of the three fails, and that stops nothing
    report.get_by_role("application").press("ArrowDown")  # the field of cells; Enter and x are keys of JupyterLab elsewhere
    expect(report.locator(".zh-readout")).to_have_text(re.compile(r"^\[1\], column 0: off by \d+%$"))
    expect(page.locator(".zh-stale:visible")).to_have_count(0, timeout=SOON)
    expect(cell(page, "zerohero.__file__")).to_contain_text(str(installed))  # the kernel has the wheel
    report.get_by_role("button", name="Hint 1 of 3").press("Enter")
    expect(report.get_by_role("list", name="Hints")).to_contain_text(hints[0], timeout=SOON)
    report.get_by_role("button", name="Hint 2 of 3").click()
    expect(report.get_by_role("list", name="Hints")).to_contain_text(hints[1], timeout=SOON)
    expect(report.get_by_role("button", name="Hint 3 of 3")).to_be_visible()
    shoot(page, "report-failed")
    save(page)
    check = saved("relu")["m03-relu-backward"]
    assert check["metadata"]["zerohero"] == {"check": "m03-relu-backward", "hints": 2}
    assert check["outputs"][0]["metadata"] == {"zerohero": {"answer": hashlib.sha256(WRONG.encode()).hexdigest()[:16]}}
    assert hints[0] not in json.dumps(check)

    open_in(page, "jupyterlab", lab, "relu.ipynb")
    expect(report).to_contain_text("DROPPED_LOCAL", timeout=SOON)
    report.get_by_role("button", name="Show the hints you opened (2)").click()
    expect(report.get_by_role("list", name="Hints").get_by_role("listitem")).to_have_count(2, timeout=SOON)
    report.get_by_role("button", name="Lesson: 3. Layers that bend").click()
    expect(page.get_by_role("heading", name="3. Layers that bend")).to_be_in_viewport()
    rewrite(page, cell(page, "def relu_backward"), RIGHT)
    expect(report.get_by_role("status").first).to_contain_text("earlier version of your answer", timeout=SOON)
    page.keyboard.press("Alt+Shift+C")
    expect(report.locator(".zh-verdict")).to_have_text(re.compile("✓Passed"), timeout=SOON)
    expect(page.locator(".zh-stale:visible")).to_have_count(0, timeout=SOON)
    page.keyboard.press("Enter")
    page.keyboard.type(" # mine")
    expect(report.get_by_role("button", name="Check again")).to_be_visible(timeout=SOON)
    page.keyboard.press("Control+z")
    expect(report.get_by_role("button", name="Check again")).to_be_hidden(timeout=SOON)
    page.keyboard.type(" + 1")
    count = cell(page, 'check("m03-relu-backward"').locator(".jp-InputPrompt").first
    before = count.inner_text()
    for key in ("Escape", "ArrowDown", "Shift+Enter"):  # only the check cell is run: the kernel still has the answer before
        page.keyboard.press(key)
    expect(count).to_have_text(re.compile(r"\[\d+\]"), timeout=SOON)
    expect(count).not_to_have_text(before)
    expect(report.locator(".zh-verdict")).to_have_text(re.compile("✓Passed"))
    report.get_by_role("button", name="Check again").click()
    expect(report.locator(".zh-verdict")).to_have_text(re.compile("✗Not right yet"), timeout=SOON)
    expect(page.locator(".zh-stale:visible")).to_have_count(0, timeout=SOON)


def open_beside(page, address, left, right):
    """Two notebooks beside each other, the left one in front: as a workspace that the server is said to hold."""
    areas = [{"type": "tab-area", "currentIndex": 0, "widgets": [f"notebook:{name}"]} for name in (left, right)]
    dock = {"type": "split-area", "orientation": "horizontal", "sizes": [0.5, 0.5], "children": areas}
    data = {"layout-restorer:data": {"main": {"dock": dock, "current": f"notebook:{left}"}, "left": {"collapsed": True, "widgets": []}}}
    data |= {f"notebook:{name}": {"data": {"path": name, "factory": "Notebook"}} for name in (left, right)}
    workspace = {"data": data, "metadata": {"id": "beside"}}
    page.route("**/api/workspaces/beside*", lambda route: route.fulfill(json=workspace) if route.request.method == "GET" else route.fulfill(status=204))
    page.goto(f"{address}/lab/workspaces/beside")


def read_only(route):
    answer = route.fetch()
    route.fulfill(response=answer, json={**answer.json(), "writable": False})


def test_two_notebooks_of_which_one_is_hostile_and_read_only(page, lab):
    """The check goes to the notebook whose button was pressed; odd outputs harm nothing; a dead kernel stops the run."""
    page.set_viewport_size({"width": 1800, "height": 1000})
    page.route("**/api/contents/second.ipynb*", lambda route: read_only(route) if route.request.method == "GET" else route.continue_())
    open_beside(page, lab, "all.ipynb", "second.ipynb")
    left, right = (page.locator(f".jp-NotebookPanel:has(.jp-Notebook):has-text('{mark}')") for mark in ("LEFT", "RIGHT"))
    expect(right.get_by_text("update zerohero, then reload the page")).to_be_visible(timeout=2 * SOON)
    expect(right.get_by_text("This report cannot be shown: it.groups is not a list")).to_be_visible()
    hostile = right.get_by_role("region", name="Check of m99-hostile")
    expect(hostile).to_contain_text("<img src=x onerror=document.title='ran'> is wrong")
    assert hostile.locator("img, script, b").count() == 0 and page.title() != "ran"
    expect(right.get_by_role("region", name="Check of gradcheck")).to_contain_text("Not right yet")
    assert right.get_by_role("button", name="Hint 1 of 3").count() == 1  # of the hostile one; gradcheck has none

    cell(right, "def relu_backward").locator(".jp-InputPrompt").click()
    cell(left, "def relu_forward").locator(".jp-InputPrompt").click()
    right.locator(".jp-NotebookPanel-toolbar").get_by_role("button", name="Check", exact=True).click()
    expect(right.get_by_role("region", name="Check of m03-relu-backward")).to_contain_text("DROPPED_LOCAL", timeout=SOON)
    assert left.locator(".zh-report").count() == 0
    cell(right, "def relu_forward").locator(".cm-content").click()
    page.keyboard.press("Alt+Shift+C")
    expect(page.get_by_role("log")).to_contain_text("The check cell of m03-relu-forward was deleted")
    cell(right, "def relu_backward").locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" + 1")
    expect(right.get_by_role("button", name="Check again")).to_be_visible(timeout=SOON)  # known, though nothing could be noted down

    cell(left, "def relu_forward").locator(".cm-content").click()
    page.keyboard.press("Escape")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Check All Exercises").click()
    expect(page.get_by_role("log")).to_contain_text("Exercises: 1 passing, 1 failing.", timeout=SOON)  # the first fails, the second is checked all the same
    expect(left.get_by_role("region", name="Check of m03-relu-backward")).to_contain_text("Passed")

    rewrite(page, cell(left, "def relu_forward"), "import time\nprint('slee' + 'ping')\ntime.sleep(600)")
    check = left.locator(".jp-NotebookPanel-toolbar").get_by_role("button", name="Check", exact=True)
    check.click()
    expect(left.get_by_text("sleeping", exact=True)).to_be_visible(timeout=SOON)
    left.locator(".jp-NotebookPanel-toolbar").get_by_role("button", name="Interrupt", exact=True).click()
    expect(check).to_be_visible(timeout=SOON)
    expect(page.get_by_role("log")).to_contain_text("The check was interrupted")
    rewrite(page, cell(left, "sleep"), "import os\nos._exit(1)")
    page.keyboard.press("Alt+Shift+C")
    expect(page.get_by_role("log")).to_contain_text("The kernel stopped during the check", timeout=SOON)
    expect(check).to_be_visible()


def test_notebook_7_draws_the_report_and_checks(page, lab, runs_nothing_above):
    """It is served beside JupyterLab. With the setting off, Check asks for the cells above to be run."""
    open_in(page, "notebook", lab, "foreign.ipynb")
    expect(page.locator(".jp-NotebookPanel-toolbar [data-command='notebook:run-cell-and-select-next']")).to_be_visible(timeout=SOON)
    expect(page.locator("[data-command='zerohero:check']")).to_be_hidden()
    open_in(page, "notebook", lab, "classic.ipynb")
    cell(page, "def relu_backward").locator(".cm-content").click()
    page.get_by_role("button", name="Check", exact=True).first.click()
    expect(page.get_by_role("log")).to_contain_text("choose Run > Run All Above Selected Cell, then check again", timeout=SOON)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Above Selected Cell").click()
    page.get_by_role("button", name="Check", exact=True).first.click()
    report = page.get_by_role("region", name="Check of m03-relu-backward")
    expect(report).to_contain_text("DROPPED_LOCAL", timeout=2 * SOON)
    report.get_by_role("button", name="Hint 1 of 3").click()
    expect(report).to_contain_text(find("m03-relu-backward").hints[0], timeout=SOON)
    shoot(page, "report-notebook-7")
    show_map_in_notebook_7(page)
    tree = page.get_by_role("tree", name="Lessons and exercises")
    tree.get_by_role("treeitem", name="relu forward: not started").click()
    expect(page.locator(".jp-Notebook .jp-Cell.jp-mod-active")).to_contain_text("def relu_forward", timeout=SOON)
    shoot(page, "map-notebook-7")


def test_check_without_a_kernel_offers_to_start_one(page, lab, folder):
    notebook = json.loads((folder / "gone.ipynb").read_text(encoding="utf-8"))
    notebook["metadata"] = {"kernelspec": {"name": "gone", "display_name": "gone"}}
    (folder / "gone.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    page.goto(f"{lab}/lab/workspaces/w{time.monotonic_ns()}/tree/gone.ipynb?reset")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="No Kernel").click(timeout=2 * SOON)
    cell(page, "def relu_backward").locator(".cm-content").click()
    page.keyboard.press("Alt+Shift+C")
    dialog.get_by_role("button", name="No Kernel").click(timeout=SOON)
    expect(page.locator(".jp-NotebookPanel-toolbar").get_by_role("button", name="Check", exact=True)).to_be_visible()  # it gave up, and can be asked again
    assert page.locator(".zh-report").count() == 0
    page.keyboard.press("Alt+Shift+C")
    dialog.get_by_role("combobox").select_option(label="Python 3 (ipykernel)")
    dialog.get_by_role("button", name="Select Kernel").click(timeout=SOON)
    expect(page.get_by_role("region", name="Check of m03-relu-backward")).to_contain_text("DROPPED_LOCAL", timeout=2 * SOON)
    assert barriers(page, ".zh-report") == []
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text("JupyterLab Dark", exact=True).click()
    page.locator("body[data-jp-theme-light=false]").wait_for(state="attached", timeout=SOON)
    page.get_by_role("tab", name="Course map").click()
    page.get_by_role("tree", name="Lessons and exercises").wait_for()
    for selector in (".zh-report", "#zerohero-course"):
        assert barriers(page, selector) == []
    shoot(page, "dark")
