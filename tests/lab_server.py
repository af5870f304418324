"""A JupyterLab or Notebook 7 of our own on this machine's loopback."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Error as PlaywrightError

AXE = Path(__file__).parents[1] / "labext" / "node_modules" / "axe-core" / "axe.min.js"
SECONDS = 120
IDLE_LOOKS = 5  # of three seconds each


@contextlib.contextmanager
def serving(folder: Path, scratch: Path, app: str = "jupyterlab", installed: Path | None = None):
    """The address of a server whose root is ``folder``. app: "jupyterlab" or "notebook". Its settings and log lie in ``scratch``.

    installed: the prefix of a wheel of zerohero, which server, page and kernels take instead of this checkout.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", app, "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", "--allow-root"]
    command += ["--IdentityProvider.token=", "--LabApp.news_url=None", f"--ServerApp.root_dir={folder}"]
    own = {"JUPYTER_CONFIG_DIR": str(scratch / "config"), "OPENBLAS_NUM_THREADS": "1"}  # one thread, as `zerohero lab` has it
    if installed is not None:
        (packages,) = installed.glob("lib/python*/site-packages")
        for name, first in (("JUPYTER_PATH", installed / "share" / "jupyter"), ("PYTHONPATH", packages)):
            own[name] = os.pathsep.join(filter(None, [str(first), os.environ.get(name, "")]))
    with open(scratch / "server.log", "a") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env={**os.environ, **own})  # nbgrader looks from there
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(SECONDS * 2):
            try:
                urllib.request.urlopen(f"{address}/api", timeout=2).read()
                break
            except OSError:
                assert process.poll() is None, (scratch / "server.log").read_text()
                time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:  # kernels are gone, but a thread of AnyIO's that nobody ends keeps the server (jupyter-server 2.21)
            process.kill()


def open_in(page, app: str, address: str, path: str) -> None:
    """Open the notebook at ``path`` and wait for its kernel."""
    where = f"lab/workspaces/w{time.monotonic_ns()}/tree/{path}?reset" if app == "jupyterlab" else f"notebooks/{path}"
    page.goto(f"{address}/{where}", timeout=SECONDS * 1000)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle], .jp-NotebookKernelStatus", state="attached", timeout=SECONDS * 1000)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=SECONDS * 1000)


def barriers(page, selector: str) -> list[str]:
    """What axe-core finds amiss for people with a screen reader, a keyboard or weak sight in what fits ``selector``: rule, element, reason."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("selector => axe.run({ include: [[selector]] }, { resultTypes: ['violations'] })", selector)
    return [f"{rule['id']}: {node['html'][:160]}: {node['failureSummary']}" for rule in found["violations"] for node in rule["nodes"]]


def shoot(page, name: str) -> None:
    """Keep a screenshot where ZEROHERO_SHOTS says."""
    if folder := os.environ.get("ZEROHERO_SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def rewrite(page, cell, source: str) -> None:
    """Replace what stands in a cell."""
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)


def show_map_in_notebook_7(page) -> None:
    page.get_by_role("menuitem", name="View", exact=True).click()
    page.get_by_text("Left Sidebar", exact=True).hover()
    page.get_by_text("Show Course map").click()


def run_all_and_save(page, file):
    """Run > Run All Cells, then save until every code cell was run or one of them failed; returns the saved notebook.

    On a busy machine JupyterLab can lose a click on a menu that is still being built, or put a dialog over the page: when the kernel
    rests and nothing was run, or nothing more for a while, dialogs are accepted and the command is given again.
    """
    until = time.monotonic() + 4 * SECONDS
    notebook, code, looks = {}, [], 0
    while time.monotonic() < until:
        resting = page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").count()
        failed = any(o["output_type"] == "error" for c in code for o in c["outputs"])
        counts = [c["execution_count"] for c in code]
        if code and resting and (failed or all(counts)):
            return notebook
        if resting and (not any(counts) or looks == IDLE_LOOKS):
            looks = 0
            with contextlib.suppress(PlaywrightError):  # a dialog came up in between: the next turn accepts it
                _give_run_all(page)
        time.sleep(2)
        page.keyboard.press("Control+s")
        time.sleep(1)
        with contextlib.suppress(json.JSONDecodeError):  # read in the middle of being saved: the next look sees it
            notebook = json.loads(file.read_text(encoding="utf-8"))
        code = [c for c in notebook.get("cells", []) if c["cell_type"] == "code"]
        looks = looks + 1 if resting and counts == [c["execution_count"] for c in code] else 0
    shoot(page, f"stuck-{file.stem}")
    dialogs = page.locator(".jp-Dialog").all_inner_texts()
    said = page.locator("body").inner_text()[:1500]
    raise AssertionError(f"not all cells were run in {4 * SECONDS} s: {counts}; dialogs: {dialogs}; the page says: {said}")


def _give_run_all(page):
    for dialog in page.locator(".jp-Dialog .jp-mod-accept").all():
        dialog.click()
    page.keyboard.press("Escape")
    page.locator(".jp-Notebook").first.click(position={"x": 5, "y": 5}, timeout=10_000)
    page.get_by_role("menuitem", name="Run", exact=True).click(timeout=10_000)
    page.get_by_text("Run All Cells", exact=True).click(timeout=10_000)
