"""Handing in from JupyterLab through nbgrader's exchange, and getting feedback back; without nbgrader, a file."""

import json
import os
import shutil
from pathlib import Path

import pytest
from lab_server import open_in, serving, shoot
from made_course import exercise, text, write
from nbgrader.apps import CollectApp, ReleaseAssignmentApp, ReleaseFeedbackApp
from nbgrader.utils import get_username
from playwright.sync_api import expect

from zerohero_autograder.record.gradebook import alembic_on_path

pytestmark = pytest.mark.browser

NAME = "m01_first"
SOON = 20_000  # ms


@pytest.fixture(scope="module")
def exchange(tmp_path_factory):
    """(exchange, the instructor's course with the module released, the student's home with the module fetched, nbgrader's settings)"""
    root, course, home = (tmp_path_factory.mktemp(name) for name in ("exchange", "course", "home"))
    os.chmod(root, 0o777)
    settings = f"c = get_config()\nc.Exchange.root = {str(root)!r}\nc.Exchange.cache = {str(root.parent / 'cache')!r}\nc.CourseDirectory.course_id = 'cs101'\n"
    (course / "nbgrader_config.py").write_text(settings)
    cells = [text("# First"), *exercise("m01-done"), *exercise("m01-open")]
    write_in = course / "release"
    write_in.mkdir()
    write(write_in, NAME, cells)
    run(ReleaseAssignmentApp, course, NAME)
    write(home, NAME, [text("# First"), *exercise("m01-done", "mine", "passed"), *exercise("m01-open")])
    return root, course, home, settings


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
def page(browser, exchange, extension, tmp_path_factory):
    """JupyterLab of the student on the fetched notebook, the course map in front."""
    scratch = tmp_path_factory.mktemp("lab")
    (scratch / "config").mkdir()
    (scratch / "config" / "nbgrader_config.py").write_text(exchange[3])
    with serving(exchange[2], scratch) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
        open_in(page, "jupyterlab", address, f"{NAME}/{NAME}.ipynb")
        page.get_by_role("tab", name="Course map").click()
        yield page
        page.close()


def test_submit_asks_says_what_is_done_and_hands_in_what_is_on_the_screen(page, exchange):
    page.get_by_role("button", name="Hand in the open notebook").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 of 2 exercises pass.", timeout=SOON)
    expect(dialog).to_contain_text("not started: m01-open")
    dialog.get_by_role("button", name="Cancel").click()
    inbound = exchange[0] / "cs101" / "inbound"
    assert not any(inbound.iterdir())

    page.locator(".jp-NotebookPanel .jp-CodeCell").first.click()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+End")
    page.keyboard.type(" typed last")
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
    rows = '<tr><th scope="row"><a href="#m01-done">Done</a></th><td class="n">1.5 of 2</td><td></td></tr>'
    (made / f"{NAME}.html").write_text(
        f"<!DOCTYPE html><title>fb</title><main><h1>{NAME}: 1.5 of 4 points</h1><table class='all'><tbody>{rows}</tbody></table></main>"
    )
    run(ReleaseFeedbackApp, course, NAME)
    page.get_by_role("button", name="Fetch feedback on the open notebook").click()
    shown = page.frame_locator(".jp-HTMLViewer iframe, iframe").first
    expect(shown.get_by_text("1.5 of 4 points")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("treeitem", name="done: passing, 1.5 of 2 graded points")).to_be_attached(timeout=SOON)
    shoot(page, "feedback")


def test_a_failure_of_nbgrader_is_said_and_nothing_is_claimed(page, exchange):
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text=NAME).first.click()
    inbound = exchange[0] / "cs101" / "inbound"
    inbound.rename(inbound.with_name("gone"))
    page.get_by_role("button", name="Hand in the open notebook").click()
    page.get_by_role("dialog").get_by_role("button", name="Hand in", exact=True).click(timeout=SOON)
    expect(page.get_by_text(f"{NAME} was NOT handed in").first).to_be_visible(timeout=SOON)
    inbound.with_name("gone").rename(inbound)


def test_without_nbgrader_there_is_a_file_to_hand_in(browser, exchange, extension, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("bare")
    (scratch / "config" / "jupyter_server_config.d").mkdir(parents=True)
    off = {"ServerApp": {"jpserver_extensions": {"nbgrader.server_extensions.assignment_list": False, "nbgrader": False}}}
    (scratch / "config" / "jupyter_server_config.d" / "zz.json").write_text(json.dumps(off))
    (scratch / "config" / "jupyter_server_config.json").write_text(json.dumps(off))
    with serving(exchange[2], scratch) as address:
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
