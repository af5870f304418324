"""The course in JupyterLab, as a person sees it: built notebooks, a real server, headless Chromium.

Set ZEROHERO_SHOTS to a folder to keep the screenshots.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from zerohero.exercise import MODULES
from zerohero.report import MIME
from zerohero_autograder.build import build_course

COURSE = Path(__file__).parents[2] / "course"
SECONDS = 120

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("lab")
    build_course(COURSE, out)
    return out


@pytest.fixture(scope="session")
def server(built):
    """The address of a JupyterLab of our own on this machine's loopback; it ends with the session."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", "--allow-root"]
    command += ["--IdentityProvider.token=", "--LabApp.news_url=None", f"--ServerApp.root_dir={built}"]
    with open(built / "server.log", "w") as log:
        own = {"JUPYTER_CONFIG_DIR": str(built / "config"), "OPENBLAS_NUM_THREADS": "1"}  # one thread, as `zerohero lab` has it
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **own})
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(SECONDS * 2):
            try:
                urllib.request.urlopen(f"{address}/lab", timeout=2).read()
                break
            except OSError:
                assert process.poll() is None, (built / "server.log").read_text()
                time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def open_notebook(page, server, path):
    page.goto(f"{server}/lab/workspaces/w{time.monotonic_ns()}/tree/{path}?reset", timeout=SECONDS * 1000)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=SECONDS * 1000)


def run_all_and_save(page, file):
    """Run > Run All Cells, then save until every code cell was run or one of them failed; returns the saved notebook.

    On a busy machine JupyterLab can lose a click on a menu that is still being built, or put a dialog over the page: while
    nothing runs and nothing was run, dialogs are accepted and the command is given again.
    """
    until = time.monotonic() + 4 * SECONDS
    notebook, code = {}, []
    while time.monotonic() < until:
        resting = page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").count()
        failed = any(o["output_type"] == "error" for c in code for o in c["outputs"])
        if code and resting and (failed or all(c["execution_count"] for c in code)):
            return notebook
        if resting and not any(c["execution_count"] for c in code):
            _give_run_all(page)
        time.sleep(2)
        page.keyboard.press("Control+s")
        time.sleep(1)
        with contextlib.suppress(json.JSONDecodeError):  # read in the middle of being saved: the next look sees it
            notebook = json.loads(file.read_text(encoding="utf-8"))
        code = [c for c in notebook.get("cells", []) if c["cell_type"] == "code"]
    shoot(page, f"stuck-{file.stem}")
    counts = [c["execution_count"] for c in code]
    raise AssertionError(f"not all cells were run in {4 * SECONDS} s: {counts}; the page says: {page.locator('body').inner_text()[:1500]}")


def _give_run_all(page):
    for dialog in page.locator(".jp-Dialog .jp-mod-accept").all():
        dialog.click()
    page.keyboard.press("Escape")
    page.locator(".jp-Notebook").first.click(position={"x": 5, "y": 5})
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()


def statuses(notebook):
    """{exercise id: status in the saved report}"""
    found = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                found[output["data"][MIME]["exercise"]] = output["data"][MIME]["status"]
    return found


def shoot(page, name):
    if folder := os.environ.get("ZEROHERO_SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


@pytest.mark.parametrize("module", MODULES.values())
def test_the_source_notebook_runs_from_top_to_bottom_and_every_check_passes(page, server, built, module):
    file = built / "source" / module / f"{module}.ipynb"
    open_notebook(page, server, f"source/{module}/{module}.ipynb")
    notebook = run_all_and_save(page, file)
    errors = [o for c in notebook["cells"] for o in c.get("outputs", []) if o["output_type"] == "error"]
    assert not errors, errors[0]["evalue"]
    checks = [c["id"] for c in notebook["cells"] if "check" in c["metadata"].get("zerohero", {})]
    found = {id: status for id, status in statuses(notebook).items() if id != "gradcheck"}  # a lesson checks wrong ones with it
    assert found == dict.fromkeys(checks, "passed")
    shoot(page, f"{module}-end")


def test_a_wrong_answer_is_named_where_the_student_reads_it_and_turns_green_when_right(page, server, built):
    """The student's way: a wrong answer, the report under the check, the right answer, passed."""
    path = "student/m01_derivatives/m01_derivatives.ipynb"
    file = built / path
    notebook = json.loads(file.read_text(encoding="utf-8"))
    keep = ["m01-central-difference-answer", "m01-central-difference"]
    imports = next(c for c in notebook["cells"] if "from zerohero import" in "".join(c["source"]))
    notebook["cells"] = [imports] + [c for c in notebook["cells"] if c["id"] in keep]
    answer = notebook["cells"][1]
    stub = next(line for line in answer["source"].split("\n") if "raise NotImplementedError" in line)
    answer["source"] = answer["source"].replace(stub, "    return (f(x + h) - f(x - h)) / h")
    wrong = built / "wrong_answer.ipynb"
    wrong.write_text(json.dumps(notebook), encoding="utf-8")

    open_notebook(page, server, "wrong_answer.ipynb")
    assert statuses(run_all_and_save(page, wrong)) == {"m01-central-difference": "failed"}
    report = page.locator(".jp-OutputArea-output").filter(has_text="WRONG_CONSTANT").first
    report.wait_for(timeout=SECONDS * 1000)
    text = report.inner_text()
    for word in ("m01-central-difference", "expected", "actual", "next", "hint("):
        assert word in text
    body = page.locator(".jp-Notebook").inner_text()
    assert "Traceback" not in body and re.search(r"CheckFailed: m01-central-difference", body)
    shoot(page, "wrong-answer")

    notebook["cells"][1]["source"] = answer["source"].replace("/ h", "/ (2 * h)")
    right = built / "right_answer.ipynb"
    right.write_text(json.dumps(notebook), encoding="utf-8")
    open_notebook(page, server, "right_answer.ipynb")
    assert statuses(run_all_and_save(page, right)) == {"m01-central-difference": "passed"}
    assert "m01-central-difference: passed" in page.locator(".jp-Notebook").inner_text()


def test_the_start_page_says_that_this_computer_is_ready(page, server, built):
    open_notebook(page, server, "student/start.ipynb")
    notebook = run_all_and_save(page, built / "student" / "start.ipynb")
    printed = "".join("".join(o.get("text", "")) for c in notebook["cells"] for o in c.get("outputs", []))
    assert "This computer is ready" in printed
    shoot(page, "start")
