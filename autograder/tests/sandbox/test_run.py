"""What a Run tells about ordinary notebooks."""

import pickle

import pytest

from zerohero.plaindata import decode
from zerohero_autograder.sandbox import choose

pytestmark = pytest.mark.jail


def test_cells_run_in_order_in_one_namespace(jail):
    run = jail("x = 1", "x += 1", "print(x)")
    assert [c.status for c in run.cells] == ["ok"] * 3
    assert run.cells[2].text == "2\n"
    assert (run.ended, run.reason) == ("finished", "")


def test_an_error_ends_its_cell_only(jail):
    run = jail("1/0", "print('on')")
    assert (run.cells[0].status, run.cells[0].error) == ("error", "ZeroDivisionError: division by zero")
    assert "1/0" in run.cells[0].text
    assert run.cells[1].text == "on\n"


def test_no_cells_at_all(jail):
    assert jail().ended == "finished"


def test_each_cell_gets_its_own_output_whoever_printed_it(jail):
    run = jail("import os, sys\nprint('a')", "os.system('echo b')\nprint('c', file=sys.stderr)", "", "os.write(1, b'no newline')", "print('d')")
    texts = [c.text for c in run.cells]
    assert texts[0] == "a\n"
    assert "b\n" in texts[1] and "c\n" in texts[1]
    assert texts[2] == ""
    assert texts[3].startswith("no newline")
    assert texts[4] == "d\n"


def test_check_emits_probe_outputs_for_the_cases_it_was_handed(jail, toy_cell):
    run = jail(toy_cell, "def square(x): return x * x", "check('m99-square', square)", cases={"m99-square": [{"x": 3.0}, {"x": -0.5}]})
    assert run.ended == "finished"
    (output,) = run.outputs["m99-square"]
    assert [o["value"] for o in decode(output)] == [9.0, 0.25]
    assert run.cells[2].text == ""


def test_inputs_arrive_bit_for_bit(jail, toy_cell):
    import numpy as np

    x = np.array([[1 / 3, float("nan")], [-0.0, 1e-310]])
    run = jail(toy_cell, "check('m99-square', lambda x: x)", cases={"m99-square": [{"x": x}]})
    back = decode(run.outputs["m99-square"][0])[0]["value"]
    assert back.tobytes() == x.tobytes()


def test_an_exercise_not_graded_in_this_run_is_an_error_of_its_cell(jail, toy_cell):
    run = jail(toy_cell, "check('m99-square', lambda x: x)", cases={})
    assert run.cells[1].status == "error" and "not graded in this run" in run.cells[1].error
    assert run.outputs == {}


def test_a_class_is_probed_again_as_it_stands_at_the_end(jail, toy_cell):
    run = jail(toy_cell, "class Toy: pass\ncheck('m99-class', Toy)", "Toy.value = lambda self: 7", cases={"m99-class": [{}]})
    first, last = (decode(text)[0] for text in run.outputs["m99-class"])
    assert first["status"] == "raised"
    assert last == {"status": "ok", "value": 7}


def test_a_function_is_probed_once(jail, toy_cell):
    assert len(jail(toy_cell, "check('m99-square', abs)", cases={"m99-square": [{"x": 3.0}]}).outputs["m99-square"]) == 1


def test_classes_probed_again_may_hang_without_costing_what_was_emitted(jail, toy_cell, small):
    from dataclasses import replace

    cells = toy_cell, "class Toy:\n    def value(self): return 1\ncheck('m99-class', Toy)", "def value(self):\n    while True: pass\nToy.value = value"
    run = jail(*cells, cases={"m99-class": [{}]}, limits=replace(small, cell_s=1))
    assert run.ended == "finished"
    assert decode(run.outputs["m99-class"][0])[0] == {"status": "ok", "value": 1}


def test_a_sandbox_goes_to_a_worker_process():
    assert pickle.loads(pickle.dumps(choose())) == choose()


def test_nothing_of_one_run_is_seen_by_the_next(jail):
    jail("open('left', 'w').write('x'); open('/tmp/left', 'w').write('x')")
    run = jail("import os; print(os.path.exists('left'), os.path.exists('/tmp/left'))")
    assert run.cells[0].text == "False False\n"


def test_no_descriptor_is_left_open(jail):
    import os

    jail("1")
    before = len(os.listdir("/proc/self/fd"))
    jail("1")
    assert len(os.listdir("/proc/self/fd")) == before


def test_two_jails_at_a_time_do_not_share_their_number_of_processes(jail):
    """Counted per user, a fork bomb in one submission would stop the next one from starting a process."""
    from concurrent.futures import ThreadPoolExecutor

    cell = "import subprocess\nps = [subprocess.Popen(['sleep', '0.7']) for _ in range(24)]\nprint(len(ps))\nfor p in ps: p.wait()"
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(jail, [cell, cell]))
    assert [r.cells[0].text for r in runs] == ["24\n", "24\n"]
