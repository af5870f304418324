"""In a grader's process nobody looks: a view is not made, and a widget does not think that it is in a notebook."""

import sys
import types

import numpy as np
import pytest

from zerohero import grading
from zerohero.viz import array, still, view
from zerohero.widgets import can_be_live, running_kernel


@pytest.fixture
def notebook(monkeypatch):
    """An IPython with a kernel, as a notebook has it."""
    fake = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", fake)


def test_views_are_made_and_printed_outside_of_grading(capsys):
    array(np.eye(2), "eye")
    assert "eye" in capsys.readouterr().out


def test_in_grading_nothing_is_made_or_printed(monkeypatch, capsys):
    monkeypatch.setattr(grading, "session", object)
    still.show_bundle(lambda: pytest.fail("it was made"))
    array(np.eye(2), "eye")
    view(types.SimpleNamespace(data=1.0, grad=0.0, _prev=()))
    assert capsys.readouterr().out == ""


def test_in_grading_there_is_no_notebook_to_be_live_in(notebook, monkeypatch):
    assert running_kernel() is not None
    monkeypatch.setattr(grading, "session", object)
    assert running_kernel() is None and not can_be_live()
