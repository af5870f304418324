"""Watch a training run while it goes on: loss, learning rate, size of the updates, speed, and a Stop that works meanwhile.

    with TrainingMonitor(steps=1000) as monitor:
        for step in monitor:
            ...
            monitor.log(loss=loss)

While it runs the output is a live view; when it ends, however it ends, the output is replaced by a picture that stays. Without a
notebook a line is printed now and then.

Does: stop the loop at the next step, from the page, while the cell runs (docs/views.md says where); the notebook's own interrupt
button does the same everywhere. Does not: keep any array or tensor, nor any loss but the curve.
"""

import operator
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import ZeroheroError
from ..viz import still
from ..viz.scene import View
from ..viz.training import Run, training_view
from . import can_be_live, running_kernel

LIVE_SECONDS = 0.1  # between two pictures of a live view
STILL_SECONDS = 1.0  # between two pictures where a kernel runs, but no widget can be shown
PRINT_SECONDS = 5.0
SHARE = 0.006  # of the time that drawing may take: on a slow machine there are fewer pictures, not slower steps; sending adds a third
RECENT = 50  # pictures over which the speed is measured


class TrainingMonitor:
    """A training run as it is seen in the notebook.

    steps : how many steps there will be, for the time that is left; None when that is not known
    title : shown above the picture

    ``for step in monitor`` counts from 0 to steps - 1 and ends when Stop is pressed. In a loop of your own, call log() once for each
    step, and end the loop when ``monitor.stopped`` is True; a loop that never asks is interrupted at its next log() after Stop, as the
    interrupt button of the notebook does it. ``with`` ends the run when its block ends and takes the interrupt for an end; without it
    the run ends with its loop, at close(), or with the cell.
    """

    def __init__(self, steps: int | None = None, title: str = "Training"):
        if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
            raise ValueError(f"steps must be a whole number above 0, or None, not {steps!r}")
        self._run = Run(steps, title)
        self._screen: _Screen | None = None
        self._began = self._due = 0.0
        self._recent: deque[tuple[float, int]] = deque(maxlen=RECENT)
        self._step: int | None = None  # of the loop `for step in monitor`
        self._inside = False  # of a with block
        self._asked = False  # the loop looks at .stopped
        self._stopped = False

    # ---- what a training loop calls ------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[int]:
        if self._step is not None or self._run.at >= 0:
            raise ZeroheroError("this monitor has seen a loop already: make a new TrainingMonitor for each run")
        self._begin()
        step = 0
        while not self._stopped and (self._run.steps is None or step < self._run.steps):
            self._step = step
            yield step
            step += 1
            self._run.done = step
            if time.perf_counter() >= self._due:
                self._draw()
        if not self._inside:
            self.close()

    def log(self, loss: Any = None, dev: Any = None, lr: Any = None, update_ratio: Mapping[str, Any] | None = None, *, step: int | None = None) -> None:
        """Note the numbers of one step; leave out what was not measured.

        loss, dev    : loss of the training batch and of the dev set: a float, a 0-d array, a torch scalar, or a Value with .data
        lr           : the learning rate
        update_ratio : {name of a parameter: size of its update / size of its data}, such as {"W1": 1e-3}; drawn as log10
        step         : number of the step; the loop's by default, and one more than the last in a loop of your own

        Raises WrongObject for what is not one number, TypeError for a step that is not whole, ZeroheroError when the steps go back or the run has ended.
        """
        if self._run.ended:
            raise ZeroheroError(f"this monitor has ended ({self._run.ended}): make a new TrainingMonitor for the next run")
        if self._screen is None:
            self._begin()
        if step is None:
            step = self._run.at + 1 if self._step is None else self._step
        elif type(step) is not int:
            step = operator.index(step)  # TypeError for what is no whole number
        news = self._run.log(step, loss, dev, lr, update_ratio)
        if news or time.perf_counter() >= self._due:
            self._draw(news)
        if self._stopped and self._step is None and not self._asked:
            raise KeyboardInterrupt("Stop was pressed")

    @property
    def stopped(self) -> bool:
        """Whether Stop was pressed."""
        self._asked = True
        return self._stopped

    def close(self) -> None:
        """End the run and leave its picture; a second call does nothing."""
        self._end()

    def __enter__(self) -> "TrainingMonitor":
        self._inside = True
        self._begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        self._stopped = self._stopped or interrupted
        self._end("" if kind is None or interrupted else f"ended by {kind.__name__} at step {max(self._run.at, self._step or 0)}")
        return interrupted

    # ---- what is seen of it --------------------------------------------------------------------------------------------

    def _begin(self):
        if self._run.ended:
            raise ZeroheroError(f"this monitor has ended ({self._run.ended}): make a new TrainingMonitor for the next run")
        if self._screen is None:
            self._screen = _Live(self._picture(), self._stop) if can_be_live() else _Output(self._picture()) if running_kernel() else _Printed()
            if shell := running_kernel():
                shell.events.register("post_run_cell", self._cell_ended)
            now = self._began = time.perf_counter()
            self._recent.append((now, 0))
            self._due = now + self._screen.seconds

    def _draw(self, news=False):
        began = time.perf_counter()
        run, (since, done) = self._run, self._recent[0]
        if began > since and run.done > done:
            run.speed = (run.done - done) / (began - since)
        self._recent.append((began, run.done))
        self._screen.show(self._picture, run, news)
        now = time.perf_counter()
        self._due = now + max(self._screen.seconds, (now - began) / SHARE)

    def _picture(self):
        if self._stopped and not self._run.ended:
            return _stopping(training_view(self._run).to_json())
        return training_view(self._run, stop="" if self._run.ended else "Stop")

    def _stop(self):
        # called in another thread while the loop goes on: one flag is set, and what was drawn last is shown again
        self._stopped = True
        return _stopping(self._screen.live.view)

    def _cell_ended(self, *_):
        if not self._inside:
            self.close()

    def _end(self, how=""):
        run = self._run
        if run.ended:
            return
        if not how:
            finished = run.steps is not None and run.done >= run.steps
            how = "stopped" if self._stopped and not finished else "all steps made" if finished else "ended"
        run.ended = how
        if self._screen is not None and run.done and (spent := time.perf_counter() - self._began) > 0:
            run.speed = run.done / spent  # of the whole run
        if self._screen is not None:
            if shell := running_kernel():
                shell.events.unregister("post_run_cell", self._cell_ended)
            self._screen.end(training_view(run))


