"""A view in a browser without JupyterLab: the widget's own bundle in an empty page, with a kernel that only listens."""

import json
from pathlib import Path

import pytest

import zerohero.widgets
from zerohero.viz.scene import View

WIDGETS = Path(zerohero.widgets.__file__).parent

PAGE = """<!doctype html><html lang="en"><head><title>view</title><style>
body {{ margin: 16px; background: {background}; color: {ink}; color-scheme: {scheme}; font-family: sans-serif; }}
{css}</style></head><body><div id="view"></div></body></html>"""

START = """async ([code, view]) => {
  const module = await import(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
  const listeners = {};
  window.sent = [];
  const model = {
    view,
    get: name => model[name],
    send: content => window.sent.push(content),
    on: (event, listener) => { listeners[event] = listener; },
    off: event => { delete listeners[event]; }
  };
  // what the kernel would do
  window.answer = next => {
    if (next !== undefined) { model.view = next; listeners['change:view']?.(); }
    listeners['msg:custom']?.({ done: true });
  };
  window.end = module.default.render({ model, el: document.getElementById('view') });
}"""


@pytest.fixture
def drawn(page):
    """drawn(view, dark=False) -> the page, in which the view is drawn. window.sent holds what the page sent, window.answer(view) answers."""

    def draw(view, dark=False):
        made = view.to_json() if isinstance(view, View) else view
        colors = {"background": "#111", "ink": "#eee", "scheme": "dark"} if dark else {"background": "#fff", "ink": "#111", "scheme": "light"}
        page.set_content(PAGE.format(css=(WIDGETS / "view.css").read_text(encoding="utf-8"), **colors))
        page.evaluate(START, [(WIDGETS / "view.js").read_text(encoding="utf-8"), json.loads(json.dumps(made, allow_nan=False))])
        return page

    return draw
