"""The monitor in a loop: what it takes, how it ends, how often it draws; in a script, and in a real kernel."""

import gc
import json
import math
import time
import weakref

import numpy as np
import pytest

from zerohero.errors import WrongObject, ZeroheroError
from zerohero.viz.scene import MIME
from zerohero.widgets import TrainingMonitor, training_monitor

WIDGET = "application/vnd.jupyter.widget-view+json"

# ---- in a script -----------------------------------------------------------------------------------------------------


class Clock:
    """perf_counter() that goes on when it is told to."""

    now = 0.0

    def perf_counter(self):
        return self.now


class Screen:
    """In place of a live view: notes what is shown, and when."""

    seconds = training_monitor.LIVE_SECONDS

    def __init__(self, clock, cost=0.0):
        self.clock, self.cost, self.shown, self.news, self.ended = clock, cost, [], [], None

    def show(self, picture, run, news):
        self.shown.append(picture())
        self.news.append(news)
        self.clock.now += self.cost

    def end(self, view):
        self.ended = view


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(training_monitor, "time", clock)
    return clock


@pytest.fixture
def screen(monkeypatch, clock):
    screen = Screen(clock)
    monkeypatch.setattr(training_monitor, "_Printed", lambda: screen)
    return screen


def test_the_loop_counts_and_the_picture_has_what_was_logged(screen):
    with TrainingMonitor(steps=5) as monitor:
        seen = []
        for step in monitor:
            seen.append(step)
            monitor.log(loss=1 / (1 + step), dev=0.5, lr=0.1, update_ratio={"W1": 1e-3})
    assert seen == [0, 1, 2, 3, 4]
    assert "5 of 5 steps: train loss 0.2" in screen.ended.summary and screen.ended.summary.endswith("All steps made.")
    assert not screen.ended.actions and not monitor.stopped


def test_at_most_ten_pictures_a_second_and_fewer_when_drawing_is_slow(screen, clock):
    with TrainingMonitor() as monitor:
        for _ in range(3000):
            clock.now += 0.001
            monitor.log(loss=1.0)
    assert 25 <= len(screen.shown) <= 30
    screen.shown.clear()
    screen.cost = 0.05
    began = clock.now
    with TrainingMonitor() as monitor:
        for _ in range(100_000):
            clock.now += 0.001
            monitor.log(loss=1.0)
    assert len(screen.shown) > 5 and len(screen.shown) * screen.cost / (clock.now - began) <= 1.1 * training_monitor.SHARE


def test_speed_and_time_left_are_measured_over_the_last_seconds(screen, clock):
    with TrainingMonitor(steps=2000) as monitor:
        for step in monitor:
            clock.now += 0.01 if step < 1000 else 0.02  # slower in the second half
            monitor.log(loss=1.0)
    assert "100 steps per second" in screen.shown[50].summary
    assert "50 steps per second, about 1 s left" in screen.shown[-2].summary
    assert "67 steps per second" in screen.ended.summary  # 2000 steps in 30 s


def test_nan_is_drawn_at_once(screen, clock):
    with TrainingMonitor() as monitor:
        for step in range(600):
            monitor.log(loss=math.nan if step >= 412 else 1.0)
    assert screen.news == [True] and "train loss is nan since step 412" in screen.shown[0].summary


def test_stop_ends_the_loop_after_its_step(screen):
    with TrainingMonitor(steps=100) as monitor:
        for step in monitor:
            monitor.log(loss=1.0)
            if step == 7:
                monitor._stopped = True  # what the button does
    assert step == 7 and monitor.stopped and screen.ended.summary.endswith("Stopped.")
    assert "8 of 100 steps" in screen.ended.summary


def test_a_loop_of_ones_own_asks_for_stopped_or_is_interrupted_at_its_next_log(screen):
    with TrainingMonitor() as monitor:
        for step in range(100):
            monitor.log(loss=1.0)
            if monitor.stopped:
                break
            if step == 7:
                monitor._stopped = True
        after = True
    assert step == 8 and after
    with TrainingMonitor() as monitor:
        for step in range(100):
            monitor.log(loss=1.0)
            if step == 7:
                monitor._stopped = True
    assert step == 8 and screen.ended.summary.endswith("Stopped.")


def test_an_interrupt_ends_the_block_and_any_other_exception_goes_on(screen):
    with TrainingMonitor(steps=10) as monitor:
        for step in monitor:
            monitor.log(loss=1.0)
            if step == 3:
                raise KeyboardInterrupt
    assert monitor.stopped and screen.ended.summary.endswith("Stopped.")
    with pytest.raises(ZeroDivisionError), TrainingMonitor(steps=10) as monitor:
        for step in monitor:
            monitor.log(loss=1.0 / (3 - step))
    assert screen.ended.summary.endswith("Ended by ZeroDivisionError at step 3.") and "train loss 1" in screen.ended.summary


