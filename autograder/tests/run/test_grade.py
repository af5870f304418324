"""One submission from file to scores, in a sandbox that is none; the jail has tests of its own."""

import json
import os
import pickle
import time
from dataclasses import replace

import pytest
import toy_course
from toy_course import HIDDEN, answered, cell, code

from zerohero.exercise import load
from zerohero.plaindata import encode
from zerohero.report import MIME
from zerohero_autograder.graded_module import SourceCell
from zerohero_autograder.record.files import notebook_bytes
from zerohero_autograder.run import Graded, grade
from zerohero_autograder.run.notebook import reports_of
from zerohero_autograder.sandbox import CellRun, NoSandbox, Run, Sandbox


@pytest.fixture
def graded(tmp_path, module, sandbox):
    def run(notebook) -> Graded:
        file = tmp_path / f"{module.name}.ipynb"
        file.write_bytes(notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode())
        return grade(file, module, sandbox)

    return run


def test_right_answers_get_all_points(graded):
    result = graded(answered())
    assert result.scores == {"m99-square": 2.0, "m99-class": 1.5} and result.score == 3.5 and result.messages == ()
    assert all(report.passed for report in result.reports.values())


def test_part_of_the_groups_gives_part_of_the_points(graded):
    result = graded(answered(square="def square(x):\n    return x * x if x > 0 else 0.0"))
    assert [(g.name, g.passed) for g in result.reports["m99-square"].groups] == [("values", False), ("large", True), ("negative", False)]
    assert result.scores["m99-square"] == pytest.approx(2 / 3)


def test_the_untouched_notebook_is_not_started(graded):
    result = graded(toy_course.student())
    assert {r.status for r in result.reports.values()} == {"not started"} and result.score == 0


def test_what_cannot_be_read_is_0_with_the_reason_and_runs_nothing(graded, sandbox):
    result = graded(json.dumps(answered()).encode()[:-300])
    assert result.score == 0 and "cut off" in result.messages[0] and sandbox.runs == []
    assert result.reports["m99-square"].findings[0].what == "the notebook could not be read"
    assert "the_secret_solution" not in json.dumps(dict(result.notebook))


def test_the_jail_is_handed_inputs_and_no_truth(graded, sandbox):
    graded(answered())
    ((cells, cases, without),) = sandbox.runs
    assert {"x": HIDDEN} in cases["m99-square"] and cases["m99-class"] == [{}]
    assert without == {"torch"} and "the_secret_solution" not in str(cells)


def test_exercises_with_torch_run_apart_from_those_without(graded, sandbox, module, monkeypatch):
    monkeypatch.setattr(type(module), "with_torch", lambda self: frozenset({"m99-class"}))
    result = graded(answered(square="print('seen')\n" + toy_course.SQUARE))
    assert cell(result.notebook, "m99-square-answer")["outputs"][0]["text"] == "seen\n"
    assert [(set(cases), set(without)) for _, cases, without in sandbox.runs] == [({"m99-square"}, {"torch"}), ({"m99-class"}, set())]
    assert result.score == 3.5 and result.messages == ()


def test_the_run_with_torch_stops_behind_the_last_check_that_needs_it(graded, sandbox, module, monkeypatch):
    monkeypatch.setattr(type(module), "with_torch", lambda self: frozenset({"m99-square"}))
    result = graded(answered())
    (without, _, _), (torch, _, _) = sandbox.runs
    assert torch == without[: len(torch)] and torch[-1] == 'check("m99-square", square)' and result.score == 3.5
    assert [len(cell(result.notebook, id)["outputs"]) for id in ("m99-square", "m99-class")] == [1, 1]  # no error of the other run


def test_what_stands_behind_the_last_check_is_run_only_if_it_is_the_students(tmp_path, module, sandbox):
    """The lesson trains its networks there, which takes longer than all checks together; a class may be mended in a cell of one's own."""
    module = replace(module, cells=(*module.cells, SourceCell("given", "slow", "slow = 1")))
    notebook, file = answered(), tmp_path / "n.ipynb"
    for own in ([], [code("Toy.value = 2.0", id="own")]):
        file.write_text(json.dumps({**notebook, "cells": [*notebook["cells"], *own]}))
        grade(file, module, sandbox)
    (plain, _, _), (mended, _, _) = sandbox.runs
    assert plain[-1] == 'check("m99-class", Toy)' and [*mended] == [*plain, "Toy.value = 2.0"]