def _stopping(view: dict[str, Any]) -> dict[str, Any]:
    said = "Stop was pressed: the run ends after this step. "
    return {**view, "summary": view["summary"] if view["summary"].startswith(said) else said + view["summary"], "actions": []}


# ---- three places to be seen -----------------------------------------------------------------------------------------------


class _Live:
    """A live view; in the end its output is replaced by the still one."""

    seconds = LIVE_SECONDS

    def __init__(self, view: View, stop: Callable[[], dict[str, Any]]):
        from IPython.display import display

        from .live import LiveView

        self.live = LiveView(view, acts={"stop": stop}, while_busy=True)
        self._output = display(self.live, display_id=True)

    def show(self, picture, run, news):
        self.live.show(picture())

    def end(self, view):
        self._output.update(still.bundle(view), raw=True)
        self.live.close()


class _Output:
    """A picture that is replaced now and then, where anywidget is missing. Stopped by the interrupt button."""

    seconds = STILL_SECONDS

    def __init__(self, view: View):
        from IPython.display import display

        self._output = display(still.bundle(view), raw=True, display_id=True)

    def show(self, picture, run, news):
        self._output.update(still.bundle(picture()), raw=True)

    def end(self, view):
        self._output.update(still.bundle(view), raw=True)


class _Printed:
    """A line now and then."""

    seconds = PRINT_SECONDS

    def show(self, picture, run, news):
        print(f"{run.title}: {run.sentence()}", file=sys.stdout, flush=True)

    def end(self, view):
        still.show(view)


_Screen = _Live | _Output | _Printed
