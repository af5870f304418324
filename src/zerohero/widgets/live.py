"""The one widget there is: a view that the kernel draws anew when something is dragged or pressed.

What it looks like is a View (zerohero.viz.scene), made in Python; ``view.js`` is the player that the lab extension has too. Its
output holds the view it started with, and a still picture, so that a notebook opened without its kernel shows them.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ..viz.scene import View
from ..viz.still import bundle

HERE = Path(__file__).parent


class LiveView(anywidget.AnyWidget):
    """A view in the page, and what happens to it there.

    drag(name, value): a handle was moved; acts: {name of an action: what to do}. Both return the view to show from now on, or
    None for no change. They run in the kernel, one message at a time.

    first: the MIME bundle that stays when the kernel is gone; that of ``view`` by default.

    while_busy: they are called while a cell runs, too, in another thread, where page and kernel talk over subshells (JupyterLab 4.6
    and ipykernel 7.4 do). Elsewhere, and by default, they wait for the end of the cell.
    """

    _esm = HERE / "view.js"
    _css = HERE / "view.css"
    # sent as text: ipywidgets would look for buffers in each of the thousands of numbers of a view, which costs more than to write them
    view = traitlets.Any().tag(sync=True, to_json=lambda view, _widget: json.dumps(view, allow_nan=False, separators=(",", ":")))

    def __init__(
        self,
        view: View | dict[str, Any],
        drag: Callable[[str, float], View | None] | None = None,
        acts: dict[str, Callable[[], View | dict[str, Any] | None]] | None = None,
        while_busy: bool = False,
        first: dict[str, Any] | None = None,
    ):
        self._first = first if first is not None else bundle(view)
        self._drag, self._acts = drag, acts or {}
        super().__init__(view=_json(view))
        self.on_msg(self._receive)
        if while_busy and self.comm is not None:
            # ipykernel 7.4 sends what comes from the page to the shell that last wrote to it: the main one, which is busy. This is
            # where it asks for the way; the answer is the subshell that the page asked for. Without this question (7.0) it goes there anyhow.
            self.comm._reply_subshell_for = lambda data, asked_for: asked_for

    def show(self, view: View | dict[str, Any]) -> None:
        """Draw this view from now on."""
        self.view = _json(view)

    def _receive(self, _widget, content, _buffers):
        # anybody's page may send anything: only names that are known and numbers that are finite go on
        changed = None
        try:
            if self._drag and isinstance(content.get("drag"), str) and _finite(content.get("value")):
                changed = self._drag(content["drag"], float(content["value"]))
            elif content.get("act") in self._acts:
                changed = self._acts[content["act"]]()
            if changed is not None:
                self.show(changed)
        finally:
            self.send({"done": True})  # the page sends the next value only now

    def _repr_mimebundle_(self, **kwargs):
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made or {}, {})
        return {**data, **self._first}, metadata


def _finite(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _json(view):
    return view.to_json() if isinstance(view, View) else view


def missing() -> str:
    """Why no widget can be shown here, or nothing."""
    return "" if (HERE / "view.js").is_file() else "the widgets are not built: run `make build`, or install a released wheel"
