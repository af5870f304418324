"""A course with the toy module of tests/toy.py, notebooks handed in for it, and a sandbox that is none."""

import contextlib
import copy
import io
import json
import sys
import types
from pathlib import Path

import toy

from zerohero import grading
from zerohero.exercise import Case
from zerohero.plaindata import encode
from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.graded_module import GradedModule
from zerohero_autograder.sandbox import CellRun, Run, Sandbox

NAME = "m99_toy"
SECRET = "0123456789abcdef-secret"
HIDDEN = 7919.0
"""The input of the hidden case: a number to look for in what students get to see."""

LESSON = '''# %% [markdown]
# # A toy lesson

# %%
from zerohero import check, predict
import math

# %% predict="m99-predict-square"
predict("m99-predict-square", guess=None)

# %% [markdown]
# Write the square.

# %% exercise="m99-square"
def square(x):
    """The square of x."""
    ### BEGIN SOLUTION
    the_secret_solution = x * x
    return the_secret_solution
    ### END SOLUTION

# %% check="m99-square" points=2
check("m99-square", square)

# %%
nine = square(3.0)

# %% exercise="m99-class"
class Toy:
    def __init__(self):
        ### BEGIN SOLUTION
        self.value = 1.0
        ### END SOLUTION

# %% check="m99-class" points=1.5
check("m99-class", Toy)
'''

WITH_WORDS = (
    LESSON
    + """
# %% [markdown]
# Why is the square of a negative number positive?

# %% [markdown] written="m99-why" points=2
# ### BEGIN SOLUTION
# the_secret_model_answer: minus times minus is plus.
# ### END SOLUTION

# %% [markdown] written="m99-and-then" points=0.5
# My answer:
# ### BEGIN SOLUTION
# the_secret_model_answer
# ### END SOLUTION
"""
)
"""The same module with two questions that a person marks, 2 and half a point."""

SQUARE = "def square(x):\n    return x * x"
TOY = "class Toy:\n    value = 1.0"


def register(monkeypatch):
    """Make the toy module and its hidden cases known for one test."""
    toy.register(monkeypatch)
    hidden = types.ModuleType("zerohero_autograder.hidden.m99_toy")
    hidden.CASES = {"m99-square": lambda rng: [Case("values", {"x": HIDDEN}), Case("negative", {"x": -rng.uniform(2, 3)})], "m99-class": lambda rng: []}
    monkeypatch.setitem(sys.modules, hidden.__name__, hidden)


def source(lesson: str = LESSON) -> dict:
    return source_notebook(lesson, NAME)


def student(lesson: str = LESSON) -> dict:
    """The notebook a student starts with."""
    return student_notebook(source(lesson))


def graded_module(lesson: str = LESSON) -> GradedModule:
    return GradedModule.of(source(lesson), NAME, SECRET)


def answered(square: str = SQUARE, cls: str = TOY, why: str = "") -> dict:
    """A student's notebook with these two answers, and with this one in words in the lesson that asks for some."""
    notebook = student(WITH_WORDS if why else LESSON)
    cell(notebook, "m99-square-answer")["source"] = square
    cell(notebook, "m99-class-answer")["source"] = cls
    if why:
        cell(notebook, "m99-why")["source"] = why
    return notebook


def cell(notebook: dict, id: str) -> dict:
    return next(c for c in notebook["cells"] if c["id"] == id)


def place(notebook: dict, id: str) -> int:
    return next(i for i, c in enumerate(notebook["cells"]) if c["id"] == id)


def code(source: str, id: str = "own", **metadata) -> dict:
    """A code cell of the student's own."""
    return {"cell_type": "code", "id": id, "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


def make_course(root: Path) -> Path:
    """An nbgrader course folder with the toy module as its only one."""
    (root / "source" / NAME).mkdir(parents=True)
    (root / "source" / NAME / f"{NAME}.ipynb").write_text(json.dumps(source()), encoding="utf-8")
    (root / "nbgrader_config.py").write_text(
        "from zerohero_autograder.nbgrader_plugin import configure\nc = get_config()\nc.CourseDirectory.course_id = 'toy'\nconfigure(c)\n", encoding="utf-8"
    )
    secret = root / "secret_seed"
    secret.write_text(SECRET + "\n", encoding="utf-8")
    secret.chmod(0o600)
    return root


def hand_in(root: Path, student: str, notebook: dict | bytes, timestamp: str = "", module: str = NAME) -> Path:
    """Put a notebook where nbgrader's collect puts it."""
    folder = root / "submitted" / student / module
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{module}.ipynb"
    file.write_bytes(notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode())
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp)
        (folder / "submission_secret.txt").write_text("for-the-exchange")
    return file


class FakeSandbox(Sandbox):
    """Runs the cells in this very process. Keeps what it was handed."""

    def __init__(self, monkeypatch):
        self.session = None
        self.runs = []
        monkeypatch.setattr(grading, "session", lambda: self.session)

    def run(self, cells, cases, *, limits=None, without=frozenset()):
        self.runs.append((tuple(cells), copy.deepcopy(dict(cases)), without))
        emitted: dict[str, list[str]] = {}
        called = {}

        class Session(grading.Session):
            def __init__(self):
                self._cases = {id: encode(inputs) for id, inputs in cases.items()}
                self._classes, self._backward = {}, {}

            def emit(self, exercise_id, outputs):
                emitted.setdefault(exercise_id, []).append(encode(outputs))

            def emit_calls(self, exercise_id, *what):
                called[exercise_id] = what

        self.session = Session()
        names, done = {"__name__": "__main__"}, []
        for index, text in enumerate(cells):
            printed, error = io.StringIO(), ""
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile(text, f"<cell {index}>", "exec"), names)
            except Exception as problem:
                error = f"{type(problem).__name__}: {problem}"
            done.append(CellRun(index, "error" if error else "ok", printed.getvalue(), error))
        self.session.repeat()
        self.session = None
        return Run(tuple(done), {id: tuple(texts) for id, texts in emitted.items()}, "finished", calls=called)
