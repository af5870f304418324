"""Family k: writing to the grader's channel. Everything that comes through it is data: lines of no use are ignored."""

from dataclasses import replace

import pytest

from zerohero.plaindata import decode

pytestmark = pytest.mark.jail
CASES = {"m99-square": [{"x": 3.0}]}
CHECK = "check('m99-square', lambda x: x * x)"
WRITE = "import os, json\ndef write(data): os.write(int(os.environ['ZEROHERO_GRADING_FD']), data)\n"


def run_with(jail, toy_cell, forge, **more):
    return jail(toy_cell, WRITE + forge, CHECK, cases=CASES, **more)


GARBAGE = [
    b"garbage\n",
    b"\xff\xfe\x00\n",
    b"{}\n[]\n3\nnull\n",
    b"[" * 3000 + b"\n",
    b'{"event": "outputs"}\n',
    b'{"event": "cell", "index": -1, "status": "ok"}\n',
    b'{"event": "begin", "index": 1e99}\n',
    b'{"event": "outputs", "exercise": "m99-square", "outputs": {"a": 1}}\n',
    b'{"event": ["end"]}\n',
]


def test_garbage_is_ignored(jail, toy_cell):
    run = run_with(jail, toy_cell, f"for data in {GARBAGE!r}: write(data)")
    assert run.ended == "finished" and [c.status for c in run.cells] == ["ok"] * 3
    assert [decode(t)[0]["value"] for t in run.outputs["m99-square"]] == [9.0]


def test_half_a_line_spoils_the_students_own_next_line_only(jail, toy_cell):
    run = jail(toy_cell, CHECK, WRITE + "write(b'half')", CHECK, cases=CASES)
    assert run.ended == "finished" and run.outputs["m99-square"]


def test_outputs_of_an_exercise_that_is_not_asked(jail, toy_cell):
    run = run_with(jail, toy_cell, """write(b'{"event": "outputs", "exercise": "m99-other", "outputs": "[]"}\\n')""")
    assert set(run.outputs) == {"m99-square"}


def test_a_verdict_cannot_be_written(jail, toy_cell):
    run = run_with(jail, toy_cell, """write(b'{"event": "report", "exercise": "m99-square", "status": "passed", "score": 1000}\\n')""")
    assert run.ended == "finished" and [decode(t)[0]["value"] for t in run.outputs["m99-square"]] == [9.0]


def test_outputs_written_by_hand_are_judged_as_any_other(jail, toy_cell):
    """Not prevented, and worth nothing: right answers would have to be in it."""
    line = r"""write(b'{"event": "outputs", "exercise": "m99-square", "outputs": "[{\\"status\\": \\"ok\\", \\"value\\": 1.0}]"}\n')"""
    run = run_with(jail, toy_cell, line)
    assert [decode(t)[0]["value"] for t in run.outputs["m99-square"]] == [1.0, 9.0]


def test_an_end_written_by_hand_ends_the_students_own_run(jail, toy_cell):
    run = run_with(jail, toy_cell, """import time; write(b'{"event": "end"}\\n'); time.sleep(5)""")
    assert run.ended == "finished" and run.cells[2].status == "not run"


def test_events_of_cells_written_by_hand_do_not_hold_off_the_end(jail, small):
    forge = (
        WRITE
        + """
while True:
    try: write(b'{"event": "cell", "index": 0, "status": "ok", "error": ""}\\n'); import time; time.sleep(0.05)
    except BaseException: pass
"""
    )
    run = jail(forge, limits=replace(small, cell_s=0.5, grace_s=0.3, notebook_s=3))
    assert run.ended == "timeout"


def test_channel_closed(jail, toy_cell):
    run = jail(toy_cell, CHECK, "import os; os.closerange(3, 256)", CHECK, cases=CASES)
    assert (run.ended, run.reason) == ("died", "cell 3 ended the Python process")
    assert len(run.outputs["m99-square"]) == 1


def test_output_closed(jail, toy_cell):
    run = jail(toy_cell, "import os; os.close(1); os.close(2)", CHECK, cases=CASES)
    assert run.ended == "finished" and run.outputs["m99-square"]


def test_channel_flooded(jail, toy_cell):
    run = run_with(jail, toy_cell, r"while True: write(b'\n' * 60000)")
    assert run.ended == "too much output"


def test_channel_flooded_without_an_end_of_line(jail, toy_cell):
    run = run_with(jail, toy_cell, "while True: write(b'x' * 60000)")
    assert run.ended == "too much output"


def test_channel_flooded_by_a_process_that_stays(jail, toy_cell):
    forge = "if os.fork() == 0:\n    while True: write(b'x' * 60000)\n"
    run = run_with(jail, toy_cell, forge)
    assert run.ended in ("too much output", "finished")


def test_marks_between_cells_written_by_hand_muddle_the_students_own_text_only(jail, toy_cell):
    forge = "import gc\nmarker = next(o['marker'] for o in gc.get_objects() if isinstance(o, dict) and 'marker' in o and 'cells' in o)\nfor i in (0, 7, 10**12): print(f'\\n{marker} {i}\\nhere')"
    run = run_with(jail, toy_cell, forge)
    assert run.ended == "finished" and len(run.cells) == 3 and run.outputs["m99-square"]


def test_display_of_another_result(jail, toy_cell):
    run = run_with(
        jail,
        toy_cell,
        "import sys\nfrom IPython.display import display, update_display\nsys.displayhook('ok'); h = display('0', display_id='t'); update_display('12', display_id='t')",
    )
    assert run.ended == "finished" and [decode(t)[0]["value"] for t in run.outputs["m99-square"]] == [9.0]
