"""A class with cheats in it, graded in the real jail: none gains a point, and none is in another's way."""

import copy
import json
import os
import subprocess
from pathlib import Path

import pytest

from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.driver import grade_all
from zerohero_autograder.record import open_gradebook, register_course
from zerohero_autograder.sandbox import bubblewrap

pytestmark = pytest.mark.jail
MODULE = "m01_derivatives"
LESSON = Path(__file__).parents[3] / "course" / MODULE / f"{MODULE}.py"
ANSWER = "m01-forward-difference-answer"
WRONG = "def forward_difference(f, x, h):\n    return 0.0\n"
RIGHT = "def forward_difference(f, x, h):\n    return (f(x + h) - f(x)) / h\n"
FORGE = """
from zerohero import grading
session = grading.session()
for id in list(session._cases):
    for value in (0.0, True, {"value": 0.0, "again": 0.0, "changed": []}):
        session.emit(id, [{"status": "ok", "value": value} for _ in session.inputs(id)])
    session.emit(id, [{"status": "passed", "score": 9} for _ in session.inputs(id)])
"""

# what is put before a wrong answer
BEFORE = {
    "judge": """
import numpy as np, builtins
import zerohero.exercise, zerohero.gradcheck.compare, zerohero.exercises.m01_derivatives as module
module.secant_slope = lambda *a: 0.0
for exercise in module.EXERCISES: object.__setattr__(exercise, "judge", lambda *a: [])
zerohero.gradcheck.compare.difference = zerohero.exercise._judge_one = lambda *a, **k: []
np.allclose = np.isclose = lambda *a, **k: True
builtins.abs = lambda value: 0.0
""",
    "shell": "shell = get_ipython()\nshell.input_transformers_cleanup.append(lambda lines: ['pass'])\ntype(shell).run_cell = lambda *a, **k: None\n",
    "forge": FORGE,
    "flood": FORGE + "for i in range(10_000): session.emit('m01-partials', [{'status': 'ok', 'value': i}])\n",
    "late": FORGE
    + """
import threading, time
def late():
    while True:
        time.sleep(0.01)
        session.emit("m01-forward-difference", [{"status": "ok", "value": 0.0}])
threading.Thread(target=late).start()
""",
    "runner": """
import builtins, gc, json, os, signal, sys
for names in [o for o in gc.get_objects() if isinstance(o, dict) and "_timed" in o and "_mark" in o]:
    names.update(_timed=lambda *a: ("ok", ""), _run=lambda *a: None, _repeat=lambda: None, _mark=lambda *a: None)
signal.signal(signal.SIGALRM, signal.SIG_IGN)
json.dumps = lambda *a, **k: '{"event": "end"}'
os.write = lambda descriptor, data: len(data)
builtins.open = builtins.print = None
for name in [n for n in sys.modules if n.startswith("zerohero")]: sys.modules[name] = None
""",
}


def answered(student, source):
    notebook = copy.deepcopy(student)
    cell(notebook, ANSWER)["source"] = source
    return notebook


def cell(notebook, id):
    return next(c for c in notebook["cells"] if c["id"] == id)


def own(source, id, **metadata):
    return {"cell_type": "code", "id": id, "metadata": metadata, "source": source, "outputs": []}


def no_check(student):
    """check is something else in every cell that imports it."""
    notebook = answered(student, WRONG)
    for one in notebook["cells"]:
        if "import check" in "".join(one["source"]):
            one["source"] = "def check(*a): print('passed')\npredict = hint = check\nimport zerohero; zerohero.check = check"
    return notebook


def our_names(student):
    """Cells of the student's under the names of ours, copies of answers in a nasty order, metadata of every kind."""
    notebook = answered(student, WRONG)
    cells = [
        own("check = None", "m01-best-h"),
        own("import os; os._exit(0)", "x", nbgrader={"grade_id": "m01-forward-difference", "grade": True, "points": 99}),
    ]
    cells += [own(WRONG, "d", nbgrader={"grade_id": ANSWER}), own("pass", "extra-3", nbgrader=[3], zerohero={"check": {}, "exercise": None})]
    for one in notebook["cells"]:
        if one["metadata"].get("nbgrader", {}).get("grade"):
            one["metadata"]["nbgrader"] |= {"points": 1000, "locked": False, "task": True}
            one["source"] = "pass"
    notebook["cells"] = [*cells, *notebook["cells"], *copy.deepcopy(cells)]
    return notebook


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    root = tmp_path_factory.mktemp("class") / "course"
    source = source_notebook(LESSON.read_text(encoding="utf-8"), MODULE)
    student = student_notebook(source)
    (root / "source" / MODULE).mkdir(parents=True)
    (root / "source" / MODULE / f"{MODULE}.ipynb").write_text(json.dumps(source))
    (root / "nbgrader_config.py").write_text("from zerohero_autograder.nbgrader_plugin import configure\nc = get_config()\nconfigure(c)\n")
    os.close(os.open(root / "secret_seed", os.O_CREAT | os.O_WRONLY, 0o600))
    (root / "secret_seed").write_text("one-secret-one-secret")
    register_course(root)
    notebooks = {f"cheat_{name}": answered(student, before + WRONG) for name, before in BEFORE.items()}
    notebooks |= {"cheat_no_check": no_check(student), "cheat_our_names": our_names(student)}
    notebooks |= {"abe": answered(student, RIGHT), "zed": answered(student, RIGHT), "stub": student}
    for name, notebook in notebooks.items():
        (root / "submitted" / name / MODULE).mkdir(parents=True)
        (root / "submitted" / name / MODULE / f"{MODULE}.ipynb").write_text(json.dumps(notebook))
    before = subprocess.check_output("find . -type f ! -name gradebook.db ! -name .grading -exec sha256sum {} + | sort", shell=True, cwd=root)
    outcomes = {outcome.student: outcome for outcome in grade_all(root, MODULE)}
    after = subprocess.check_output(
        "find . -type f ! -name gradebook.db ! -name .grading ! -path './autograded/*' -exec sha256sum {} + | sort", shell=True, cwd=root
    )
    return root, outcomes, before == after


def test_no_cheat_gains_a_point_and_nobody_loses_one(graded):
    root, outcomes, _ = graded
    assert {name: outcome.score for name, outcome in outcomes.items()} == {name: 1.0 if name in ("abe", "zed") else 0.0 for name in outcomes}
    assert not [outcome for outcome in outcomes.values() if outcome.failed]
    with open_gradebook(root) as gradebook:
        assert {s.student.id: s.score for s in gradebook.assignment_submissions(MODULE)} == {name: outcome.score for name, outcome in outcomes.items()}


def test_no_file_is_changed_and_no_process_is_left(graded):
    _, _, unchanged = graded
    assert unchanged
    assert f"{bubblewrap.INSIDE}/runner.py" not in subprocess.check_output(["ps", "--ppid", str(os.getpid()), "-o", "args"], text=True)


def test_who_reaches_for_the_checker_is_named_to_the_instructor(graded):
    _, outcomes, _ = graded
    kinds = {name: {flag.kind for flag in outcome.flags} for name, outcome in outcomes.items() if outcome.flags}
    assert kinds.pop("cheat_shell") == {"HIDDEN_CODE"}
    assert kinds == {f"cheat_{name}": {"REACHES_CHECKER"} for name in ("flood", "forge", "judge", "late")}
