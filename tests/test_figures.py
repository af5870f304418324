"""`make figures`: a figure outside its band, and a module that breaks, are named and give exit 1."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from zerohero.exercise import MODULES

ROOT = Path(__file__).parents[1]


@pytest.fixture
def run(tmp_path):
    """run(m98_a="source of figures.py", ...) -> (exit status, what was printed); a module of None has no figures.py."""

    def measured(*arguments, **modules):
        for name, source in modules.items():
            (tmp_path / name).mkdir()
            if source is not None:
                (tmp_path / name / "figures.py").write_text(source, encoding="utf-8")
        command = [sys.executable, str(ROOT / "benchmarks" / "figures.py"), "--course", str(tmp_path), *arguments]
        made = subprocess.run(command, capture_output=True, text=True)
        return made.returncode, made.stdout + made.stderr

    return measured


def rows(*rows):
    return "def figures():\n" + "".join(f"    yield {row}\n" for row in rows)


def cells(printed):
    """The table as lists of words, header left out."""
    return [[cell.strip() for cell in line.strip("│ ").split("│")] for line in printed.split("\n") if line.startswith("│")]


def test_figures_in_their_bands_give_0(run):
    status, printed = run(m98_a=rows("'loss [nats]', 2.5, 2.4, 2.5", "'count', 27, 27, 27"))
    assert status == 0 and printed.endswith("all 2 figures inside their bands\n")
    assert cells(printed) == [["m98_a", "loss [nats]", "2.5", "2.4 .. 2.5", "inside"], ["m98_a", "count", "27", "27", "inside"]]


@pytest.mark.parametrize(("value", "shown"), [("2.6", "2.6"), ("2.3", "2.3"), ("float('nan')", "nan")])
def test_a_figure_outside_is_named_and_gives_1(run, value, shown):
    status, printed = run(m98_a=rows(f"'loss', {value}, 2.4, 2.5", "'count', 27, 27, 27"), m99_b=rows("'x', 1, 1, 1"))
    assert status == 1 and f"OUTSIDE  m98_a: loss: {shown} is not in 2.4 .. 2.5\n" in printed
    assert [row[-1] for row in cells(printed)] == ["OUTSIDE", "inside", "inside"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (rows("'x', 1, 1, 1") + "    raise ValueError('no data')\n", "ValueError: no data"),
        (rows("'x', None, 1, 1"), "TypeError: float() argument must be a string or a real number, not 'NoneType'"),
        (rows("'x', 1, 1"), "ValueError: not enough values to unpack (expected 4, got 3)"),
        ("import no_such_library\n", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("def figures():\n    return []\n", "figures() yields no row"),
        (None, "there is no figures.py"),
    ],
)
def test_a_module_that_breaks_is_named_and_hides_no_other(run, source, why):
    status, printed = run(m98_a=source, m99_b=rows("'x', 1, 1, 1"))
    assert status == 1 and f"BROKEN   m98_a: {why}\n" in printed
    assert cells(printed)[-1] == ["m99_b", "x", "1", "1", "inside"]


def test_one_module_can_be_asked_for(run):
    status, printed = run("m99", m98_a=rows("'x', 2, 1, 1"), m99_b=rows("'x', 1, 1, 1"))
    assert status == 0 and [row[0] for row in cells(printed)] == ["m99_b"]
    status, printed = run("m97")
    assert status == 1 and "no module m97" in printed


@pytest.mark.parametrize("module", MODULES.values())
def test_every_module_of_the_course_has_figures(module):
    tree = ast.parse((ROOT / "course" / module / "figures.py").read_text(encoding="utf-8"))
    (figures,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "figures"]
    assert any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(figures))


def test_the_figures_of_the_first_module_are_measured():
    made = subprocess.run([sys.executable, str(ROOT / "benchmarks" / "figures.py"), "m01"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "m01_derivatives │ L after a step of 0.01" in made.stdout and "all 16 figures inside their bands" in made.stdout
