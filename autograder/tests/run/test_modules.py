"""Every module of the course through the real jail: a right notebook earns all its points, an untouched one none."""

import json
from pathlib import Path

import pytest

from zerohero.exercise import MODULES, load
from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.graded_module import GradedModule
from zerohero_autograder.run import grade
from zerohero_autograder.sandbox import choose

pytestmark = pytest.mark.jail
COURSE = Path(__file__).parents[3] / "course"


@pytest.fixture(params=[m for m in MODULES.values() if m != "m99_toy"])
def handed_in(request, tmp_path):
    """(what grading needs of a module, handed_in(solved) -> the file of its notebook with or without the reference answers)."""
    name = request.param
    source = source_notebook((COURSE / name / f"{name}.py").read_text(encoding="utf-8"), name)

    def write(solved: bool) -> Path:
        notebook = student_notebook(source)
        for cell, right in zip(notebook["cells"], source["cells"], strict=True):
            if solved and "exercise" in cell["metadata"].get("zerohero", {}):
                cell["source"] = right["source"]
        file = tmp_path / f"{name}.ipynb"
        file.write_text(json.dumps(notebook))
        return file

    return GradedModule.of(source, name, "a-secret-of-some-length"), write


def test_the_reference_earns_all_points(handed_in):
    module, write = handed_in
    result = grade(write(solved=True), module, choose())
    assert [(id, r.findings) for id, r in result.reports.items() if not r.passed] == [] and result.messages == ()
    assert result.score == module.max_score and set(result.reports) == set(load(module.name)[0])


def test_an_untouched_notebook_earns_none(handed_in):
    module, write = handed_in
    result = grade(write(solved=False), module, choose())
    assert {id: r.status for id, r in result.reports.items()} == dict.fromkeys(load(module.name)[0], "not started")
    assert result.score == 0
