"""Notebooks that loop, print without end, end the process or hand over nonsense, in the real jail: each keeps what it earned."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.graded_module import GradedModule
from zerohero_autograder.run import grade
from zerohero_autograder.sandbox import Sandbox, choose

pytestmark = pytest.mark.jail
LESSON = Path(__file__).parents[3] / "course" / "m01_derivatives" / "m01_derivatives.py"


@dataclass(frozen=True)
class Limited(Sandbox):
    """The machine's own sandbox with limits that a test reaches soon."""

    inner: Sandbox
    limits: object

    def run(self, cells, cases, *, limits=None, without=frozenset()):
        return self.inner.run(cells, cases, limits=self.limits, without=without)


@pytest.fixture(scope="module")
def source():
    return source_notebook(LESSON.read_text(encoding="utf-8"), "m01_derivatives")


@pytest.fixture
def graded(source, small, tmp_path):
    """graded(exercise=source, ..., own=source) grades the reference with these answers, and a cell of its own after the third check."""

    def run(own=None, **answers):
        notebook = student_notebook(source)
        for cell, solved in zip(notebook["cells"], source["cells"], strict=True):
            exercise = cell["metadata"].get("zerohero", {}).get("exercise")
            if exercise:
                cell["source"] = answers.get(exercise[4:].replace("-", "_"), solved["source"])
        if own:
            third = next(i for i, cell in enumerate(notebook["cells"]) if cell["id"] == "m01-partials")
            notebook["cells"].insert(third + 1, {"cell_type": "code", "id": "own", "metadata": {}, "source": own, "outputs": []})
        file = tmp_path / "m01_derivatives.ipynb"
        file.write_text(json.dumps(notebook))
        module = GradedModule.of(source, "m01_derivatives", "a-secret-of-some-length")
        return module, grade(file, module, Limited(choose(), small))

    return run


def passed(graded):
    return [id for id, report in graded.reports.items() if report.passed]


def test_a_loop_costs_its_cell_and_a_wrong_object_its_exercise(graded):
    module, result = graded(own="while True:\n    pass", best_h="best_h = 3")
    assert passed(result) == [id for id in module.points if id != "m01-best-h"] and result.messages == ()
    assert result.reports["m01-best-h"].findings[0].what == "check was handed the wrong kind of object"


def test_200_mb_of_print_are_cut_and_cost_nothing(graded):
    module, result = graded(own="line = 'canary ' * 150_000\nfor _ in range(200):\n    print(line)")
    assert result.score == module.max_score
    assert len(json.dumps(dict(result.notebook))) < 1_000_000


def test_a_process_that_ends_keeps_the_checks_before(graded):
    _, result = graded(own="import os\nos._exit(1)")
    assert passed(result) == ["m01-forward-difference", "m01-central-difference", "m01-partials"]
    (message,) = result.messages
    assert message.startswith("cell ") and message.endswith("ended the Python process")
    assert message in result.reports["m01-best-h"].findings[0].what


def test_an_answer_that_never_returns_is_told_so(graded):
    module, result = graded(best_h="def best_h(*args):\n    while True:\n        pass")
    assert passed(result) == [id for id in module.points if id != "m01-best-h"]
    assert "time was up" in result.reports["m01-best-h"].findings[0].what
