"""The gallery of views in JupyterLab and in Notebook 7: drawn, stepped, dragged, reopened without a kernel.

Set ZEROHERO_SHOTS to a folder to keep a screenshot of every view.
"""

import importlib.util
import json
import os
import re
import time
from pathlib import Path

import pytest
from lab_server import barriers, open_in, run_all_and_save, serving, shoot
from playwright.sync_api import expect

from zerohero.viz.scene import MIME

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
WIDGET = "application/vnd.jupyter.widget-view+json"
SOON = 20_000  # ms


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The gallery, not run yet."""
    spec = importlib.util.spec_from_file_location("gallery_build", ROOT / "docs" / "gallery" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = tmp_path_factory.mktemp("gallery")
    module.build(out / "gallery.ipynb")
    return out


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A folder for the server, with the setting that every cell is in the page, so that views can be counted."""
    folder = tmp_path_factory.mktemp("server")
    settings(folder, "notebook-extension/tracker", '{"windowingMode": "none"}')
    return folder


def settings(scratch, name, json):
    file = scratch / "config" / "lab" / "user-settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
    file.parent.mkdir(parents=True)
    file.write_text(json, encoding="utf-8")


def outputs(file):
    """The outputs of the saved notebook that hold a view, in order."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return [output for cell in cells for output in cell.get("outputs", []) if MIME in output.get("data", {})]


def walk(page, titles):
    """Step each view by keyboard where it has steps, and see that the step is shown. Returns {number and title: problem}."""
    wrong = {}
    views = page.locator(".zh-view:visible")
    expect(views).to_have_count(len(titles), timeout=6 * SOON)
    for number, title in enumerate(titles):
        view = views.nth(number)
        try:
            view.scroll_into_view_if_needed()
            expect(view.locator(".zh-title")).to_have_text(title)
            expect(view.locator(".zh-problem")).to_be_hidden()
            assert view.locator(".zh-svg g *").count(), "nothing is drawn"
            if view.locator(".zh-controls").is_visible():
                stage, slider = view.locator(".zh-stage"), view.locator(".zh-slider")
                before = int(slider.input_value())
                key, after = ("ArrowRight", before + 1) if before < int(slider.get_attribute("max")) else ("ArrowLeft", before - 1)
                stage.focus()
                page.keyboard.press(key)
                expect(slider).to_have_value(str(after), timeout=SOON)
            if os.environ.get("ZEROHERO_SHOTS"):
                view.screenshot(path=str(Path(os.environ["ZEROHERO_SHOTS"]) / f"view-{number:02}.png"))
        except Exception as problem:
            wrong[f"{number} {title}"] = str(problem).split("\n")[0]
    return wrong


def test_every_view_draws_steps_drags_and_comes_back_without_a_kernel(page, browser, folder, scratch, installed):
    file = folder / "gallery.ipynb"
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    with serving(folder, scratch, installed=installed) as address:
        open_in(page, "jupyterlab", address, "gallery.ipynb")
        notebook = run_all_and_save(page, file)
        failed = [o["evalue"] for c in notebook["cells"] for o in c.get("outputs", []) if o["output_type"] == "error"]
        assert not failed
        saved = outputs(file)
        assert len(saved) >= 12 and any(WIDGET in output["data"] for output in saved)
        titles = [output["data"][MIME]["title"] for output in saved]
        assert walk(page, titles) == {}
        shoot(page, "gallery-lab")
        assert barriers(page, ".zh-view") == []
        drag(page)

        # again, as who was sent the notebook: no kernel at all
        notebook["metadata"] = {"kernelspec": {"name": "gone", "display_name": "gone"}}  # of a known language, JupyterLab would take that one's kernel
        (folder / "reopened.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        later = browser.new_page(viewport={"width": 1280, "height": 1000})  # the first has unsaved changes, and would ask
        later.on("pageerror", lambda error: problems.append(str(error)))
        later.goto(f"{address}/lab/workspaces/w{time.monotonic_ns()}/tree/reopened.ipynb?reset")
        later.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=120_000)
        later.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click(timeout=120_000)
        assert walk(later, titles) == {}
        assert later.get_by_text("Error displaying widget").count() == 0
        shoot(later, "gallery-without-kernel")
        later.close()
    # a training that is over closes its widget, perhaps before the page has made it: anywidget says so, and nothing is amiss
    assert not [problem for problem in problems if not problem.startswith("[anywidget]")]


def drag(page):
    """The first handle of every live view follows the keys, and the kernel draws what it means."""
    live = page.locator(".zh-view:visible", has=page.locator(".zh-handle.zh-live"))
    titles = live.locator(".zh-title").all_inner_texts()
    assert len(titles) >= 2, titles  # the slope explorer and the graph explorer
    for number in range(len(titles)):
        view = live.nth(number)
        handle = view.locator(".zh-handle.zh-live").first
        # what the kernel says of the new value: the page alone moves only the handle
        words = view.locator(".zh-title, .zh-summary, .zh-says")
        value, said = handle.get_attribute("aria-valuenow"), words.all_inner_texts()
        handle.focus()
        for _ in range(5):
            page.keyboard.press("ArrowLeft")
        expect(handle).not_to_have_attribute("aria-valuenow", value, timeout=SOON)
        until = time.monotonic() + SOON / 1000
        while words.all_inner_texts() == said and time.monotonic() < until:
            time.sleep(0.1)
        assert words.all_inner_texts() != said, titles[number]


def test_the_export_to_html_shows_every_picture(page, folder):
    """Opened from the disk, without a network."""
    from nbconvert import HTMLExporter

    saved = outputs(folder / "gallery.ipynb")
    assert saved, "the test before has run the gallery"
    exported = folder / "gallery.html"
    exported.write_text(HTMLExporter().from_filename(str(folder / "gallery.ipynb"))[0], encoding="utf-8")
    page.route(re.compile("^https?:"), lambda route: route.abort())
    page.goto(exported.as_uri(), wait_until="domcontentloaded")
    pictures = page.locator(".jp-OutputArea-output:visible svg:visible > title")
    views = [output["data"][MIME] for output in saved]
    assert pictures.all_text_contents() == [view["summary" if view["kind"] == "graph" else "title"] for view in views]
    shoot(page, "gallery-export")


def test_every_view_draws_and_steps_in_notebook_7_in_the_dark(page, folder, scratch, installed):
    settings(scratch, "apputils-extension/themes", '{"theme": "JupyterLab Dark"}')
    file = folder / "gallery.ipynb"
    titles = [output["data"][MIME]["title"] for output in outputs(file)]
    assert titles, "the test before has run the gallery"
    with serving(folder, scratch, "notebook", installed) as address:
        open_in(page, "notebook", address, "gallery.ipynb")
        assert walk(page, titles) == {}
        assert page.locator("body[data-jp-theme-light=false]").count() == 1
        assert barriers(page, ".zh-view") == []
        shoot(page, "gallery-notebook-7")
