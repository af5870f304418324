"""The graded notebook: the instructor's frame, the student's code, whatever became of the cells on the way."""

import copy
import json

import toy_course
from toy_course import SQUARE, answered, cell, code, place

from zerohero_autograder.intake import parse
from zerohero_autograder.rebuild import code_of, placeholder, rebuild


def rebuilt(module, notebook):
    return rebuild(module, parse(json.dumps(notebook).encode()))


def names(result):
    return [c.name for c in result.cells if c.role != "text"]


FRAME = ["IMPORTS", "m99-predict-square", "m99-square-answer", "m99-square", "NINE", "m99-class-answer", "m99-class"]


def frame(module):
    given = [c.name for c in module.cells if c.role == "given"]
    return [given[0] if n == "IMPORTS" else given[1] if n == "NINE" else n for n in FRAME]


def test_an_ordinary_submission_gives_its_own_notebook_back(module):
    result = rebuilt(module, answered())
    assert names(result) == frame(module) and result.messages == ()
    assert [c.source for c in result.cells] == [c["source"] for c in answered()["cells"]]


def test_a_locked_check_cell_is_always_ours(module):
    notebook = answered()
    cell(notebook, "m99-square")["source"] = "pass"
    cell(notebook, "m99-square")["metadata"] = {"nbgrader": {"grade_id": "m99-square", "grade": False, "points": 1000}}
    cell(notebook, "m99-class")["cell_type"] = "markdown"
    assert 'check("m99-square", square)' in code_of(rebuilt(module, notebook).cells)
    assert 'check("m99-class", Toy)' in code_of(rebuilt(module, notebook).cells)


def test_copies_of_a_check_cell_are_dropped_and_a_deleted_one_comes_back(module):
    notebook = answered()
    copied = copy.deepcopy(cell(notebook, "m99-square")) | {"id": "new", "source": "pass"}
    notebook["cells"].append(copied)
    del notebook["cells"][place(notebook, "m99-class")]
    result = rebuilt(module, notebook)
    assert names(result) == frame(module) and "pass" not in code_of(result.cells)


def test_a_copied_check_cell_does_not_pull_up_what_follows_it(module):
    notebook = answered()
    notebook["cells"] += [copy.deepcopy(cell(notebook, "m99-square")) | {"id": "new"}, code("after = 1")]
    assert code_of(rebuilt(module, notebook).cells)[-1] == "after = 1"


def test_the_students_own_cells_keep_their_places(module):
    notebook = answered()
    notebook["cells"].insert(place(notebook, "m99-square-answer") + 1, code("b = 2", "b"))
    notebook["cells"].insert(place(notebook, "m99-square-answer"), code("a = 1", "a"))
    notebook["cells"].insert(0, code("first = 0", "first"))
    notebook["cells"].append(code("last = 9", "last"))
    sources = code_of(rebuilt(module, notebook).cells)
    assert sources[0] == "first = 0" and sources[-1] == "last = 9"
    at = sources.index(SQUARE)
    assert sources[at - 1 : at + 3] == ["a = 1", SQUARE, "b = 2", 'check("m99-square", square)']


def test_both_halves_of_a_split_answer_run_in_order(module):
    notebook = answered()
    first = cell(notebook, "m99-square-answer")
    second = copy.deepcopy(first) | {"id": "other-half", "source": "def square(x):\n    return helper(x)"}
    first["source"] = "def helper(x):\n    return x * x"
    notebook["cells"].insert(place(notebook, "m99-square-answer") + 1, second)
    result = rebuilt(module, notebook)
    sources = code_of(result.cells)
    at = sources.index(first["source"])
    assert sources[at : at + 3] == [first["source"], second["source"], 'check("m99-square", square)']
    assert result.messages == (f"cell {place(notebook, 'other-half') + 1} is a second cell of m99-square; both are run, in your order",)


