"""The shipped atlas names mistakes and tells nothing of a solution."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest
import toy_course
from built_atlas import built_atlas

from zerohero import atlas
from zerohero.exercise import MODULES, find, load, run_probe
from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.build.atlas import packed, write_atlas
from zerohero_autograder.build.mutated import _exercise_cells, _outputs, mutated_entries, reference_prints

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "course"


@pytest.fixture(scope="module")
def built():
    return built_atlas()


@pytest.fixture(scope="module")
def notebooks():
    return {m: source_notebook((COURSE / m / f"{m}.py").read_text(encoding="utf-8"), m) for m in MODULES.values()}


@pytest.fixture(scope="module")
def secrets(notebooks):
    """{(exercise id, text)}: each line of a solution that is long enough to be one's own, and each part of a formula of more than
    12 characters; but for what the student's notebook says itself."""
    found = set()
    for notebook in notebooks.values():
        given = squeezed(" ".join(cell["source"] for cell in student_notebook(notebook)["cells"]))
        for cell in notebook["cells"]:
            exercise = cell["metadata"].get("zerohero", {}).get("exercise")
            if exercise:
                texts = {line for line in solution_lines(cell["source"]) if len(line) >= 20 and not line.startswith("#")} | formulas(cell["source"])
                found |= {(exercise, text) for text in texts if squeezed(text) not in given}
    return found


def solution_lines(source):
    inside = False
    for line in source.split("\n"):
        if "SOLUTION" in line:
            inside = "BEGIN" in line
        elif inside:
            yield line.strip()


def formulas(source):
    kinds = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)
    return {text for node in ast.walk(ast.parse(source)) if isinstance(node, kinds) and len(text := ast.unparse(node)) > 12}


def squeezed(text):
    return "".join(text.split())


def test_the_secrets_are_found(secrets):
    assert ("m02-value-ops", "slope = exponent * self.data ** (exponent - 1)") in secrets
    assert ("m02-legendre-function", "15 * x ** 2 - 3") in secrets
    assert len(secrets) > 120


def test_no_sentence_of_the_atlas_holds_a_line_or_a_formula_of_a_solution(built, secrets):
    said = squeezed(" | ".join(packed(built)["sentences"]))
    assert not [secret for secret in secrets if squeezed(secret[1]) in said]
    assert [text for _, text in secrets if squeezed(text) in squeezed("the slope is 15*x**2 - 3")]  # the test can fail


def test_no_formula_of_a_solution_is_in_the_package(built, secrets, tmp_path):
    """Lines are looked for in the built wheel by tests/test_packaging.py."""
    write_atlas(built, tmp_path / "atlas.json")
    ours = [file for file in (ROOT / "src" / "zerohero").rglob("*") if file.suffix in (".py", ".json", ".css", ".txt") and file.name != "atlas.json"]
    shipped = {file.name: squeezed(file.read_text(encoding="utf-8")) for file in [*ours, tmp_path / "atlas.json"]}
    assert len(shipped) > 20
    del shipped["m02_stand_ins.py"]  # the engine that stands in for a student's earlier part: it has to pass gradients back
    assert not {(name, *secret) for secret in secrets for name, text in shipped.items() if squeezed(secret[1]) in text}


def test_the_fingerprints_of_the_solutions_are_not_in_the_atlas(built, notebooks):
    looked_at = 0
    for module, notebook in notebooks.items():
        for exercise, source, checked, names in _exercise_cells(notebook, load(module)[0]):
            right = atlas.prints_of(_outputs(exercise, exercise.visible_cases(), source, checked, names), exercise.parts)
            for entry in built.get(exercise.id, []):
                if entry["mistake"] != "DTYPE":  # the right numbers, to 7 digits
                    assert not [p for p in entry["parts"] if p in right and atlas.same(entry["parts"][p], right[p], 20)], (exercise.id, entry)
                    looked_at += 1
    assert looked_at > 200


def test_an_entry_holds_a_hash_and_three_numbers_a_part(built, tmp_path):
    write_atlas(built, tmp_path / "atlas.json")
    kept = json.loads((tmp_path / "atlas.json").read_text())
    assert kept.keys() == {"schema", "sentences", "exercises"}
    for rows in kept["exercises"].values():
        for mistake, because, step, parts in rows:
            assert isinstance(mistake, str) and isinstance(because, int) and isinstance(step, int)
            assert all(len(print) == 1 + atlas.PROJECTIONS and len(print[0]) == 16 for print in parts.values())


def test_what_is_written_is_what_is_read(built, tmp_path, monkeypatch):
    write_atlas(built, tmp_path / "atlas.json")
    monkeypatch.setattr(atlas.resources, "files", lambda package: tmp_path)
    read = atlas.entries.__wrapped__()
    assert json.loads(json.dumps(read)) == json.loads(json.dumps(built))
    (tmp_path / "atlas.json").write_text('{"schema": 1, "exercises": {}}')
    assert atlas.entries.__wrapped__() == {}
    (tmp_path / "atlas.json").unlink()
    assert atlas.entries.__wrapped__() == {}


def test_a_teachers_name_wins_over_a_mutants(built):
    """m01: swapped slopes of a product are a mutant too; the words are those of the file in wrong/."""
    from zerohero_autograder.build.atlas import wrong_answers

    for module in MODULES.values():
        for file, wrong in wrong_answers(COURSE, module):
            exercise = find(wrong.exercise)
            outputs = [run_probe(exercise, wrong.answer, case.inputs) for case in exercise.visible_cases()]
            found = atlas.named(built[wrong.exercise], atlas.parts_of(outputs, exercise.parts))
            assert (found["mistake"], found["because"]) == (wrong.mistake, wrong.because), file.stem


# ---------------------------------------------------------------- a lesson's mutants

LESSON = """# %% [markdown]
# # Toy

# %%
import math
print("a plot that takes a minute:", 1 / 0)
class Box:
    def get(self):
        return 1.0
raise RuntimeError("not needed")

# %% exercise="m99-square"
def square(x):
    ### BEGIN SOLUTION
    return x * x - (Box().get() - 1.0)
    ### END SOLUTION

# %% check="m99-square" points=1
check("m99-square", square)

# %% exercise="m99-class"
class Toy:
    def __init__(self):
        ### BEGIN SOLUTION
        self.value = 2.0 - 1.0
        ### END SOLUTION

# %% check="m99-class" points=1
check("m99-class", Toy)
"""


def test_only_what_exercises_need_of_a_lesson_is_run(monkeypatch):
    toy_course.register(monkeypatch)
    entries = mutated_entries(source_notebook(LESSON, toy_course.NAME), toy_course.NAME)
    assert {e["mistake"] for e in entries["m99-square"]} == {"SIGN_FLIP"}


def test_reference_prints_are_made_only_where_there_are_parts(monkeypatch):
    toy_course.register(monkeypatch)
    assert reference_prints(source_notebook(LESSON, toy_course.NAME), toy_course.NAME) == {}


def test_the_file_is_small_and_all_numbers_are_finite(built, tmp_path):
    write_atlas(built, tmp_path / "atlas.json")
    text = (tmp_path / "atlas.json").read_text()
    assert len(text) < 500_000
    assert np.isfinite([n for rows in json.loads(text)["exercises"].values() for row in rows for print in row[3].values() for n in print[1:]]).all()
