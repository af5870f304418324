"""A course with eight submissions of m02, from `course new` to the exported table, in the real jail and with the real programs."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

import m02_submissions
import pytest

from zerohero_autograder.course_folder import open_course
from zerohero_autograder.course_new import new_course
from zerohero_autograder.driver import grade_all
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.record import export_csv, open_gradebook
from zerohero_autograder.run.notebook import reports_of

pytestmark = pytest.mark.jail
REPOSITORY = Path(__file__).parents[2]
MODULE = "m02_micrograd"
WRONG = ("squared_loss__mean", "train_loop__not_zeroed")
STUDENTS = ["attack", "closures", "op_codes", "reference", "stub", "truncated", "wrong_1", "wrong_2"]
MAXIMUM = 41.0


def nbgrader(root, *arguments):
    """Start one of nbgrader's commands."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.Popen(["nbgrader", *arguments], cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process):
    log, _ = process.communicate(timeout=600)
    assert process.returncode == 0, log[-3000:]
    return log


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    """A new course, released, with eight submissions collected. Nothing is graded yet."""
    folder = tmp_path_factory.mktemp("end_to_end")
    roster = folder / "roster.csv"
    roster.write_text("id,first_name,last_name,email\n" + "".join(f"{s},=1+1,{s.title()},{s}@school\n" for s in STUDENTS))
    root = folder / "course"
    new_course(REPOSITORY / "course", root, roster)
    release, source = (json.loads((root / step / MODULE / f"{MODULE}.ipynb").read_text()) for step in ("release", "source"))
    wrong = [REPOSITORY / "course" / MODULE / "wrong" / f"{name}.py" for name in WRONG]
    for student, data in m02_submissions.submissions(release, source, wrong).items():
        file = root / "submitted" / student / MODULE / f"{MODULE}.ipynb"
        file.parent.mkdir(parents=True)
        file.write_bytes(data)
        (file.parent / "timestamp.txt").write_text("2030-01-01 10:00:00 UTC")
    return root


@pytest.fixture(scope="module")
def graded(handed_in):
    """The course after `zerohero grade` and `zerohero feedback`, the outcomes, a copy from before that, and one in which nbgrader grades meanwhile."""
    before, theirs = (shutil.copytree(handed_in, handed_in.parent / name) for name in ("before", "theirs"))
    autograde = nbgrader(theirs, "autograde", MODULE)
    outcomes = {outcome.student: outcome for outcome in grade_all(handed_in, MODULE)}
    make_feedback(handed_in, MODULE)
    finish(autograde)
    return handed_in, outcomes, before, theirs


def reports(root, student):
    return reports_of(json.loads((root / "autograded" / student / MODULE / f"{MODULE}.ipynb").read_text()))


def page(root, student):
    return (root / "feedback" / student / MODULE / f"{MODULE}.html").read_text()


def scores(root):
    with open_gradebook(root) as gradebook:
        return {
            s.student.id: (s.score, sorted((g.name, g.auto_score, g.needs_manual_grade) for n in s.notebooks for g in n.grades))
            for s in gradebook.assignment_submissions(MODULE)
        }


def test_everyone_has_the_right_score(graded):
    _, outcomes, _, _ = graded
    assert sorted(outcomes) == STUDENTS and not [o for o in outcomes.values() if o.failed or o.skipped]
    assert [student for student, outcome in outcomes.items() if outcome.flags] == ["attack"]  # it reaches for the checker
    found = {student: outcome.score for student, outcome in outcomes.items()}
    assert {found[s] for s in ("reference", "op_codes")} == {MAXIMUM} == {outcomes["stub"].max_score}
    assert {found[s] for s in ("stub", "attack", "truncated")} == {0.0}
    assert found["closures"] == MAXIMUM - 3 / 4 - 3 / 4  # one of the four groups of topo-sort, and of backward, 3 points each
    assert MAXIMUM - 1 <= found["wrong_1"] < MAXIMUM and MAXIMUM - 3 <= found["wrong_2"] < MAXIMUM


def test_the_recursive_sort_earns_the_rest_and_is_told_by_name(graded):
    root, _, _, _ = graded
    seen = reports(root, "closures")
    assert [id for id, report in seen.items() if not report.passed] == ["m02-topo-sort", "m02-backward"]
    for id in ("m02-topo-sort", "m02-backward"):
        assert [g.name for g in seen[id].groups if not g.passed] == ["deep graph"] and seen[id].findings[0].mistake == "RECURSION"
    assert page(root, "closures").count("RECURSION: the walk over the graph calls itself once per node") == 2


