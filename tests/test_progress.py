"""Progress is read from the notebooks alone."""

import hashlib
import json
from pathlib import Path

import pytest

from zerohero.errors import ZeroheroError
from zerohero.progress import progress, read, states
from zerohero.report import MIME


def notebook(**answers):
    """{exercise: (source, status of the last check or None)} as a notebook whose starters are all 'stub'."""
    starter = hashlib.sha256(b"stub").hexdigest()[:16]
    cells = []
    for name, (source, status) in answers.items():
        cells.append({"cell_type": "code", "source": source, "metadata": {"zerohero": {"exercise": name, "starter": starter}}})
        outputs = [{"output_type": "display_data", "data": {MIME: {"status": status}}}] if status else []
        cells.append({"cell_type": "code", "source": "check", "metadata": {"zerohero": {"check": name}}, "outputs": outputs})
    return {"cells": cells}


def test_each_state():
    made = notebook(a=("stub", None), b=("mine", None), c=("mine", "failed"), d=("mine", "passed"), e=(["mi", "ne"], "passed"))
    assert [s.state for s in states(made)] == ["not started", "edited", "failing", "passing", "passing"]


def test_the_states_that_the_lab_extension_sees_too():
    example = json.loads((Path(__file__).parent / "examples" / "progress.json").read_text(encoding="utf-8"))
    assert [[s.exercise, s.state] for s in states(example["notebook"])] == example["states"]


def test_going_back_to_the_starter_is_not_started():
    assert states(notebook(a=("stub", "passed")))[0].state == "not started"


def test_a_folder_with_broken_and_foreign_notebooks(tmp_path, capsys):
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(**{"m01-x": ("mine", "passed"), "m01-y": ("stub", None)})))
    (tmp_path / "broken.ipynb").write_text('{"cells": [')
    (tmp_path / "foreign.ipynb").write_text('{"cells": []}')
    (tmp_path / "list.ipynb").write_text("[]")
    found = {file.name: seen for file, seen in read(tmp_path)}
    assert set(found) == {"a.ipynb", "broken.ipynb", "list.ipynb"}
    assert "cannot be read" in found["broken.ipynb"]
    progress(tmp_path)
    assert "next: m01-y in a.ipynb (not started)" in capsys.readouterr().out


def test_no_folder():
    with pytest.raises(ZeroheroError, match="is not a folder"):
        list(read("no/such/folder"))


def test_nothing_there(tmp_path, capsys):
    progress(tmp_path)
    assert "no course notebook" in capsys.readouterr().out