def test_a_renamed_answer_runs_where_it_stands_and_no_stub_overwrites_it(module):
    notebook = answered()
    cell(notebook, "m99-square-answer").update(id="renamed", metadata={"nbgrader": {"grade_id": "my-name"}})
    result = rebuilt(module, notebook)
    sources = code_of(result.cells)
    assert sources[sources.index(SQUARE) + 1] == 'check("m99-square", square)'
    assert not any("NotImplementedError" in s for s in sources)
    assert result.messages == ("the answer cell of m99-square is missing or empty; code of yours in other cells is still run",)


def test_a_missing_answer_leaves_an_empty_place(module):
    notebook = answered()
    del notebook["cells"][place(notebook, "m99-square-answer")]
    result = rebuilt(module, notebook)
    empty = next(c for c in result.cells if c.name == "m99-square-answer")
    assert empty.source == "# The answer cell of m99-square is not in this notebook." and not empty.runs
    assert "m99-square is missing or empty" in result.messages[0]


def test_an_answer_made_text_or_emptied_counts_as_missing(module):
    notebook = answered(square="  \n")
    cell(notebook, "m99-class-answer")["cell_type"] = "raw"
    assert "m99_toy" in rebuilt(module, notebook).messages[0]  # all answers are gone


def test_another_modules_notebook_is_recognised(module):
    notebook = {"nbformat": 4, "cells": [code("x = 1")]}
    result = rebuilt(module, notebook)
    assert result.messages == ("no cell of m99_toy is in this notebook: is it the right one?",)
    assert code_of(result.cells)[0] == "x = 1"


def test_given_cells_may_be_edited_and_come_back_when_deleted(module):
    notebook = answered()
    given = frame(module)[0]
    cell(notebook, given)["source"] = "import mine"
    del notebook["cells"][place(notebook, frame(module)[4])]
    sources = code_of(rebuilt(module, notebook).cells)
    assert sources[0] == "import mine" and "nine = square(3.0)" in sources


def test_cells_without_ids_are_known_by_their_text(module):
    """Formats below 4.5 have no cell ids; the given cells must not run twice for that."""
    notebook = answered()
    for one in notebook["cells"]:
        del one["id"]
    notebook["nbformat_minor"] = 4
    assert names(rebuilt(module, notebook)) == frame(module)


def test_a_notebook_copied_cell_by_cell_is_the_right_one(module):
    notebook = answered()
    for number, one in enumerate(notebook["cells"]):
        one.update(id=f"new-{number}", metadata={})
    result = rebuilt(module, notebook)
    assert result.messages == ("the answer cells of m99_toy have lost their names or are empty; your code is run where it stands",)
    sources = code_of(result.cells)
    assert sources[sources.index(SQUARE) + 1] == 'check("m99-square", square)'


def test_nothing_but_source_is_taken(module):
    notebook = answered()
    for one in notebook["cells"]:
        one["metadata"]["tags"] = ["raises-exception"]
        one["metadata"]["zerohero"] = {**one["metadata"].get("zerohero", {}), "hints": 2}  # noted down by the lab extension
        one["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "old output"}]
    notebook["cells"].append({"cell_type": "markdown", "id": "own-text", "metadata": {}, "source": "<script>alert(1)</script>"})
    text = str(rebuilt(module, notebook))
    assert "hints" not in text and code_of(rebuilt(module, notebook).cells) == code_of(rebuilt(module, answered()).cells)
    assert "old output" not in text and "raises-exception" not in text and "script" not in text


def test_no_solution_is_ever_in_it(module):
    for notebook in (answered(), {"nbformat": 4, "cells": []}):
        assert "the_secret_solution" not in str(rebuilt(module, notebook))
    assert "the_secret_solution" not in str(placeholder(module)) and "the_secret_solution" not in str(module.cells)


def test_magics_and_commands_stay_as_they_are(module):
    notebook = answered(square="%matplotlib inline\n!ls\n" + SQUARE)
    assert "%matplotlib inline\n!ls\n" + SQUARE in code_of(rebuilt(module, notebook).cells)


def test_the_toy_course_is_what_these_tests_think(module):
    assert module.points == {"m99-square": 2.0, "m99-class": 1.5} and module.max_score == 3.5
    assert toy_course.HIDDEN in [case.inputs.get("x") for case in module.cases["m99-square"]]