@pytest.mark.parametrize(("student", "exercise", "mistake"), [("wrong_1", "m02-squared-loss", "EXTRA_MEAN"), ("wrong_2", "m02-train-loop", "STATE_LEAK")])
def test_a_known_wrong_answer_is_named_and_costs_its_exercise_only(graded, student, exercise, mistake):
    root, _, _, _ = graded
    seen = reports(root, student)
    assert [id for id, report in seen.items() if not report.passed] == [exercise]
    assert seen[exercise].findings[0].mistake == mistake and mistake in page(root, student)


def test_a_notebook_that_was_not_touched_is_not_started(graded):
    root, outcomes, _, _ = graded
    assert {report.status for report in reports(root, "stub").values()} == {"not started"} and outcomes["stub"].messages == ()


def test_a_truncated_file_is_told_so(graded):
    root, outcomes, _, _ = graded
    (message,) = outcomes["truncated"].messages
    assert "cut off while it was saved or sent" in message and message in page(root, "truncated")


def test_the_attack_changed_nothing_and_learned_nothing(graded):
    root, outcomes, before, _ = graded
    assert outcomes["attack"].score == 0
    for name in ("source", "submitted", "secret_seed", "nbgrader_config.py"):
        assert subprocess.run(["diff", "-r", str(root / name), str(before / name)], check=False).returncode == 0
    with open_gradebook(root) as gradebook:
        assert {g.manual_score for s in gradebook.assignment_submissions(MODULE) for n in s.notebooks for g in n.grades} == {None}
    printed = (root / "autograded" / "attack" / MODULE / f"{MODULE}.ipynb").read_text()
    assert "canary found" not in printed.replace('print(\\"canary found\\"', "")


def test_feedback_holds_nothing_hidden(graded):
    root, _, _, _ = graded
    module = open_course(root).module(MODULE)
    hidden = {number for cases in module.cases.values() for case in cases if case.hidden for number in _numbers([case.inputs, case.truth])}
    visible = {number for cases in module.cases.values() for case in cases if not case.hidden for number in _numbers([case.inputs, case.truth])}
    assert len(hidden - visible) > 100
    source, release = (json.loads((root / step / MODULE / f"{MODULE}.ipynb").read_text()) for step in ("source", "release"))
    released = "\n".join("".join(cell["source"]) for cell in release["cells"])
    solutions = {
        line.strip()
        for cell in source["cells"]
        for region in re.findall(r"### BEGIN SOLUTION(.*?)### END SOLUTION", "".join(cell["source"]), re.S)
        for line in region.splitlines()
        if len(line.strip()) > 15 and line.strip() not in released
    }
    assert len(solutions) > 50
    for student in STUDENTS:
        text = page(root, student)
        code = "\n".join("".join(c["source"]) for c in json.loads((root / "autograded" / student / MODULE / f"{MODULE}.ipynb").read_text())["cells"])
        shown = set(re.findall(r"\d+\.\d+", text)) - set(re.findall(r"\d+\.\d+", code))
        assert not shown & (hidden - visible), student
        assert not [line for line in text.splitlines() if "canary" in line and line not in _escaped(code)], student
        if student in ("stub", "attack", "truncated"):
            assert not [line for line in solutions if escape(line) in text], student


def _numbers(value):
    """Every number of four or more digits in plain data, as it would be printed."""
    if isinstance(value, dict):
        return _numbers(list(value.values()))
    if isinstance(value, (list, tuple)):
        return {number for item in value for number in _numbers(item)}
    if hasattr(value, "tolist"):
        return _numbers(value.tolist())
    if isinstance(value, float):
        return {
            form for form in (f"{abs(value):.4f}", f"{abs(value):.6g}", f"{abs(value):.10g}", repr(abs(value))) if len(form.replace(".", "").strip("0")) >= 4
        }
    return set()


def _escaped(code):
    return [re.sub(r"^.*<pre><code>", "", line) for line in escape(code).splitlines()] + escape(code).splitlines()


def test_the_table_has_everyone_once(graded, tmp_path):
    root, outcomes, _, _ = graded
    assert export_csv(root, tmp_path / "grades.csv").rows == 8 * len(list((root / "release").iterdir()))  # eight students, all modules
    with open(tmp_path / "grades.csv", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file) if row["assignment"] == MODULE}
    assert {student: float(row["score"]) for student, row in rows.items()} == pytest.approx({s: o.score for s, o in outcomes.items()})
    assert rows["stub"]["first_name"] == "'=1+1" and rows["stub"]["timestamp"] == "2030-01-01 10:00:00"


def test_nbgraders_own_commands_give_the_same(graded):
    root, _, _, theirs = graded
    assert scores(theirs) == scores(root)
    finish(nbgrader(theirs, "generate_feedback", MODULE))
    assert {s: page(theirs, s) for s in STUDENTS} == {s: page(root, s) for s in STUDENTS}


def test_a_second_run_has_nothing_to_do(graded):
    root, _, _, _ = graded
    assert {o.student for o in grade_all(root, MODULE) if not o.skipped} == {"truncated"}
