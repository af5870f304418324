"""Marking by hand in nbgrader's Formgrader, as a person does it: a real server, headless Chromium.

Set ZEROHERO_SHOTS to a folder to keep the screenshots.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from toy_course import HIDDEN, NAME, answered, hand_in

from zerohero_autograder.driver import grade_all
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.record import open_gradebook

pytestmark = pytest.mark.browser
SECONDS = 90
WHY = "m99-why"
ATTACK = "<script>document.title = 'taken over'</script></pre><img src=x onerror=\"document.title='taken over'\"> [x](javascript:alert(1)) $a<b$"
ANSWER = f"Minus times minus is plus:\n\n    (-3) * (-3) = 9\n\n* and that is all\n{ATTACK}"
WRONG = "def square(x):\n    if x < 0:\n        return 0.0  # <b>half</b> of it\n    return x * x"


@pytest.fixture
def formgrader(written_course):
    """The address of a Jupyter server of our own, with Formgrader for the course, on this machine's loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", "--allow-root"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={written_course}"]
    command += ["--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True, 'jupyterlab': False, 'notebook': False}"]
    log = written_course.parent / "server.log"
    with open(log, "w") as out:
        own = {"JUPYTER_CONFIG_DIR": str(written_course.parent / "config")}
        process = subprocess.Popen(command, cwd=written_course, stdout=out, stderr=out, env={**os.environ, **own})
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + SECONDS
    try:
        while True:
            try:
                urllib.request.urlopen(f"{address}/formgrader", timeout=10).read()
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < until, log.read_text()
                time.sleep(0.3)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def shoot(page, name):
    if folder := os.environ.get("ZEROHERO_SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def open_submission(page, address, id):
    page.goto(f"{address}/formgrader/submissions/{id}/", wait_until="domcontentloaded", timeout=SECONDS * 1000)
    page.locator(f"[id='{WHY}-comment'][placeholder*='words']").wait_for(timeout=SECONDS * 1000)  # what the grader says of the answer has arrived


def test_a_person_marks_an_answer_and_the_student_reads_it(written_course, sandbox, formgrader, page):
    hand_in(written_course, "ada", answered(square=WRONG, why=ANSWER))
    grade_all(written_course, NAME, sandbox=sandbox)
    with open_gradebook(written_course) as gradebook:
        id = gradebook.find_submission_notebook(NAME, NAME, "ada").id
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith(formgrader) else route.abort())
    open_submission(page, formgrader, id)
    shoot(page, "formgrader-before")
    cell = page.locator(".nbgrader_cell").filter(has=page.locator(f"[id='{WHY}']"))
    assert cell.locator("pre").inner_text().strip() == ANSWER and cell.locator("pre *").count() == 0
    assert page.title() == NAME
    text = page.locator("body").inner_text()
    assert "return 0.0  # <b>half</b> of it" in text and "m99-square" in text and f"{HIDDEN:g}" not in cell.inner_text()
    score = page.locator(f"[id='{WHY}']")
    page.locator(f"[id='{WHY}'].needs_manual_grade").wait_for(timeout=SECONDS * 1000)
    for field, value, call in ((score, "1.5", "/api/grade/"), (page.locator(f"[id='{WHY}-comment']"), "Nearly.\n<b>Why</b> twice?", "/api/comment/")):
        with page.expect_response(lambda response, call=call: call in response.url and response.request.method == "PUT"):
            field.fill(value)
            field.press("Tab")
    open_submission(page, formgrader, id)
    page.wait_for_function(f"document.getElementById('{WHY}').value !== ''", timeout=SECONDS * 1000)
    shoot(page, "formgrader-marked")
    assert score.input_value() == "1.5" and "needs_manual_grade" not in score.get_attribute("class")
    assert page.locator(f"[id='{WHY}-comment']").input_value() == "Nearly.\n<b>Why</b> twice?"

    (outcome,) = grade_all(written_course, NAME, sandbox=sandbox, force=True)
    assert (outcome.score, outcome.waiting) == (pytest.approx(2 / 3 + 1.5 + 1.5, abs=1e-5), 0)  # one of three groups, the class, the person's
    (file,) = make_feedback(written_course, NAME)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.unroute_all()
        page.goto(file.as_uri())
        shoot(page, f"feedback-{scheme}")
    shown = page.locator(f"article[id='{WHY}']").inner_text()
    assert "(1.5 of 2)" in shown and "Nearly.\n<b>Why</b> twice?" in shown and ANSWER in shown
    assert page.title() == f"{NAME}: feedback"
