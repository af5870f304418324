"""The course checks itself: what must hold for every module, every exercise and every wrong answer."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import jupytext
import numpy as np
import pytest
from built_atlas import built_atlas

from zerohero import atlas
from zerohero.exercise import MODULES, conclude, examine, find, load, run_probe
from zerohero.mistakes import MISTAKES
from zerohero.plaindata import decode, encode
from zerohero_autograder.build import build_course, source_notebook, student_notebook
from zerohero_autograder.build.atlas import build_atlas, wrong_answers
from zerohero_autograder.build.mutated import _exercise_cells
from zerohero_autograder.hidden import hidden_cases

COURSE = Path(__file__).parents[2] / "course"
EXERCISES = [e for module in MODULES.values() for e in load(module)[0]]
WRONG = [(file, loaded) for module in MODULES.values() for file, loaded in wrong_answers(COURSE, module)]


def run_unwritten(notebook):
    """Execute the code cells but the checks; {exercise id: the object its check cell names, as it was at that cell}. Cells that need unwritten work fail."""
    namespace = {"__name__": "__main__"}
    answers = {}
    import matplotlib

    matplotlib.use("agg")
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        marks = cell["metadata"]["zerohero"]
        if "check" in marks:
            call = cell["source"].strip()
            answers[marks["check"]] = eval(call[call.index(",") + 1 : call.rindex(")")], namespace)
            continue
        with contextlib.suppress(Exception):
            exec(compile(cell["source"], f"<{cell['id']}>", "exec"), namespace)
    return answers


@pytest.fixture(scope="session", params=list(MODULES.values()))
def module(request):
    return request.param


@pytest.fixture(scope="session")
def notebooks():
    return {m: source_notebook((COURSE / m / f"{m}.py").read_text(encoding="utf-8"), m) for m in MODULES.values()}


@pytest.fixture(scope="session")
def reference(notebooks):
    """{exercise id: the reference answer}, each as it stands at its check; without plots and training, which test_mNN.py run."""
    found = {}
    for m in MODULES.values():
        for exercise, source, checked, names in _exercise_cells(notebooks[m], load(m)[0]):
            exec(compile(source, "<lesson>", "exec"), names)
            found[exercise.id] = eval(checked, names)
    return found


@pytest.fixture(scope="session")
def stubs(notebooks):
    """{exercise id: the untouched stub}, collected cell by cell: a later stub must not hide an earlier one."""
    found = {}
    for m in MODULES.values():
        found |= run_unwritten(student_notebook(notebooks[m]))
    return found


@pytest.fixture(scope="session")
def fresh_atlas():
    return built_atlas()


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_reference_passes_its_check(reference, exercise_id):
    report = examine(find(exercise_id), reference[exercise_id])
    assert report.passed, report


@pytest.mark.parametrize("secret", ["one", "two", "three"])
@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_reference_passes_hidden_cases(reference, exercise_id, secret):
    exercise = find(exercise_id)
    cases = exercise.visible_cases() + hidden_cases(MODULES[exercise_id[:3]], exercise_id, secret)
    report = conclude(exercise, cases, [run_probe(exercise, reference[exercise_id], c.inputs) for c in cases])
    assert report.passed, report


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_stub_is_not_started_and_scores_nothing(stubs, exercise_id):
    report = examine(find(exercise_id), stubs[exercise_id])
    assert report.status == "not started" and report.score == 0


@pytest.mark.parametrize("file, wrong", WRONG, ids=[f"{f.parent.parent.name}/{f.stem}" for f, _ in WRONG])
def test_each_wrong_answer_is_rejected_by_name(fresh_atlas, monkeypatch, file, wrong):
    monkeypatch.setattr(atlas, "entries", lambda: fresh_atlas)
    report = examine(find(wrong.exercise), wrong.answer)
    assert report.status == "failed" and report.score < 1
    assert wrong.mistake in {f.mistake for f in report.findings}, [(f.what, f.mistake) for f in report.findings]
    named = next(f for f in report.findings if f.mistake == wrong.mistake)
    assert named.because and named.next


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_each_exercise_has_two_known_wrong_answers_and_three_hints(exercise_id):
    assert len([w for _, w in WRONG if w.exercise == exercise_id]) >= 2
    hints = find(exercise_id).hints
    assert len(hints) == 3 and len(set(hints)) == 3 and all(len(h) > 20 for h in hints)


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_hidden_cases_follow_the_secret(exercise_id):
    module = MODULES[exercise_id[:3]]
    one, again, other = (hidden_cases(module, exercise_id, s) for s in ("a", "a", "b"))
    assert one and all(c.hidden for c in one)
    assert [c.group for c in one] == [c.group for c in again]
    assert [encode(c.inputs) for c in one] == [encode(c.inputs) for c in again]  # encoded: nan is not equal to itself
    assert [encode(c.inputs) for c in one] != [encode(c.inputs) for c in other]


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_inputs_of_every_case_cross_as_plain_data(exercise_id):
    for case in find(exercise_id).visible_cases() + hidden_cases(MODULES[exercise_id[:3]], exercise_id, "x"):
        assert encode(decode(encode(case.inputs))) == encode(case.inputs)


@pytest.mark.parametrize("junk", [None, 0, "x", [], [1.0], {}, {"value": None}, {"value": None, "again": None, "changed": []}, np.zeros((2, 2)), float("nan"), True], ids=repr)
@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_a_judge_survives_any_plain_data_and_passes_none_of_it(exercise_id, junk):
    exercise = find(exercise_id)
    cases = exercise.visible_cases()
    report = conclude(exercise, cases, [{"status": "ok", "value": junk}] * len(cases))
    assert report.status == "failed" and report.score == 0


def test_ids_are_unique_and_of_one_form():
    ids = EXERCISES + [q for module in MODULES.values() for q in load(module)[1]]
    assert len(ids) == len(set(ids))
    assert all(i[0] == "m" and i[1:3].isdigit() and i[3] == "-" for i in ids)


def test_every_module_opens_and_closes_with_questions_and_has_a_planted_bug(module, notebooks):
    code = [c for c in notebooks[module]["cells"] if c["cell_type"] == "code"]
    asked = [i for i, c in enumerate(code) if "predict" in c["metadata"]["zerohero"]]
    checks = [i for i, c in enumerate(code) if "check" in c["metadata"]["zerohero"]]
    assert len([i for i in asked if i < checks[0]]) >= 3 and len([i for i in asked if i > checks[-1]]) >= 3
    assert any("break it" in c["source"].lower() for c in notebooks[module]["cells"])


def test_no_mistake_of_the_taxonomy_is_without_words():
    assert all(len(because) > 10 and len(step) > 10 for because, step in MISTAKES.values())


def test_the_student_notebook_holds_no_solution(module, notebooks):
    inside, lines = False, []
    for line in (COURSE / module / f"{module}.py").read_text(encoding="utf-8").split("\n"):
        if "SOLUTION" in line:
            inside = "BEGIN" in line
        elif inside and len(line.strip()) >= 20:
            lines.append(line.strip())
    text = "\n".join(c["source"] for c in student_notebook(notebooks[module])["cells"])
    assert lines and "SOLUTION" not in text
    assert not [line for line in lines if line in text]


def test_the_build_is_the_same_byte_for_byte_in_two_folders(tmp_path):
    for name in ("one", "two/deeper"):
        code = f"from pathlib import Path; from zerohero_autograder.build import build_course; build_course(Path({str(COURSE)!r}), Path({str(tmp_path / name)!r}))"
        subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONHASHSEED": str(len(name)), "PATH": "/usr/bin:/bin"})
    one = {p.relative_to(tmp_path / "one"): p.read_bytes() for p in (tmp_path / "one").rglob("*") if p.is_file()}
    two = {p.relative_to(tmp_path / "two/deeper"): p.read_bytes() for p in (tmp_path / "two/deeper").rglob("*") if p.is_file()}
    assert one == two and len(one) >= 2 * (len(MODULES) + 1)


def test_the_atlas_is_the_same_twice_and_holds_no_source(fresh_atlas):
    again = json.loads(json.dumps(build_atlas(COURSE)))
    assert again == fresh_atlas
    for entry in (e for entries in fresh_atlas.values() for e in entries):
        assert set(entry) == {"mistake", "because", "next", "parts"}
        assert all(set(p) == {"form", "numbers"} and len(p["numbers"]) == 3 and len(p["form"]) == 16 for p in entry["parts"].values())


def test_built_notebooks_are_valid(tmp_path):
    import nbformat

    for file in build_course(COURSE, tmp_path):
        nbformat.validate(json.loads(file.read_text(encoding="utf-8")))


def test_lessons_are_not_too_long_and_never_a_wall_of_text(module, notebooks):
    prose = [c["source"] for c in notebooks[module]["cells"] if c["cell_type"] == "markdown"]
    assert sum(len(p.split("\n")) for p in prose) <= 600
    kinds = [c["cell_type"] for c in notebooks[module]["cells"]]
    assert not any(kinds[i : i + 3] == ["markdown"] * 3 for i in range(len(kinds)))


def test_jupytext_reads_back_what_it_wrote(module):
    text = (COURSE / module / f"{module}.py").read_text(encoding="utf-8")
    assert len(jupytext.reads(text, fmt="py:percent").cells) == text.count("# %%")
