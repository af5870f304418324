"""A view in a browser without JupyterLab: the widget's own bundle in an empty page, with a kernel that only listens."""

import ast
import json
import math
import random
from pathlib import Path

import numpy
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
    view: JSON.stringify(view),
    get: name => model[name],
    send: content => window.sent.push(content),
    on: (event, listener) => { listeners[event] = listener; },
    off: event => { delete listeners[event]; }
  };
  // what the kernel would do
  window.answer = next => {
    if (next !== undefined) { model.view = typeof next === 'string' ? next : JSON.stringify(next); listeners['change:view']?.(); }
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


@pytest.fixture(scope="session")
def m02():
    """What the solution of lesson m02 defines: classes, functions and methods; nothing is trained or drawn, and torch is not imported."""
    from zerohero_autograder.build import source_notebook

    module = "m02_micrograd"
    source = (Path(__file__).parents[2] / "course" / module / f"{module}.py").read_text(encoding="utf-8")
    names = {"__name__": "__main__", "math": math, "random": random, "np": numpy}
    for cell in source_notebook(source, module)["cells"]:
        if cell["cell_type"] == "code":
            kept = [one for one in ast.parse(cell["source"]).body if _defines(one)]
            exec(compile(ast.Module(kept, []), f"<{module}>", "exec"), names)
    return names


def _defines(statement):
    if isinstance(statement, ast.ClassDef) and "torch" in ast.unparse(statement):
        return False
    methods = isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]).startswith(("Value.", "(Value."))
    return methods or isinstance(statement, (ast.ClassDef, ast.FunctionDef))
