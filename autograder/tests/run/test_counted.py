"""What is seen by running: functions that a backward pass calls once per number, and outputs that differ between two runs."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import toy
from toy_course import NAME, answered, hand_in

from zerohero.exercise import find, load, run_probe
from zerohero.grading import MOST_CALLS, calls_with_all
from zerohero.plaindata import encode
from zerohero_autograder.build import source_notebook
from zerohero_autograder.build.mutated import _exercise_cells
from zerohero_autograder.driver import grade_all
from zerohero_autograder.flags import Flag
from zerohero_autograder.run import grade
from zerohero_autograder.run.twice import differences
from zerohero_autograder.sandbox import choose

COURSE = Path(__file__).parents[3] / "course"
BACKWARD = find("m03-sigmoid-backward")
FORWARD = "import numpy as np\n\ndef sigmoid_forward(x):\n    return 1 / (1 + np.exp(-x))\n"
MEASURED = """
def sigmoid_backward(dout, x):
    grad, h = np.zeros_like(x), 1e-6
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        grad[i] = np.sum(dout * (sigmoid_forward(up) - sigmoid_forward(down))) / (2 * h)
    return grad"""
FORMULA = "def sigmoid_backward(dout, x):\n    s = sigmoid_forward(x)\n    return dout * s * (1 - s)"
ROW_BY_ROW = "def sigmoid_backward(dout, x):\n    s = np.array([[sigmoid_forward(one) for one in row] for row in x]) if x.ndim == 2 else sigmoid_forward(x)\n    return dout * s * (1 - s)"  # fmt: skip


def counted(answer, cases=None):
    names = {"__name__": "__main__"}
    exec(FORWARD + answer, names)
    return calls_with_all(BACKWARD, names["sigmoid_backward"], cases or [case.inputs for case in BACKWARD.visible_cases()])


def test_a_slope_measured_number_by_number_calls_the_forward_pass_twice_for_each():
    name, calls, numbers = counted(MEASURED)
    assert name == "_sigmoid" and calls == 2 * numbers > 8
    x = np.arange(12.0).reshape(3, 4)
    assert counted(MEASURED, [{"dout": x, "x": x}]) == ("_sigmoid", 24, 12)


@pytest.mark.parametrize("answer", [FORMULA, ROW_BY_ROW])
def test_a_formula_does_not(answer):
    _, calls, numbers = counted(answer)
    assert calls <= 1 and (calls < numbers or not numbers)


def test_no_solution_of_the_course_is_counted_as_measuring():
    told = {}
    for module in ("m03_layers", "m04_bigram", "m05_mlp"):
        notebook = source_notebook((COURSE / module / f"{module}.py").read_text(encoding="utf-8"), module)
        for exercise, source, checked, names in _exercise_cells(notebook, load(module)[0]):
            names["__name__"] = "__main__"
            exec(source, names)
            if exercise.by_formula:
                _, told[exercise.id], numbers = calls_with_all(exercise, names[checked], [case.inputs for case in exercise.visible_cases()])
                assert told[exercise.id] < numbers or numbers == 0, exercise.id
    assert len(told) == 11 and max(told.values()) > 0


def test_counting_ends_and_raises_nothing_and_leaves_no_trace():
    before = sys.getprofile()
    endless = "def sigmoid_backward(dout, x):\n    while True:\n        sigmoid_forward(x)"
    name, calls, numbers = counted(endless)
    assert name == "_sigmoid" and numbers < calls < MOST_CALLS
    for broken in ("raise SystemExit", "import sys; sys.setprofile(None); return dout", "return sigmoid_backward(dout, x)"):
        assert counted(f"def sigmoid_backward(dout, x):\n    {broken}") == ("", 0, 0)
    assert counted(FORMULA, [{"dout": np.ones(2000), "x": np.ones(2000)}]) == ("", 0, 0)  # no case is small enough
    assert sys.getprofile() is before


@pytest.mark.jail
def test_counted_calls_come_out_of_the_jail_and_change_no_output():
    cells = [FORWARD + MEASURED, f'from zerohero import check\ncheck("{BACKWARD.id}", sigmoid_backward)']
    inputs = [case.inputs for case in BACKWARD.visible_cases()]
    run = choose().run(cells, {BACKWARD.id: inputs})
    names = {}
    exec(cells[0], names)
    assert run.outputs == {BACKWARD.id: (encode([run_probe(BACKWARD, names["sigmoid_backward"], one) for one in inputs]),)} and run.ended == "finished"
    name, calls, numbers = run.calls[BACKWARD.id]
    assert name == "_sigmoid" and calls == 2 * numbers > 8


def test_many_calls_are_a_flag_where_a_formula_is_asked_for(module, sandbox, tmp_path, monkeypatch):
    from dataclasses import replace

    class Counting(type(sandbox)):
        def run(self, *args, **kwargs):
            return replace(super().run(*args, **kwargs), calls={"m99-square": ("forward", 1204, 602)})

    file = tmp_path / f"{NAME}.ipynb"
    file.write_text(json.dumps(answered()))
    assert grade(file, module, Counting(monkeypatch)).flags == ()  # such a line can be written by anybody
    monkeypatch.setattr(toy.content, "EXERCISES", [replace(toy.square, by_formula=True), toy.toy_class])
    (flag,) = grade(file, module, Counting(monkeypatch)).flags
    assert flag == Flag(
        "MANY_FORWARD_CALLS",
        "m99-square",
        "one call of it calls `forward` 1,204 times, each time with a whole input of 602 numbers (it is one of the notebook, or ours in its place)",
    )


# ---------------------------------------------------------------- two runs

COUNTS = "import builtins\nbuiltins.canary_runs = getattr(builtins, 'canary_runs', 0) + 1\nRUN = builtins.canary_runs\n"


def test_what_differs_in_a_second_run_is_flagged_and_the_first_one_counts(course, sandbox):
    import builtins

    hand_in(course, "eve", answered(square=COUNTS + "def square(x):\n    return x * x if RUN == 1 else 0.5"))
    try:
        (outcome,) = grade_all(course, NAME, twice=True, sandbox=sandbox)
    finally:
        del builtins.canary_runs
    (flag,) = outcome.flags
    assert (flag.kind, flag.where, flag.evidence) == ("NOT_REPEATABLE", "m99-square", "values, input x = 3: first 9, then 0.5")
    assert outcome.score == 3.5 and len(sandbox.runs) == 2
    assert [o.flags for o in grade_all(course, NAME, sandbox=sandbox)] == [(flag,)] and len(sandbox.runs) == 2  # unchanged: the flag is kept


def test_nothing_is_flagged_where_two_runs_agree(module, sandbox, tmp_path):
    file = tmp_path / f"{NAME}.ipynb"
    file.write_text(json.dumps(answered()))
    assert grade(file, module, sandbox, twice=True).flags == () and len(sandbox.runs) == 2


def differing(module, first, second):
    flags = differences({"m99-square": (first, second)}, module.cases)
    assert [(flag.kind, flag.where) for flag in flags] == [("NOT_REPEATABLE", "m99-square")] * len(flags)
    return [flag.evidence for flag in flags]


def test_rounding_addresses_and_equal_outputs_are_no_difference(module):
    count = len(module.cases["m99-square"])

    def text(value):
        return encode([{"status": "ok", "value": {"value": value, "order": ["a", "b"]}}] * count)

    assert differing(module, [text(1.0)], [text(1.0)]) == []
    assert differing(module, [text(np.array([1.0, np.nan]))], [text(np.array([1.0 + 1e-12, np.nan]))]) == []
    assert differing(module, [text("<Value at 0x7f001122>")], [text("<Value at 0x7f99aabb>")]) == []
    assert differing(module, [text(1.0)], [text(1.1)]) == ["values, input x = 3: first 1, then 1.1"]
    assert differing(module, [text(1.0)], []) == ["the check handed over 1 outputs in the first run, 0 in the second"]
    assert differing(module, [text(1.0)], [text(1)]) == ["values, input x = 3: first 1, then 1"]
    assert differing(module, ["[[["], ["[[[["]) == ["the outputs differ, and cannot be compared (NotPlainData)"]
    assert differing(module, [encode([1])], [encode([2])]) == ["outputs of another form"]
