"""Family a: changing the libraries that a judge would use. The judge is in another process: only data comes out."""

import pytest

from zerohero.plaindata import decode

pytestmark = pytest.mark.jail
CASES = {"m99-square": [{"x": 3.0}]}


def value(run):
    assert run.ended == "finished"
    return decode(run.outputs["m99-square"][-1])[0]["value"]


def test_comparisons_that_always_agree(jail, toy_cell):
    patch = """
import builtins, numpy as np, numpy.testing as t
for n in dir(t):
    if n.startswith("assert_"): setattr(t, n, lambda *a, **k: None)
np.allclose = lambda *a, **k: True
np.isclose = lambda a, b, *r, **k: np.ones(np.broadcast(a, b).shape, bool)
builtins.abs = lambda v: 0.0
"""
    assert value(jail(toy_cell, patch, "check('m99-square', lambda x: -1.0)", cases=CASES)) == -1.0


def test_our_own_judge_replaced(jail, toy_cell):
    patch = """
from zerohero import exercise, report
exercise.conclude = exercise.examine = lambda *a, **k: report.Report("m99-square", "Square", "passed", (report.Group("values", True),))
exercise.Exercise.judge = lambda *a: []
exercise.find("m99-square").__dict__["judge"] = lambda *a: []
"""
    run = jail(toy_cell, patch, "check('m99-square', lambda x: -1.0)", cases=CASES)
    assert value(run) == -1.0
    assert set(vars(run)) == {"cells", "outputs", "ended", "reason", "calls"}  # there is no place for a verdict


def test_check_replaced_by_nothing_leaves_no_output(jail, toy_cell):
    run = jail(toy_cell, "import zerohero\nzerohero.check = check = lambda *a: None", "check('m99-square', lambda x: 9.0)", cases=CASES)
    assert run.ended == "finished" and run.outputs == {}


def test_the_encoder_replaced_by_pickle_gives_text_that_is_refused(jail, toy_cell):
    from zerohero.errors import NotPlainData

    patch = """
import zerohero.grading as g, pickle, base64
class Bomb:
    def __reduce__(self): return (print, ("ran",))
g.encode = lambda value: base64.b64encode(pickle.dumps(Bomb())).decode()
"""
    run = jail(toy_cell, patch, "check('m99-square', lambda x: 9.0)", cases=CASES)
    with pytest.raises(NotPlainData):
        decode(run.outputs["m99-square"][0])