def test_what_was_handed_in_is_let_go():
    torch = pytest.importorskip("torch")
    w = torch.ones(3, requires_grad=True)
    monitor = TrainingMonitor()
    for _ in range(3):
        loss = (w * 2).sum()
        monitor.log(loss=loss, update_ratio={"w": loss.detach()})
        held = weakref.ref(loss)  # which holds its graph
        del loss
        gc.collect()
        assert held() is None
    monitor.close()


def test_numbers_come_in_many_forms(screen):
    class Value:
        data = 2.0

    with TrainingMonitor() as monitor:
        for loss in (2, 2.0, np.float32(2), np.array(2.0), np.array([2.0]), Value()):
            monitor.log(loss=loss)
    assert "6 steps: train loss 2 (lowest 2 at step 0)" in screen.ended.summary


@pytest.mark.parametrize("wrong, says", [([1.0], "list"), ("1.0", "str"), (np.ones(3), r"ndarray of shape \(3,\)"), (1j, "complex")])
def test_what_is_not_one_number_is_named(screen, wrong, says):
    with pytest.raises(WrongObject, match=f"loss needs one number and got an object of type {says}"), TrainingMonitor() as monitor:
        monitor.log(loss=wrong)
    assert "Ended by WrongObject" in screen.ended.summary


def test_a_monitor_that_has_ended_says_so(screen):
    with TrainingMonitor() as monitor:
        monitor.log(loss=1.0)
    with pytest.raises(ZeroheroError, match=r"this monitor has ended \(ended\): make a new TrainingMonitor"):
        monitor.log(loss=1.0)
    monitor.close()  # a second time does nothing
    with pytest.raises(ZeroheroError, match="seen a loop already"):
        next(iter(monitor))
    with pytest.raises(ValueError, match="whole number above 0"):
        TrainingMonitor(steps=0)
    with pytest.raises(ZeroheroError, match="update_ratio needs a dict"):
        TrainingMonitor().log(update_ratio=0.1)


def test_two_monitors_and_one_that_is_never_used(screen, capsys):
    TrainingMonitor(steps=3)
    with TrainingMonitor(title="a") as a, TrainingMonitor(title="b") as b:
        a.log(loss=1.0)
        b.log(loss=2.0)
    assert "train loss 2" in b._run.sentence() and "train loss 1" in a._run.sentence()


def test_without_a_notebook_a_line_is_printed_now_and_then(clock, capsys):
    monitor = TrainingMonitor(steps=700)
    for step in monitor:
        clock.now += 2**-6
        monitor.log(loss=2.0 - step / 700)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20] for line in lines[:2]] == ["Training: 320 of 700", "Training: 640 of 700"]  # every 5 s
    assert lines[2] == "Training" and lines[3].startswith("700 of 700 steps: train loss") and lines[3].endswith("All steps made.")
    assert "update" not in "".join(lines) and len(lines) < 12


# ---- in a real kernel ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kernel():
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel()
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run_cell(kernel, code, interrupt_when="", answer=None):
    """(reply, outputs as they stand in the notebook, messages to the widget). answer: called with each message to the widget."""
    manager, client = kernel
    outputs, at, comms, began = [], {}, [], []

    def take(message):
        kind, content = message["msg_type"], message["content"]
        if kind in ("display_data", "update_display_data"):
            name = content["transient"].get("display_id", len(outputs))
            if kind == "display_data":
                at[name] = len(outputs)
                outputs.append(content["data"])
            else:
                outputs[at[name]] = content["data"]
        elif kind in ("stream", "error"):
            outputs.append(content)
            if interrupt_when and interrupt_when in content.get("text", "") and not began:
                began.append(time.monotonic())
                manager.interrupt_kernel()
        elif kind.startswith("comm_"):
            comms.append(content)
            if answer:
                answer(content)

    reply = client.execute_interactive(code, output_hook=take, timeout=60)["content"]
    return reply, outputs, comms


IMPORT = "from zerohero.widgets import TrainingMonitor\n"


def test_the_output_is_a_widget_and_then_the_picture_that_stays(kernel):
    first = IMPORT + "m = TrainingMonitor(steps=3)\nm.log(loss=1.0)\nprint('logged')\nlive = m._screen.live"
    reply, outputs, comms = run_cell(kernel, first)
    assert reply["status"] == "ok"
    # nobody closed it: it is closed when the cell ends
    assert set(outputs[0]) == {MIME, "text/html", "text/plain"} and "1 of 3 steps: train loss 1" in outputs[0]["text/plain"]
    assert "<svg" in outputs[0]["text/html"] and len(json.dumps(outputs[0])) < 50_000
    views = [json.loads(c["data"]["state"]["view"]) for c in comms if "view" in c.get("data", {}).get("state", {})]
    assert views[0]["actions"] == [{"name": "stop", "label": "Stop"}]
    reply, _, _ = run_cell(kernel, "m.log(loss=1.0)")
    assert reply["status"] == "error" and reply["ename"] == "ZeroheroError"
    assert run_cell(kernel, "assert live.comm is None")[0]["status"] == "ok"


