"""Notebook habits that must work without a kernel."""

import pytest

pytestmark = pytest.mark.jail


def texts(run):
    assert run.ended == "finished"
    return [c.text for c in run.cells]


def test_magics_and_shell_commands(jail):
    run = jail(
        "%matplotlib inline\n%config InlineBackend.figure_format = 'retina'",
        "%timeit -n1 -r1 1 + 1",
        "%%time\nx = 2",
        "!echo hi",
        "y = !echo there\nprint(y[0])",
        "%pwd",
    )
    assert [c.status for c in run.cells] == ["ok"] * 6
    assert "loop" in texts(run)[1]
    assert texts(run)[3:5] == ["hi\n", "there\n"]


def test_plots_are_drawn_and_closed(jail):
    run = jail(
        "import matplotlib.pyplot as plt\nfor i in range(30):\n    plt.figure()\n    plt.plot([1, 2])\n    plt.close()\nplt.plot([1]); plt.show(); plt.savefig('a.png')",
        "print(plt.get_fignums())",
    )
    assert texts(run) == ["", "[]\n"]


def test_top_level_await(jail):
    assert texts(jail("import asyncio\nawait asyncio.sleep(0.01)\nprint('slept')")) == ["slept\n"]


def test_display_prints_plain_text(jail):
    assert "<b>" not in "".join(texts(jail("from IPython.display import HTML, display\ndisplay(HTML('<b>x</b>')); display({'a': 1})", "[1, 2]")))


def test_the_last_expression_is_shown(jail):
    assert texts(jail("1 + 1")) == ["Out[1]: 2\n"]


def test_input_says_why_it_cannot_be_answered(jail):
    assert "input() cannot be answered while grading" in jail("input('?')").cells[0].error


def test_the_namespace_is_main_and_pickles(jail):
    assert texts(jail("class A: pass\nimport pickle\nprint(__name__, type(pickle.loads(pickle.dumps(A()))).__name__)")) == ["__main__ A\n"]


def test_tracebacks_show_source_of_earlier_cells(jail):
    assert "return 1 / x" in jail("def f(x):\n    return 1 / x", "f(0)").cells[1].text


def test_exit_ends_nothing(jail):
    run = jail("exit()", "import sys; sys.exit(1)", "print('on')")
    assert run.cells[2].text == "on\n"


def test_a_syntax_error_is_an_error_of_its_cell(jail):
    run = jail("def f(:", "print('on')")
    assert run.cells[0].status == "error" and run.cells[0].error.startswith("SyntaxError")
    assert run.cells[1].text == "on\n"


def test_get_ipython_is_there(jail):
    assert texts(jail("print(type(get_ipython()).__name__)")) == ["NotebookShell\n"]


def test_colours_and_control_characters_are_taken_out(jail):
    assert texts(jail(r"print('\x1b[31mred\x1b[0m \x07bell')")) == ["red bell\n"]


def test_what_the_jail_has_imported_is_not_in_the_notebook(jail):
    assert [c.error.partition(":")[0] for c in jail("np", "numpy", "plt", "zerohero", "os", "plan").cells] == ["NameError"] * 6


def test_a_deep_recursion_is_told_quickly(jail, small):
    """IPython's usual tracebacks look through all imported modules for each of a thousand frames."""
    from dataclasses import replace

    run = jail("def f(): f()\nf()", "print('on')", limits=replace(small, cpu_s=4, cell_s=15))
    assert run.cells[0].error.startswith("RecursionError") and run.cells[1].text == "on\n"


def test_pip_finds_out_at_once_that_there_is_no_network(jail):
    """Left alone it tries five times and waits in between, which takes the cell's time; what it cannot install is no error of the cell."""
    (run,) = jail("!pip install no-such-package-of-ours").cells
    assert run.status == "ok" and "No matching distribution" in run.text and "Retrying" not in run.text
