import functools
import io
import json
import logging
import sys
from pathlib import Path

import pytest

from zerohero_autograder.record import register_course
from zerohero_autograder.record.gradebook import alembic_on_path
from zerohero_autograder.sandbox import Bubblewrap, Limits, choose

# isort: split
from nbgrader.api import get_alembic_version  # behind ours, which make it quicker to import

sys.path.insert(0, str(Path(__file__).parent))  # importlib mode adds no path; the toy course is shared by many tests
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
import toy_course

MIB = 2**20


def pytest_configure(config):
    """nbgrader adds its rows in an order that SQLAlchemy warns about, each time."""
    config.addinivalue_line("filterwarnings", "ignore:Object of type <:sqlalchemy.exc.SAWarning")


@pytest.fixture
def small():
    """Limits that a test can reach in a second or two."""
    return Limits(
        notebook_s=20, cell_s=5, grace_s=1, cpu_s=20, memory=1024 * MIB, processes=32,
        file_size=20 * MIB, disk=30 * MIB, output_bytes=20_000, channel_bytes=4 * MIB,
    )  # fmt: skip


def pytest_generate_tests(metafunc):
    """Files with JAILS = ("warm", "cold") run their tests that take ``jail`` in each; elsewhere it is the jail that grading uses."""
    if "jail" in metafunc.fixturenames and hasattr(metafunc.module, "JAILS"):
        metafunc.parametrize("jail", metafunc.module.JAILS, indirect=True)


@pytest.fixture
def jail(small, request):
    """jail(cell, ...) runs the cells in a fresh jail, without torch, and returns the Run."""

    def run(*cells, cases=None, limits=small, without=("torch",)):
        sandbox = Bubblewrap.ready() if getattr(request, "param", "") == "cold" else choose()
        return sandbox.run(list(cells), cases or {}, limits=limits, without=frozenset(without))

    return run


@pytest.fixture
def toy_cell():
    """A cell that makes two toy exercises known inside: m99-square, which takes square(x), and m99-class, which takes a class."""
    return """
import sys, types
from zerohero import exercise
content = types.ModuleType("zerohero.exercises.m99_toy")
content.EXERCISES = [
    exercise.Exercise("m99-square", "Square", "square(x)", lambda rng: [], lambda f, inputs: f(inputs["x"]), lambda case, out: [], ("a", "b", "c")),
    exercise.Exercise("m99-class", "Class", "class Toy", lambda rng: [], lambda cls, inputs: cls().value(), lambda case, out: [], ("a", "b", "c")),
]
content.QUESTIONS = []
exercise.MODULES["m99"] = "m99_toy"
sys.modules["zerohero.exercises.m99_toy"] = content
from zerohero import check
"""


@pytest.fixture
def module(monkeypatch):
    """The toy module as the grader sees it: two exercises, m99-square (2 points) and m99-class (1.5 points)."""
    toy_course.register(monkeypatch)
    return toy_course.graded_module()


@pytest.fixture
def course(monkeypatch, tmp_path):
    """The root of a course with the toy module, nothing handed in yet."""
    toy_course.register(monkeypatch)
    monkeypatch.setattr("nbgrader.api.get_alembic_version", alembic_version)
    return toy_course.make_course(tmp_path / "course")


@pytest.fixture
def written_course(course):
    """That course with the lesson that asks for two answers in words."""
    file = course / "source" / toy_course.NAME / f"{toy_course.NAME}.ipynb"
    file.write_text(json.dumps(toy_course.source(toy_course.WITH_WORDS)), encoding="utf-8")
    return course


@pytest.fixture
def nbgrader(course, sandbox, monkeypatch):
    """nbgrader(App, *arguments) runs one of its commands in the course and returns its exit code and log."""
    from zerohero_autograder.nbgrader_plugin import grading  # with nbgrader's converters: seconds, not for every test

    monkeypatch.setattr(grading, "choose", lambda unsafe: sandbox)
    monkeypatch.chdir(course)
    register_course(course)

    def run(app_class, *arguments):
        app, log = app_class(), io.StringIO()
        try:
            app.initialize([toy_course.NAME, *arguments])
            app.init_logging(logging.StreamHandler, [log], color=False)
            app.start()
        except SystemExit as exit:
            return exit.code, log.getvalue()
        finally:
            app.reset()
            app_class.clear_instance()
        return 0, log.getvalue()

    return run


@functools.cache
def alembic_version():
    """nbgrader starts a program for this with every new gradebook, which takes seconds."""
    alembic_on_path()
    return get_alembic_version()


@pytest.fixture
def sandbox(monkeypatch):
    """Runs the cells right here: for tests of everything around the jail."""
    return toy_course.FakeSandbox(monkeypatch)
