"""A student's way through m02 with the installed wheel, nbgrader's own extension beside ours: the map, a wrong answer, hints, the right one,
handing in through nbgrader's exchange, and feedback back; without nbgrader, a file.
"""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from lab_server import open_in, rewrite, serving, shoot, show_map_in_notebook_7
from nbgrader.apps import CollectApp, ReleaseAssignmentApp, ReleaseFeedbackApp
from nbgrader.utils import get_username
from playwright.sync_api import expect

from zerohero.exercise import find
from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.record.gradebook import alembic_on_path

pytestmark = pytest.mark.browser

NAME = "m02_micrograd"
LESSON = Path(__file__).parents[2] / "course" / NAME / f"{NAME}.py"
DONE = ("m02-value-add", "m02-value-mul", "m02-topo-sort", "m02-backward")
WRONG = """def value_pass_back(self):
    for node, slope in zip(self._prev, self._local):
        node.grad = slope * self.grad  # mine

Value.pass_back = value_pass_back"""
RIGHT = WRONG.replace("node.grad = ", "node.grad += ")
SOON = 30_000  # ms


@pytest.fixture(scope="module")
def exchange(tmp_path_factory):
    """(exchange, the instructor's course with m02 released, the home of a student who fetched it and has written DONE, nbgrader's settings)"""
    root, course, home = (tmp_path_factory.mktemp(name) for name in ("exchange", "course", "home"))
    os.chmod(root, 0o777)
    settings = f"c = get_config()\nc.Exchange.root = {str(root)!r}\nc.Exchange.cache = {str(root.parent / 'cache')!r}\nc.CourseDirectory.course_id = 'cs101'\n"
    (course / "nbgrader_config.py").write_text(settings)
    solved = source_notebook(LESSON.read_text(encoding="utf-8"), NAME)
    released = student_notebook(solved)
    write(course / "release", released)
    run(ReleaseAssignmentApp, course, NAME)
    answers = {cell["id"]: cell["source"] for cell in solved["cells"] if cell["id"] in [f"{id}-answer" for id in DONE]}
    write(home, {**released, "cells": [{**cell, "source": answers.get(cell["id"], cell["source"])} for cell in released["cells"]]})
    return root, course, home, settings


