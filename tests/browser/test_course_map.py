"""The course map in JupyterLab: what the notebooks say, without a server of ours."""

import json
import time

import pytest
from lab_server import barriers, open_in, serving, shoot
from made_course import exercise, text, write
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

LOOK = 15_000  # ms; the map looks again within half a second, on a busy machine later


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    far = [text(f"# Part {n}\n\n" + "long text\n\n" * 40) for n in range(12)]  # so that the last exercise is off the screen
    write(folder, "m01_first", [text("# First"), *exercise("m01-done", "mine", "passed"), *exercise("m01-bad", "mine", "failed"), *far, *exercise("m01-last")])
    write(folder, "m02_second", [text("# Second"), *exercise("m02-open"), *exercise("m02-written", "mine")])
    (folder / "m03_broken").mkdir()
    (folder / "m03_broken" / "m03_broken.ipynb").write_text('{"cells": [', encoding="utf-8")
    (folder / "foreign.ipynb").write_text(json.dumps({"cells": [text("# Not ours")], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    feedback = folder / "m01_first" / "feedback" / "2026-12-01 10:00:00 UTC"
    feedback.mkdir(parents=True)
    (feedback / "m01_first.html").write_text(
        '<table class="all"><tbody><tr><th><a href="#m01-done">done</a></th><td class="n">1.5 of 2</td></tr></tbody></table><script>document.title="ran"</script>'
    )
    return folder


@pytest.fixture(scope="module")
def lab(course, installed, tmp_path_factory):
    with serving(course, tmp_path_factory.mktemp("lab"), installed=installed) as address:
        yield address


@pytest.fixture(scope="module")
def opened(browser, lab):
    """JupyterLab on m01 with the course map in front; one page for all tests, in their order."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    open_in(page, "jupyterlab", lab, "m01_first/m01_first.ipynb")
    page.get_by_role("tab", name="Course map").click()
    page.get_by_role("tree", name="Lessons and exercises").wait_for()
    yield page
    page.close()


def test_the_map_says_what_the_notebooks_hold(opened):
    panel = opened.get_by_role("region", name="Course map")
    expect(panel.get_by_role("treeitem")).to_have_count(6, timeout=LOOK)  # three lessons, and the exercises of the open one
    said = [item.get_attribute("aria-label") for item in panel.get_by_role("treeitem").all()]
    assert said[:4] == [
        "m01_first: 1 of 3 exercises pass",
        "done: passing, 1.5 of 2 graded points",
        "bad: failing, 2 points",
        "last: not started, 2 points",
    ]
    assert said[4] == "m02_second: 0 of 2 exercises pass" and said[5] == "m03_broken: cannot be read"
    expect(panel.get_by_text("1 of 5 exercises pass, 2 of 10 practice points")).to_be_visible()
    assert opened.title() != "ran"  # the page of feedback was read, not run


def test_going_to_an_exercise_and_on_to_the_next_unfinished_by_keys_alone(opened):
    tree = opened.get_by_role("tree", name="Lessons and exercises")
    tree.get_by_role("treeitem", name="m01_first").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        opened.keyboard.press(key)
    active = opened.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell.jp-mod-active")
    expect(active).to_be_in_viewport(timeout=LOOK)  # it was far below
    expect(active).to_contain_text("write here")
    expect(tree.get_by_role("treeitem", name="last")).to_have_attribute("aria-current", "true", timeout=LOOK)
    opened.get_by_role("button", name="Go to the next exercise").click()
    expect(opened.locator(".lm-DockPanel-tabBar .lm-mod-current")).to_contain_text("m02_second", timeout=LOOK)


def test_search_and_hostile_names_in_the_tree(opened, course):
    write(course, "m04_odd", [text("## <img src=x onerror=\"document.title='ran'\">"), *exercise("m04-<b>bold</b>"), *exercise("__proto__")])
    opened.get_by_role("button", name="Read the notebooks again").click()
    opened.get_by_role("searchbox", name="Search exercises").fill("m04")
    expect(opened.get_by_role("treeitem", name="<b>bold</b>: not started")).to_be_visible(timeout=LOOK)
    assert opened.locator("#zerohero-course b").count() == 0 and opened.title() != "ran"
    opened.get_by_role("searchbox", name="Search exercises").fill("")


def test_typing_an_answer_shows_as_edited_and_the_place_is_kept_over_a_reload(opened):
    tree = opened.get_by_role("tree", name="Lessons and exercises")
    item = tree.get_by_role("treeitem", name="last: not started")
    if not item.is_visible():  # the notebook before is in front
        tree.get_by_role("treeitem", name="m01_first").click()
    item.click()
    active = opened.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell.jp-mod-active")
    expect(active).to_be_in_viewport(timeout=LOOK)
    opened.keyboard.press("Enter")
    opened.keyboard.press("Control+End")
    opened.keyboard.type("x = 1")
    expect(tree.get_by_role("treeitem", name="last: edited")).to_be_visible(timeout=LOOK)
    time.sleep(1)  # JupyterLab writes its state a moment later
    opened.reload()
    opened.get_by_role("tree", name="Lessons and exercises").wait_for()
    resume = opened.get_by_role("button", name="Go to where you stopped")
    expect(resume).to_be_visible(timeout=LOOK)
    assert resume.get_attribute("title").startswith("last")


def test_a_notebook_that_is_renamed_keeps_its_row(opened, course):
    tree = opened.get_by_role("tree", name="Lessons and exercises")
    opened.get_by_role("menuitem", name="File", exact=True).click()
    opened.get_by_text("Rename Notebook…", exact=True).click()
    opened.get_by_role("dialog").get_by_role("textbox").fill("m01_mine.ipynb")
    opened.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(tree.get_by_role("treeitem", name="m01_mine: 1 of 3 exercises pass")).to_be_visible(timeout=LOOK)
    expect(tree.get_by_role("treeitem", name="m01_first")).to_have_count(0)
    tree.get_by_role("treeitem", name="bad: failing").click()  # it is found in the notebook under its new name
    expect(opened.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell.jp-mod-active")).to_contain_text("mine", timeout=LOOK)

    # and one that is moved on the disk, behind the back of JupyterLab
    (course / "m02_second" / "m02_second.ipynb").rename(course / "m02_moved.ipynb")
    opened.get_by_role("button", name="Read the notebooks again").click()
    expect(tree.get_by_role("treeitem", name="m02_moved: 0 of 2 exercises pass")).to_be_visible(timeout=LOOK)
    expect(tree.get_by_role("treeitem", name="m02_second")).to_have_count(0)


def test_a_folder_of_forty_lessons(opened, course):
    tree = opened.get_by_role("tree", name="Lessons and exercises")
    before = tree.get_by_role("treeitem", level=1).count()
    for n in range(40):
        write(course, f"m{50 + n}_many", [text(f"# {n}"), *exercise(f"m{50 + n}-one", "mine", "passed"), *exercise(f"m{50 + n}-two")])
    read = []
    opened.on("request", lambda request: read.append(request.url) if "/api/contents/" in request.url and "_many.ipynb" in request.url else None)
    opened.get_by_role("button", name="Read the notebooks again").click()
    expect(tree.get_by_role("treeitem", level=1)).to_have_count(before + 40, timeout=2 * LOOK)
    expect(tree.get_by_role("treeitem", name="m89_many: 1 of 2 exercises pass")).to_be_attached()
    assert len(read) == 40
    (course / "m89_many" / "m89_many.ipynb").unlink()
    for name in ("File Browser", "Course map"):  # whenever it comes in sight, it looks at the folder
        opened.get_by_role("tab", name=name).click()
    expect(tree.get_by_role("treeitem", level=1)).to_have_count(before + 39, timeout=2 * LOOK)
    assert len(read) == 40  # none of the others is read again
    assert barriers(opened, "#zerohero-course") == []
    shoot(opened, "forty-lessons")
