"""The gallery is executed once: every call in it works, and its pictures survive without a kernel and in HTML."""

import importlib.util
import json
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import jsonschema
import nbformat
import pytest

from zerohero.viz.scene import MIME

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
FORMS = {MIME, "text/html", "text/plain"}
SCHEMA = jsonschema.Draft202012Validator(json.loads((resources.files("zerohero") / "schema" / "view-1.json").read_text()))


@pytest.fixture(scope="module")
def builder():
    spec = importlib.util.spec_from_file_location("gallery_build", GALLERY / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def executed(builder, tmp_path_factory):
    """The notebook after a run from top to bottom. A cell that fails raises CellExecutionError."""
    from nbclient import NotebookClient

    file = tmp_path_factory.mktemp("gallery") / "gallery.ipynb"
    builder.build(file)
    notebook = nbformat.read(file, 4)
    # without the state of widgets, as JupyterLab saves it: with it nbconvert would show the widget, by way of a CDN
    NotebookClient(notebook, store_widget_state=False, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(file.parent)}}).execute()
    return notebook


@pytest.fixture(scope="module")
def outputs(executed):
    """[(cell, data)] of all that is displayed; a stream has no data."""
    return [(cell, output.get("data", {})) for cell in executed.cells for output in cell.get("outputs", ())]


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


def test_every_part_is_in_it_and_the_same_bytes_come_out(builder, tmp_path):
    one, other = tmp_path / "one.ipynb", tmp_path / "other.ipynb"
    builder.build(one)
    builder.build(other)
    assert one.read_bytes() == other.read_bytes()
    notebook = nbformat.read(one, 4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    source = "\n".join(cell.source for cell in notebook.cells)
    assert {part.stem for part in builder.parts()} >= {"graph", "points"} and "build" not in {part.stem for part in builder.parts()}
    for part in builder.parts():
        title = re.search(r"^# (## .+)$", part.read_text(encoding="utf-8"), re.M)
        assert title and title[1] in source, f"{part.name} begins with a title: # ## ..."


def test_every_cell_shows_a_view(executed, outputs):
    shown = {cell.id for cell, data in outputs if MIME in data}
    assert [cell.source for cell in executed.cells if cell.cell_type == "code" and cell.id not in shown] == []


def test_every_output_has_the_view_the_still_picture_and_a_text(outputs):
    assert outputs
    for cell, data in outputs:
        assert {*data} >= FORMS, cell.source
        assert len(data["text/plain"]) > 20 and "<" not in data["text/plain"].split("\n")[0]


def test_every_view_holds_to_the_schema(outputs):
    for cell, data in outputs:
        problems = [f"{error.json_path}: {error.message[:200]}" for error in SCHEMA.iter_errors(data[MIME])]
        assert not problems, (cell.source, problems)


def test_views_are_of_bearable_size(outputs):
    assert {cell.source: len(json.dumps(data[MIME])) for cell, data in outputs if len(json.dumps(data[MIME])) > 120_000} == {}


def test_the_html_holds_a_picture_with_a_title_and_nothing_that_runs(outputs):
    for cell, data in outputs:
        html = Elements(data["text/html"])
        assert "svg" in html.tags and "title" in html.tags, cell.source
        assert not {"script", "style", "iframe", "img", "link", "object", "embed", "a", "form"} & {*html.tags}, cell.source
        for name, value in html.attributes:
            assert not name.startswith("on") and name not in ("href", "src", "xlink:href", "action", "id"), (cell.source, name)
            assert "://" not in (value or "").replace("http://www.w3.org/2000/svg", "") and "javascript:" not in (value or ""), (cell.source, value)


def test_every_picture_survives_the_export_to_html(executed, outputs):
    from bs4 import BeautifulSoup  # nbconvert writes its page with it
    from nbconvert import HTMLExporter

    page, _ = HTMLExporter().from_notebook_node(executed)
    for cell, data in outputs:
        assert str(BeautifulSoup(data["text/html"], "html.parser")) in page, cell.source