def test_how_long_a_cell_took_is_kept_with_it(graded, sandbox, monkeypatch):
    run = sandbox.run
    monkeypatch.setattr(sandbox, "run", lambda *a, **k: replace(run(*a, **k), cells=tuple(replace(c, seconds=0.12345) for c in run(*a, **k).cells)))
    notebook = graded(answered()).notebook
    assert cell(notebook, "m99-square")["metadata"]["zerohero"]["seconds"] == 0.123


def test_the_result_can_be_sent_between_processes(graded, module):
    result = graded(answered())
    assert pickle.loads(pickle.dumps(result)) == result and pickle.loads(pickle.dumps(module)).points == module.points


def test_the_graded_notebook_carries_the_reports_and_plain_text_only(graded):
    notebook = graded(answered(square="print('<b>printed</b>')\n" + toy_course.SQUARE)).notebook
    assert set(reports_of(notebook)) == {"m99-square", "m99-class"}
    check = cell(notebook, "m99-square")
    assert check["outputs"][0]["data"][MIME]["status"] == "passed" and check["metadata"]["nbgrader"]["points"] == 2.0
    assert cell(notebook, "m99-square-answer")["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "<b>printed</b>\n"}]
    import nbformat

    nbformat.validate(nbformat.from_dict(dict(notebook)))


def test_an_answer_that_does_not_compile_says_so(graded):
    finding = graded(answered(square="def square(x) return")).reports["m99-square"].findings[0]
    assert finding.what == "the answer cell raised SyntaxError, so there was nothing to check"


def test_a_missing_answer_says_so(graded):
    notebook = answered()
    notebook["cells"].remove(cell(notebook, "m99-square-answer"))
    result = graded(notebook)
    assert result.reports["m99-square"].findings[0].what == "the answer cell is missing or empty and nothing else stands in its place"
    assert result.scores == {"m99-square": 0, "m99-class": 1.5}


def test_a_renamed_answer_still_counts(graded):
    notebook = answered()
    cell(notebook, "m99-square-answer").update(id="renamed", metadata={})
    result = graded(notebook)
    assert result.score == 3.5 and "missing" in result.messages[0]


def test_the_wrong_object_says_so(graded):
    notebook = answered(square=toy_course.SQUARE + "\nsquare = 3")
    assert graded(notebook).reports["m99-square"].findings[0].what == "check was handed the wrong kind of object"


def test_a_replaced_check_hands_nothing_over(graded):
    notebook = answered(square=toy_course.SQUARE + "\ncheck = lambda *a: None")
    assert "is `check` replaced" in graded(notebook).reports["m99-square"].findings[0].next


def test_a_check_of_the_students_own_counts_too(graded):
    notebook = answered(square="from zerohero import check as c\ndef later(x):\n    return x * x\nc('m99-square', later)\nsquare = 1")
    assert graded(notebook).scores["m99-square"] == 2.0


def test_a_class_that_grew_after_its_check_counts_as_it_is_at_the_end(graded, monkeypatch):
    exercises, _ = load("m99_toy")
    from dataclasses import replace

    import toy

    strict = replace(exercises["m99-class"], judge=lambda case, out: [] if out == 1.0 else [toy_finding()])
    monkeypatch.setattr(toy.content, "EXERCISES", [exercises["m99-square"], strict])
    notebook = answered(cls="class Toy:\n    value = 0.0")
    assert graded(notebook).scores["m99-class"] == 0
    notebook["cells"].append(code("Toy.value = 1.0"))
    assert graded(notebook).scores["m99-class"] == 1.5


def toy_finding():
    from zerohero.report import Finding

    return Finding("value is wrong")


# ---------------------------------------------------------------- runs that did not end well


class Ended(Sandbox):
    """A sandbox whose run ended in the cell that holds ``word``."""

    def __init__(self, word, ended, reason):
        self.word, self.ended, self.reason = word, ended, reason

    def run(self, cells, cases, *, limits=None, without=frozenset()):
        at = next(i for i, text in enumerate(cells) if self.word in text)
        done = [
            CellRun(i, "ok" if i < at else "error" if i == at else "not run", "", "the run ended in this cell" if i == at else "") for i in range(len(cells))
        ]
        early = {"m99-square": (encode([{"status": "stub"}] * len(cases["m99-square"])),)} if at > 3 else {}
        return Run(tuple(done), early, self.ended, self.reason.format(at + 1))


@pytest.fixture
def ended(tmp_path, module):
    def run(notebook, *how):
        file = tmp_path / f"{module.name}.ipynb"
        file.write_text(json.dumps(notebook))
        return grade(file, module, Ended(*how))

    return run


def test_a_process_that_ended_keeps_what_came_before(ended):
    notebook = answered()
    notebook["cells"].insert(toy_course.place(notebook, "m99-class-answer"), code("import os; os._exit(1)"))
    result = ended(notebook, "_exit", "died", "cell {} ended the Python process")
    number = toy_course.place(notebook, "own") + 1
    assert result.messages == (f"cell {number} ended the Python process",)
    assert result.reports["m99-square"].status == "not started"
    assert result.reports["m99-class"].findings[0].what == f"the check was not reached: cell {number} ended the Python process"


def test_a_process_that_ended_in_a_check(ended):
    result = ended(answered(), 'check("m99-square"', "died", "cell {} crashed Python (segmentation fault)")
    assert (
        result.reports["m99-square"].findings[0].what
        == "the run ended while your code was checked: the check cell of m99-square crashed Python (segmentation fault)"
    )


def test_time_that_was_up_names_the_cell(ended):
    result = ended(answered(square="while True: pass"), "while True", "timeout", "the notebook ran longer than 300 s")
    assert result.messages == ("the notebook ran longer than 300 s, in the answer cell of m99-square",)


def test_a_type_name_of_the_students_is_not_repeated(ended, module, tmp_path):
    class Named(Sandbox):
        def run(self, cells, cases, *, limits=None, without=frozenset()):
            return Run(tuple(CellRun(i, "error", "", "The_hidden_input_is_7919: 7919") for i in range(len(cells))), {}, "finished")

    file = tmp_path / f"{module.name}.ipynb"
    file.write_text(json.dumps(answered()))
    result = grade(file, module, Named())
    assert "7919" not in str([r.without_values() for r in result.reports.values()]) + str(result.messages)
    assert result.reports["m99-square"].findings[0].what == "the answer cell raised an exception, so there was nothing to check"


def test_a_sandbox_that_does_not_work_scores_nobody(module, tmp_path):
    class Broken(Sandbox):
        def run(self, *args, **kwargs):
            raise NoSandbox("no jail")

    file = tmp_path / f"{module.name}.ipynb"
    file.write_text(json.dumps(answered()))
    with pytest.raises(NoSandbox):
        grade(file, module, Broken())


def test_code_that_reaches_for_the_checker_is_shown_to_a_person(graded):
    for reaching in (
        "from zerohero.exercises import m99_toy",
        "from zerohero import check, grading",
        "open('/grading/given/cases.json')",
        "import zerohero . exercise as e",
    ):
        result = graded(toy_course.answered(square=f"{toy_course.SQUARE}\n{reaching}"))
        assert [(flag.kind, flag.where) for flag in result.flags] == [("REACHES_CHECKER", "m99-square")], result.flags
        assert result.score == result.scores["m99-square"] + result.scores["m99-class"] and result.messages == ()
    assert graded(toy_course.answered()).flags == ()


def test_looking_takes_no_time(graded):
    started = time.monotonic()
    flags = graded(toy_course.answered(square=f"{toy_course.SQUARE}\n#" + "from zerohero import " * 40_000)).flags
    assert [flag.kind for flag in flags] == ["UNREAD"]
    assert time.monotonic() - started < 3


def test_names_of_files_that_are_no_text_can_be_written_down(tmp_path, module, sandbox):
    """The reason names what lies there instead; bytes that are no UTF-8 would keep the graded notebook from being written."""
    (tmp_path / os.fsdecode(b"m99 \xff.ipynb")).write_bytes(b"{}")
    result = grade(tmp_path / "m99_toy.ipynb", module, sandbox)
    assert "it holds m99 \\udcff.ipynb" in result.messages[0]
    assert notebook_bytes(dict(result.notebook))