def write(folder, notebook):
    (folder / NAME).mkdir(parents=True)
    (folder / NAME / f"{NAME}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def run(app, folder, *arguments):
    here = os.getcwd()
    os.chdir(folder)
    alembic_on_path()
    try:
        app.clear_instance()
        made = app.instance()
        made.initialize([*arguments])
        made.start()
    finally:
        app.clear_instance()
        os.chdir(here)


@pytest.fixture(scope="module")
def page(browser, exchange, installed, tmp_path_factory):
    """JupyterLab of the student on the fetched notebook, the course map in front."""
    scratch = tmp_path_factory.mktemp("lab")
    (scratch / "config").mkdir()
    (scratch / "config" / "nbgrader_config.py").write_text(exchange[3])
    with serving(exchange[2], scratch, installed=installed) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
        open_in(page, "jupyterlab", address, f"{NAME}/{NAME}.ipynb")
        page.get_by_role("tab", name="Course map").click()
        yield page
        page.close()


def extensions(page):
    return {one["name"] for one in json.loads(page.locator("#jupyter-config-data").inner_text())["federated_extensions"]}


def test_m02_from_a_wrong_answer_to_the_next_exercise(page):
    address = page.url.split("/lab")[0]
    assert page.request.get(f"{address}/lab/extensions/zerohero/install.json").ok  # the wheel has this file, a link to a checkout has not
    assert {"zerohero", "@jupyter/nbgrader"} <= extensions(page)
    expect(page.get_by_role("menuitem", name="Nbgrader")).to_be_visible()
    expect(page.get_by_text("0 of 18 exercises pass")).to_be_visible(timeout=SOON)

    page.get_by_role("treeitem", name=re.compile("^accumulate: not started")).click()
    active = page.locator(".jp-NotebookPanel .jp-Cell.jp-mod-active")
    expect(active).to_contain_text("def value_pass_back", timeout=SOON)
    rewrite(page, active, WRONG)
    page.get_by_role("treeitem", name=re.compile("^accumulate: edited")).press("c")
    report = page.get_by_role("region", name="Check of m02-accumulate")
    expect(report.get_by_role("row", name="mistake")).to_contain_text("OVERWRITE", timeout=2 * SOON)
    expect(page.get_by_role("treeitem", name=re.compile("^accumulate: failing"))).to_be_visible(timeout=SOON)
    for number, words in enumerate(find("m02-accumulate").hints[:2], 1):
        report.get_by_role("button", name=f"Hint {number} of 3").click()
        expect(report.get_by_role("list", name="Hints")).to_contain_text(words.replace("`", "")[:30], timeout=SOON)
    shoot(page, "m02-wrong")

    rewrite(page, page.locator(".jp-CodeCell", has_text="# mine"), RIGHT)
    page.keyboard.press("Alt+Shift+C")
    expect(report.locator(".zh-verdict")).to_have_text(re.compile("✓Passed"), timeout=SOON)
    passing = page.get_by_role("treeitem", name=re.compile("^accumulate: passing"))
    expect(passing).to_be_visible(timeout=SOON)
    page.keyboard.press("Control+s")
    expect(page.locator(".lm-DockPanel-tabBar .lm-mod-current.jp-mod-dirty")).to_have_count(0, timeout=SOON)
    page.reload()
    expect(passing).to_be_visible(timeout=2 * SOON)
    expect(page.get_by_text("1 of 18 exercises pass")).to_be_visible()
    passing.click()
    expect(report.locator(".zh-verdict")).to_have_text(re.compile("✓Passed"), timeout=SOON)
    shoot(page, "m02-right")
    page.get_by_role("button", name="Go to the next exercise").click()
    expect(page.get_by_role("treeitem", name=re.compile("^value ops"))).to_have_attribute("aria-current", "true", timeout=SOON)
    expect(active).to_contain_text("m02-value-ops is not written yet")


def test_submit_asks_says_what_is_done_and_hands_in_what_is_on_the_screen(page, exchange):
    page.get_by_role("button", name="Hand in the open notebook").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 of 18 exercises pass.", timeout=SOON)
    expect(dialog).to_contain_text("not started: m02-value-ops")
    dialog.get_by_role("button", name="Cancel").click()
    inbound = exchange[0] / "cs101" / "inbound"
    assert not any(inbound.iterdir())

    rewrite(page, page.locator(".jp-NotebookPanel .jp-Cell.jp-mod-active"), "# typed last")
    page.get_by_role("button", name="Hand in the open notebook").click()
    dialog.get_by_role("button", name="Hand in", exact=True).click(timeout=SOON)
    expect(page.get_by_text(f"{NAME} was handed in at").first).to_be_visible(timeout=SOON)
    shoot(page, "submitted")
    (folder,) = inbound.iterdir()
    assert folder.name.startswith(f"{get_username()}+{NAME}+")
    sent = json.loads((folder / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    assert any("typed last" in "".join(cell["source"]) for cell in sent["cells"])


def test_feedback_is_fetched_opened_and_shown_beside_practice(page, exchange):
    page.get_by_role("button", name="Fetch feedback on the open notebook").click()
    expect(page.get_by_text("handed in, no feedback yet").first).to_be_visible(timeout=SOON)
    course = exchange[1]
    run(CollectApp, course, NAME)
    made = course / "feedback" / get_username() / NAME
    made.mkdir(parents=True)
    for note in (course / "submitted" / get_username() / NAME).glob("*.txt"):  # when it was handed in
        shutil.copy(note, made)
    rows = '<tr><th scope="row"><a href="#m02-accumulate">Gradients add up</a></th><td class="n">1.5 of 2</td><td></td></tr>'
    (made / f"{NAME}.html").write_text(
        f"<!DOCTYPE html><title>fb</title><main><h1>{NAME}: 1.5 of 4 points</h1><table class='all'><tbody>{rows}</tbody></table></main>"
    )
    run(ReleaseFeedbackApp, course, NAME)
    page.get_by_role("button", name="Fetch feedback on the open notebook").click()
    shown = page.frame_locator(".jp-HTMLViewer iframe, iframe").first
    expect(shown.get_by_text("1.5 of 4 points")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("treeitem", name="accumulate: passing, 1.5 of 2 graded points")).to_be_attached(timeout=SOON)
    shoot(page, "feedback")


def test_a_failure_of_nbgrader_is_said_and_nothing_is_claimed(page, exchange):
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text=NAME).first.click()
    inbound = exchange[0] / "cs101" / "inbound"
    inbound.rename(inbound.with_name("gone"))
    page.get_by_role("button", name="Hand in the open notebook").click()
    page.get_by_role("dialog").get_by_role("button", name="Hand in", exact=True).click(timeout=SOON)
    expect(page.get_by_text(f"{NAME} was NOT handed in").first).to_be_visible(timeout=SOON)
    inbound.with_name("gone").rename(inbound)


def test_notebook_7_hands_in_too(browser, page, exchange):
    inbound = exchange[0] / "cs101" / "inbound"
    before = len([*inbound.iterdir()])
    classic = browser.new_page(viewport={"width": 1280, "height": 1000})
    open_in(classic, "notebook", page.url.split("/lab")[0], f"{NAME}/{NAME}.ipynb")
    show_map_in_notebook_7(classic)
    expect(classic.get_by_role("treeitem", name=re.compile("^accumulate: passing"))).to_be_visible(timeout=SOON)
    classic.get_by_role("button", name="Hand in the open notebook").click()
    classic.get_by_role("dialog").get_by_role("button", name="Hand in", exact=True).click(timeout=SOON)
    expect(classic.get_by_text(f"{NAME} was handed in at").first).to_be_visible(timeout=SOON)
    assert len([*inbound.iterdir()]) == before + 1
    classic.close()


def test_without_nbgrader_there_is_a_file_to_hand_in(browser, exchange, installed, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("bare")
    (scratch / "config" / "jupyter_server_config.d").mkdir(parents=True)
    off = {"ServerApp": {"jpserver_extensions": {"nbgrader.server_extensions.assignment_list": False, "nbgrader": False}}}
    (scratch / "config" / "jupyter_server_config.d" / "zz.json").write_text(json.dumps(off))
    (scratch / "config" / "jupyter_server_config.json").write_text(json.dumps(off))
    with serving(exchange[2], scratch, installed=installed) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
        open_in(page, "jupyterlab", address, f"{NAME}/{NAME}.ipynb")
        page.get_by_role("tab", name="Course map").click()
        page.get_by_role("button", name="Hand in the open notebook").click()
        expect(page.get_by_role("dialog")).to_contain_text("There is no nbgrader on this server", timeout=SOON)
        with page.expect_download() as download:
            page.get_by_role("button", name="Save a file to hand in").click()
        assert download.value.suggested_filename == f"{NAME}.ipynb"
        assert json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["cells"]
        page.close()