def test_the_widget_is_displayed_beside_a_still_picture(kernel):
    reply, outputs, _ = run_cell(kernel, IMPORT + "m = TrainingMonitor(steps=3)\nm._begin()\nm._screen._output.update = lambda *a, **k: None")
    assert reply["status"] == "ok" and set(outputs[0]) >= {WIDGET, MIME, "text/html", "text/plain"}


def test_the_interrupt_button_ends_the_block_without_a_traceback(kernel):
    code = IMPORT + "import time\nwith TrainingMonitor(steps=10**6) as m:\n    for step in m:\n        time.sleep(0.001)\n        m.log(loss=1.0)\n"
    code += "        if step == 20:\n            print('going')\nprint('after', m.stopped)"
    reply, outputs, _ = run_cell(kernel, code, interrupt_when="going")
    assert reply["status"] == "ok" and outputs[0]["text/plain"].split("\n")[1].endswith("Stopped.")
    assert outputs[-1]["text"].endswith("after True\n")


def test_stop_sent_over_a_subshell_is_heard_while_the_cell_runs(kernel):
    """What JupyterLab does, without a browser: tests/browser/test_monitor.py."""
    _, client = kernel
    client.control_channel.send(client.session.msg("create_subshell_request"))
    subshell = client.get_control_msg(timeout=30)["content"]["subshell_id"]
    pressed = []

    def press(content):
        if "view" in content["data"].get("state", {}) and "loss" in content["data"]["state"]["view"] and not pressed:
            pressed.append(True)
            message = client.session.msg("comm_msg", {"comm_id": content["comm_id"], "data": {"method": "custom", "content": {"act": "stop"}}})
            message["header"]["subshell_id"] = subshell
            client.shell_channel.send(message)

    code = (
        IMPORT
        + "import time\nwith TrainingMonitor(steps=10_000) as m:\n    for step in m:\n        time.sleep(0.001)\n        m.log(loss=1.0)\nprint(m.stopped)"
    )
    reply, outputs, _ = run_cell(kernel, code, answer=press)
    assert reply["status"] == "ok" and pressed and outputs[-1]["text"] == "True\n"
    assert outputs[0]["text/plain"].split("\n")[1].endswith("Stopped.")


def test_an_exception_leaves_the_picture(kernel):
    code = IMPORT + "m = TrainingMonitor(steps=10)\nfor step in m:\n    m.log(loss=1 / (3 - step))"
    reply, outputs, _ = run_cell(kernel, code)
    assert reply["ename"] == "ZeroDivisionError"
    assert "4 of 10 steps" in outputs[0]["text/plain"] or "3 of 10 steps" in outputs[0]["text/plain"]
    assert MIME in outputs[0]


def test_without_anywidget_the_picture_is_replaced_now_and_then(kernel):
    code = "import sys\nkept = {n: sys.modules.pop(n) for n in [*sys.modules] if n.startswith(('anywidget', 'zerohero.widgets.live'))}\nsys.modules['anywidget'] = None\n"
    code += IMPORT + "import zerohero.widgets.training_monitor as t\nt.STILL_SECONDS = t._Output.seconds = 0\nwith TrainingMonitor(steps=2) as m:\n"
    code += "    for step in m:\n        m.log(loss=1.0)\nsys.modules.update(kept)"
    reply, outputs, comms = run_cell(kernel, code)
    assert reply["status"] == "ok", reply
    assert not comms and len(outputs) == 1 and outputs[0]["text/plain"].split("\n")[1].endswith("All steps made.")


def test_the_slope_explorer_is_live_and_answers_a_drag(kernel):
    code = "import math\nfrom zerohero.widgets import slope_explorer, live\nmade = []\ninit = live.LiveView.__init__\n"
    code += "def noted(self, *a, **k):\n    made.append(self)\n    init(self, *a, **k)\nlive.LiveView.__init__ = noted\n"
    code += "slope_explorer(math.sin, x=1.0, h=0.1, low=-4, high=4, df=math.cos)\n"
    code += "made[0]._receive(made[0], {'drag': 'x', 'value': 99.0}, [])\nmade[0]._receive(made[0], {'drag': 'other', 'value': 1.0}, [])\n"
    code += "print(made[0].view['title'])\nlive.LiveView.__init__ = init"
    reply, outputs, _ = run_cell(kernel, code)
    assert reply["status"] == "ok", reply
    assert WIDGET in outputs[0] and outputs[0][MIME]["sequences"][0]["labels"][:2] == ["h = 1", "h = 0.1"]
    assert outputs[1]["text"] == "Slope of sin at x = 4\n"  # what the page sends is kept within the plot
