"""Family b: IPython's own hooks. They change what runs inside and invent nothing outside."""

import pytest

from zerohero.plaindata import decode

pytestmark = pytest.mark.jail
CASES = {"m99-square": [{"x": 3.0}]}
CHECK = "check('m99-square', lambda x: x * x)"


def after(jail, toy_cell, hook):
    """The run of: check, hook, check."""
    run = jail(toy_cell, CHECK, hook, CHECK, "print('on')", cases=CASES)
    assert run.ended == "finished"
    assert decode(run.outputs["m99-square"][0])[0]["value"] == 9.0
    return run


def test_input_transformer_that_empties_later_cells(jail, toy_cell):
    run = after(jail, toy_cell, r"get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\n'])")
    assert len(run.outputs["m99-square"]) == 1 and run.cells[4].text == ""


def test_run_code_that_reports_success(jail, toy_cell):
    run = after(jail, toy_cell, "async def nothing(self, *a, **k): return False\ntype(get_ipython()).run_code = nothing")
    assert len(run.outputs["m99-square"]) == 1


def test_run_cell_that_raises(jail, toy_cell):
    run = after(jail, toy_cell, "def no(self, *a, **k): raise SystemExit\ntype(get_ipython()).run_cell = no")
    assert run.cells[3].status == "error"


def test_run_cell_that_returns_nonsense(jail, toy_cell):
    assert after(jail, toy_cell, "type(get_ipython()).run_cell = lambda *a, **k: 3").cells[3].status == "error"


def test_exceptions_swallowed(jail, toy_cell):
    run = after(jail, toy_cell, "get_ipython().set_custom_exc((BaseException,), lambda *a, **k: None)\n1/0")
    assert run.cells[2].status == "error"


def test_showtraceback_removed(jail, toy_cell):
    run = after(jail, toy_cell, "import IPython.core.interactiveshell as i\ni.InteractiveShell.showtraceback = lambda *a, **k: None\n1/0")
    assert run.cells[2].error.startswith("ZeroDivisionError")


def test_event_callbacks_that_raise(jail, toy_cell):
    run = after(jail, toy_cell, "def bad(*a): raise KeyboardInterrupt\nget_ipython().events.register('pre_run_cell', bad)")
    assert run.cells[0].status == "ok"


def test_alarm_switched_off(jail, small):
    from dataclasses import replace

    run = jail("import signal; signal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass", limits=replace(small, cell_s=1, grace_s=1))
    assert run.ended == "timeout" and run.cells[0].status == "timeout"


def test_exception_whose_text_raises(jail):
    run = jail("class E(Exception):\n    def __str__(self): raise KeyboardInterrupt\nraise E", "print('on')")
    assert run.cells[0].status == "error" and run.cells[1].text == "on\n"


def test_frames_of_the_runner_hold_no_truth(jail, toy_cell):
    """Walking up from the probe finds the inputs of the cases, which are allowed to be read, and nothing else of the grader's."""
    walk = """
import sys
def square(x):
    f, names = sys._getframe(), set()
    while f: names |= set(f.f_locals) | set(f.f_globals); f = f.f_back
    return sorted(n for n in names if n in ("truth", "expected", "secret", "hidden"))
check("m99-square", square)
"""
    run = jail(toy_cell, walk, cases=CASES)
    assert decode(run.outputs["m99-square"][0])[0]["value"] == []
