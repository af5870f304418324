"""The course in JupyterLab, as a person sees it: built notebooks, a real server, headless Chromium.

Set ZEROHERO_SHOTS to a folder to keep the screenshots.
"""

import json
import re
from pathlib import Path

import pytest
from lab_server import SECONDS, open_in, run_all_and_save, serving, shoot

from zerohero.exercise import MODULES
from zerohero.report import MIME
from zerohero_autograder.build import build_course

COURSE = Path(__file__).parents[2] / "course"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("lab")
    build_course(COURSE, out)
    return out


@pytest.fixture(scope="session")
def server(built, tmp_path_factory):
    with serving(built, tmp_path_factory.mktemp("server")) as address:
        yield address


def statuses(notebook):
    """{exercise id: status in the saved report}"""
    found = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                found[output["data"][MIME]["exercise"]] = output["data"][MIME]["status"]
    return found


@pytest.mark.parametrize("module", MODULES.values())
def test_the_source_notebook_runs_from_top_to_bottom_and_every_check_passes(page, server, built, module):
    file = built / "source" / module / f"{module}.ipynb"
    open_in(page, "jupyterlab", server, f"source/{module}/{module}.ipynb")
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

    open_in(page, "jupyterlab", server, "wrong_answer.ipynb")
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
    open_in(page, "jupyterlab", server, "right_answer.ipynb")
    assert statuses(run_all_and_save(page, right)) == {"m01-central-difference": "passed"}
    verdict = page.locator(".jp-OutputArea-output", has_text="m01-central-difference").last
    verdict.wait_for(timeout=SECONDS * 1000)
    assert "Passed" in verdict.inner_text() and "Not right" not in verdict.inner_text()


def test_the_start_page_says_that_this_computer_is_ready(page, server, built):
    open_in(page, "jupyterlab", server, "student/start.ipynb")
    notebook = run_all_and_save(page, built / "student" / "start.ipynb")
    printed = "".join("".join(o.get("text", "")) for c in notebook["cells"] for o in c.get("outputs", []))
    assert "This computer is ready" in printed
    shoot(page, "start")
