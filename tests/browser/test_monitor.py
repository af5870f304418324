"""The training monitor in JupyterLab: Stop is heard while the cell runs, and the picture that stays is there without a kernel.

JupyterLab and ipykernel send what a widget says over a subshell, past the running cell; this test is what says that they still do.
"""

import contextlib
import json
import re
import time

import pytest
from lab_server import SECONDS, open_in, serving, shoot
from playwright.sync_api import expect

from zerohero.viz.scene import MIME

TRAINING = """
import time
from zerohero.widgets import TrainingMonitor

with TrainingMonitor(steps=100_000) as monitor:
    for step in monitor:
        time.sleep(0.002)
        monitor.log(loss=1 / (1 + step), lr=0.1)
print("ended after step", step, monitor.stopped)
"""

pytestmark = pytest.mark.browser


@pytest.fixture
def lab(tmp_path, tmp_path_factory, installed):
    """(address of a JupyterLab, its folder)"""
    cell = {"cell_type": "code", "id": "training", "metadata": {}, "outputs": [], "execution_count": None, "source": TRAINING.strip()}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "training.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    with serving(tmp_path, tmp_path_factory.mktemp("server"), installed=installed) as address:
        yield address, tmp_path


def run_cell(page):
    """Until it runs: on a busy machine JupyterLab can lose a key, or put a dialog over the page. Run twice, it would wait for itself."""
    prompt = page.locator(".jp-InputArea-prompt").first
    until = time.monotonic() + SECONDS
    while "[ ]" in prompt.inner_text() and time.monotonic() < until:
        for dialog in page.locator(".jp-Dialog .jp-mod-accept").all():
            dialog.click()
        page.locator(".jp-Notebook .cm-content").first.click()
        page.keyboard.press("Control+Enter")
        with contextlib.suppress(AssertionError):
            expect(prompt).not_to_have_text("[ ]:", timeout=15_000)


def test_stop_is_heard_while_the_cell_runs_and_the_picture_stays(page, lab):
    address, folder = lab
    page.set_default_timeout(SECONDS * 1000)
    open_in(page, "jupyterlab", address, "training.ipynb")
    run_cell(page)
    outputs = page.locator(".jp-OutputArea-output")
    summary = outputs.locator(".zh-summary:visible")
    summary.filter(has_text=re.compile("steps: train loss .* left")).wait_for()  # the widget draws while the cell runs
    page.get_by_role("button", name="Stop", exact=True).click()
    # without a way past the running cell, Stop would be heard after 100,000 steps of 2 ms: 200 s
    outputs.filter(has_text="ended after step").wait_for(timeout=30_000)
    summary.filter(has_text="Stopped.").wait_for()
    assert page.get_by_role("button", name="Stop", exact=True).count() == 0

    page.keyboard.press("Control+s")
    file, saved = folder / "training.ipynb", []
    until = time.monotonic() + SECONDS
    while len(saved) < 2 and time.monotonic() < until:
        time.sleep(0.3)
        saved = json.loads(file.read_text(encoding="utf-8") or "{}").get("cells", [{"outputs": []}])[0]["outputs"]
    picture, printed = saved
    assert set(picture["data"]) == {MIME, "text/html", "text/plain"}  # no widget is left that would need its kernel
    assert "<svg" in "".join(picture["data"]["text/html"]) and "True" in "".join(printed["text"])
    assert len(picture["data"][MIME]["sequences"][0]["frames"]) > 2

    # a notebook that is opened without its kernel: the saved file under another name, so that no running kernel belongs to it
    notebook = json.loads(file.read_text(encoding="utf-8"))
    notebook["metadata"] = {"kernelspec": {"name": "gone", "display_name": "gone"}}  # of a known language, JupyterLab would take that one's kernel
    (folder / "reopened.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    page.goto(f"{address}/lab/workspaces/w{time.monotonic_ns()}/tree/reopened.ipynb?reset")
    page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()
    outputs.locator("svg:visible").first.wait_for()
    assert "Error displaying widget" not in page.locator(".jp-Notebook").inner_text()
    assert "Stopped." in page.locator(".jp-Notebook").inner_text()
    shoot(page, "monitor-reopened")
