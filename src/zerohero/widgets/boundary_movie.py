"""Watch a decision boundary move while a classifier is trained, and step through it afterwards.

    with BoundaryMovie(model, X, y) as movie:
        for step in range(100):
            ...
            movie.frame(step)

While the loop runs the output is a live view; when it ends, however it ends, the output is replaced by a view of a few steps that
stays. Without a notebook only that view's text is printed.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from ..errors import ZeroheroError
from ..viz import still
from ..viz.boundary import MOVING, Plane, Seen, boundary_steps
from ..viz.scene import View
from . import can_be_live, running_kernel

SECONDS = 0.3  # between two pictures, at least
SHARE = 0.25  # of the time that pictures may take: with a slow classifier there are fewer
GRID_SECONDS = 0.5  # that one picture may take, or its grid is coarser
KEPT = 8  # frames of the view that stays: its JSON is below 60 kB


class BoundaryMovie:
    """A training as it is seen in the plane of its points.

    predict, X, y, classes, threshold: as in zerohero.viz.decision_boundary. predict is the model that is trained, or a function that
    uses it: it is asked anew for each picture.
    """

    def __init__(self, predict: Callable[[Any], Any], X: Any, y: Any, *, classes: Sequence[Any] | None = None, threshold: float = 0.0):
        self._predict = predict
        self._plane = Plane(X, y, classes, threshold)
        if not len(self._plane.X):
            raise ZeroheroError("`X` has no points: there is nothing to watch")
        self._seen: list[tuple[str, Seen]] = []
        self._every, self._looks = 1, 0  # of the looks, every n-th is kept
        self._note = ""
        self._asked: str | None = None  # the step of the last call of frame()
        self._latest: tuple[str, Seen] | None = None
        self._due = 0.0
        self._open = self._ended = False
        self._live: Any = None
        self._output: Any = None

    def __enter__(self) -> "BoundaryMovie":
        if self._ended:
            raise ZeroheroError("this movie has ended: make a new BoundaryMovie for the next training")
        self._open = True
        return self

    def frame(self, step: Any) -> None:
        """Call this once in each step. It looks at the classifier only if enough time has passed since the last picture.

        step: its number, or anything that names it. Raises ZeroheroError outside the ``with`` block, and what predict raises.
        """
        if not self._open:
            raise ZeroheroError("frame() works inside the block `with BoundaryMovie(model, X, y) as movie:`")
        self._asked = str(step)
        began = perf_counter()
        if began < self._due:
            return
        self._look()
        self._draw()
        now = perf_counter()
        spent = now - began if self._looks > 1 else 0.0  # the first picture also loads the widget, and finds out how to ask predict
        self._due = now + max(SECONDS, spent * (1 / SHARE - 1))

    def view(self) -> View:
        """The steps that were seen, KEPT at most, as a view; the last one among them."""
        seen = list(self._seen)
        if self._latest is not None and (not seen or seen[-1] is not self._latest):
            seen.append(self._latest)
        if len(seen) > KEPT:
            seen = [seen[round(n * (len(seen) - 1) / (KEPT - 1))] for n in range(KEPT)]
        return boundary_steps(self._plane, seen, self._note)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._open, self._ended = False, True
        try:
            if kind is None and self._asked is not None and self._latest is not None and self._latest[0] != self._asked:
                self._look()  # the end of the training is always seen
        finally:
            if self._latest is not None:
                self._leave()

    def _look(self):
        seen, self._note = self._plane.look(self._predict, MOVING, seconds=GRID_SECONDS)
        self._latest = self._asked, seen
        if self._looks % self._every == 0:
            self._seen.append(self._latest)
            if len(self._seen) == 2 * KEPT:
                self._seen = self._seen[::2]
                self._every *= 2
        self._looks += 1

    def _draw(self):
        if running_kernel() is None:
            return
        now = boundary_steps(self._plane, [self._latest], self._note)
        if self._live is not None:
            self._live.show(now)
        elif self._output is not None:
            self._output.update(still.bundle(now), raw=True)
        else:
            from IPython.display import display

            if can_be_live():
                from .live import LiveView

                self._live = LiveView(now)
                self._output = display(self._live, display_id=True)
            else:
                self._output = display(still.bundle(now), raw=True, display_id=True)

    def _leave(self):
        if self._output is None:
            still.show(self.view())
            return
        self._output.update(still.bundle(self.view()), raw=True)
        if self._live is not None:
            self._live.close()
