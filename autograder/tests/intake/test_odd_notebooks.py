"""Honest and odd: right notebooks as other programs, old versions and busy students leave them, all graded in full in the real jail."""

import copy
import json
import os
from pathlib import Path

import pytest

from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.driver import grade_all
from zerohero_autograder.record import register_course

pytestmark = pytest.mark.jail
MODULE = "m01_derivatives"
LESSON = Path(__file__).parents[3] / "course" / MODULE / f"{MODULE}.py"


def dumped(notebook, **how) -> bytes:
    return json.dumps(notebook, **how).encode()


def lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def code(source: str, id: str = "", **metadata) -> dict:
    return {"cell_type": "code", **({"id": id} if id else {}), "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


def answers(notebook: dict) -> list[dict]:
    return [cell for cell in notebook["cells"] if "exercise" in cell["metadata"].get("zerohero", {})]


def checks(notebook: dict) -> list[dict]:
    return [cell for cell in notebook["cells"] if "check" in cell["metadata"].get("zerohero", {})]


def place(notebook: dict, cell: dict) -> int:
    return next(at for at, one in enumerate(notebook["cells"]) if one is cell)


def each_answer(change):
    """change(source) stands in each answer cell."""

    def changed(notebook):
        for cell in answers(notebook):
            cell["source"] = change(cell["source"])

    return changed


# ---------------------------------------------------------------- formats


def format_3(notebook):
    """As IPython 2 saved it: worksheets, `input`, headings, no ids."""
    cells = []
    for cell in notebook["cells"]:
        old = {"cell_type": cell["cell_type"], "metadata": cell["metadata"]}
        if cell["cell_type"] == "code":
            cells.append(old | {"input": lines(cell["source"]), "outputs": [{"output_type": "pyout", "text": ["8"]}], "language": "python", "prompt_number": 1})
        else:
            cells.append(old | {"source": lines(cell["source"])})
    cells.insert(0, {"cell_type": "heading", "level": 1, "metadata": {}, "source": "A heading"})
    return dumped({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells, "metadata": {}}]})


def format_4_without_ids(minor):
    def old(notebook):
        for cell in notebook["cells"]:
            del cell["id"]
            cell["source"] = lines(cell["source"])
        return dumped(notebook | {"nbformat_minor": minor}, indent=1)

    return old


def without_any_names(notebook):
    """Cells copied one by one into a new notebook: code and text are all that is left."""
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        del cell["id"]
    return dumped(notebook | {"nbformat_minor": 4})


def new_ids(notebook):
    """Copied into a new notebook by a program that gives every cell a new id and drops metadata."""
    for number, cell in enumerate(notebook["cells"]):
        cell.update(id=f"new-{number}", metadata={})
    return dumped(notebook)


# ---------------------------------------------------------------- programs


def colab(notebook):
    """Google Colab: format 4.0, ids in the metadata, metadata of its own; it keeps metadata it does not know."""
    for number, cell in enumerate(notebook["cells"]):
        id = cell.pop("id")
        cell["metadata"] |= {"id": id, "colab": {"base_uri": "https://localhost:8080/", "height": 35}, "outputId": f"0123-{number}"}
        cell["source"] = lines(cell["source"])
    about = {
        "colab": {"provenance": [], "toc_visible": True, "gpuType": "T4"},
        "accelerator": "GPU",
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    notebook["cells"].insert(
        0, code("try:\n    from google.colab import drive\n    drive.mount('/content/drive')\nexcept ImportError:\n    pass", colab={}, id="m1")
    )
    return dumped(notebook | {"nbformat_minor": 0, "metadata": about})


def colab_copy(notebook):
    """Cells copied between two tabs of Colab: new random ids, all metadata that is not Colab's own gone."""
    for number, cell in enumerate(notebook["cells"]):
        del cell["id"]
        cell["metadata"] = {"id": f"qX{number:02}_aBcDeF"}
    return dumped(notebook | {"nbformat_minor": 0, "metadata": {"colab": {"provenance": []}}})


def vs_code(notebook):
    """VS Code: a language per cell, an interpreter hash, tab indents in the file."""
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"]["vscode"] = {"languageId": "python" if cell["cell_type"] == "code" else "markdown"}
        cell |= {"execution_count": number} if cell["cell_type"] == "code" else {}
    about = {"vscode": {"interpreter": {"hash": "31f2aee4e71d21fbe5cf8b01ff0e069b9275f58929596ceb00d14d90e3e16cd6"}}, "orig_nbformat": 4}
    return dumped(notebook | {"metadata": about}, indent="\t")


def kaggle(notebook):
    """Kaggle: a cell of its own at the top, `_uuid` in the metadata, format 4.4."""
    for number, cell in enumerate(notebook["cells"]):
        del cell["id"]
        cell["metadata"] |= {"_uuid": f"{number:032x}", "execution": {"iopub.status.busy": "2026-01-01T00:00:00.000Z"}, "trusted": True}
    walk = "import os\nfor dirname, _, filenames in os.walk('/kaggle/input'):\n    for filename in filenames:\n        print(os.path.join(dirname, filename))"
    notebook["cells"].insert(0, code(walk, _uuid="8f2839f25d086af736a60e9eeb907d3b93b6e0e5", _cell_guid="b1076dfc"))
    return dumped(notebook | {"nbformat_minor": 4, "metadata": {"kaggle": {"accelerator": "none", "dataSources": []}}})


def deepnote(notebook):
    """Deepnote: its metadata beside ours in each cell."""
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"] |= {"cell_id": f"{number:032x}", "deepnote_cell_type": "code" if cell["cell_type"] == "code" else "markdown", "tags": []}
    return dumped(notebook | {"metadata": {"deepnote": {}, "deepnote_notebook_id": "abc", "orig_nbformat": 2}})


# ---------------------------------------------------------------- files


def windows_line_ends(notebook):
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].replace("\n", "\r\n")
    return dumped(notebook, indent=1).replace(b"\n", b"\r\n")


def old_mac_line_ends(notebook):
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].replace("\n", "\r")
    return dumped(notebook)


def byte_order_mark(notebook):
    return b"\xef\xbb\xbf" + dumped(notebook)


def huge_outputs(notebook):
    image = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 5_000_000, "text/plain": "<Figure>"}}
    for cell in checks(notebook)[:10]:
        cell["outputs"] = [image]
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": {str(n): {"model_name": "SliderModel"} for n in range(100)}}}
    notebook["metadata"]["widgets"] = widgets


# ---------------------------------------------------------------- cells


def extra_cells(notebook):
    for number, cell in enumerate(list(notebook["cells"])):
        if cell["cell_type"] == "code":
            notebook["cells"].insert(place(notebook, cell) + 1, code(f"mine_{number} = {number}", f"mine{number}"))


def split_cells(notebook):
    """Each answer split in two as Jupyter does it: the same metadata in both halves, a new id for the second."""
    for cell in answers(notebook):
        second = copy.deepcopy(cell) | {"id": cell["id"][4:] + "-2"}
        cell["source"] = "import math"
        notebook["cells"].insert(place(notebook, cell) + 1, second)


def all_answers_first(notebook):
    """All answers moved to the top, in reverse order."""
    moved = answers(notebook)[::-1]
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    notebook["cells"] = [first, *moved, *(cell for cell in notebook["cells"] if cell not in moved and cell is not first)]


def checks_last(notebook):
    moved = checks(notebook)
    notebook["cells"] = [*(cell for cell in notebook["cells"] if cell not in moved), *moved]


def helpers_above(notebook):
    for cell in answers(notebook):
        name = cell["source"].split("(")[0].removeprefix("def ")
        notebook["cells"].insert(place(notebook, cell), code(cell["source"].replace(f"def {name}(", f"def my_{name}(", 1), f"h-{name}"))
        cell["source"] = f"def {name}(*args, **options):\n    return my_{name}(*args, **options)"


def answers_in_other_cells(notebook):
    """Each answer stands in a new cell below the empty answer cell."""
    for cell in answers(notebook):
        notebook["cells"].insert(place(notebook, cell) + 1, code(cell["source"], f"o-{cell['id'][4:]}"))
        cell["source"] = ""


def answers_beside_stubs(notebook):
    """Each answer stands in a new cell below the stub, which was never touched."""
    for cell in answers(notebook):
        notebook["cells"].insert(place(notebook, cell) + 1, code(cell["source"], f"o-{cell['id'][4:]}"))
        head = cell["source"].split(":\n")[0]
        cell["source"] = f"{head}:\n    # YOUR CODE HERE\n    raise NotImplementedError()"


def doubled_checks(notebook):
    for cell in checks(notebook):
        notebook["cells"].insert(place(notebook, cell) + 1, copy.deepcopy(cell) | {"id": cell["id"] + "-copy"})


def redefined(notebook):
    """A wrong version above the right one, both in the answer cell's neighbourhood."""
    for cell in answers(notebook):
        head = cell["source"].split(":\n")[0]
        notebook["cells"].insert(place(notebook, cell), code(f"{head}:\n    return 'a first try'", f"w-{cell['id'][4:]}"))


# ---------------------------------------------------------------- code

BUSY = r'''%matplotlib inline
%config InlineBackend.figure_format = "retina"
%load_ext autoreload
%autoreload 2
import asyncio, logging, sys, warnings, random
import matplotlib.pyplot as plt
import numpy as np
logging.basicConfig(level=logging.DEBUG)
logging.debug("to stderr")
warnings.warn("a warning of my own")
np.float64(1.0) / np.float64(0.0)
random.seed(1); np.random.seed(1)
try:
    from google.colab import drive
except ImportError:
    print("not on Colab")
await asyncio.sleep(0)
print("\r".join(f"{n:3}%|{'█' * n}" for n in range(100)), file=sys.stderr)
print("Grüße, 你好, \U0001f600, \x1b[31mred\x1b[0m")
plt.plot([1, 2], [3, 4]); plt.show()
größe = Δx = 1.0  # ein Umlaut
class Thing: pass
class Thing:
    """Again."""
'''


def busy_code(notebook):
    """Everything people put above their code, in one cell at the top and one in the middle."""
    for number, cell in enumerate((notebook["cells"][1], answers(notebook)[4])):
        notebook["cells"].insert(place(notebook, cell), code(BUSY, f"busy{number}"))
    cell = answers(notebook)[3]
    notebook["cells"].insert(place(notebook, cell), code("%%time\nsum(range(1000))", "timed"))
    notebook["cells"].insert(place(notebook, cell), code("!pip install -q numpy==1.0\n%pip install -q torchvision", "pip"))
    notebook["cells"].insert(place(notebook, cell), code("%%capture held\nprint('held')", "captured"))
    notebook["cells"].insert(place(notebook, cell), code("%%bash\necho from the shell", "shell"))
    notebook["cells"].insert(place(notebook, cell), code("%load_ext no_such_extension", "noext"))
    notebook["cells"].insert(place(notebook, cell), code("?print\nprint??\n%timeit -n 1 -r 1 1 + 1", "asked"))


def chatty_code(notebook):
    notebook["cells"][1:1] = [code("for number in range(10_000):\n    print('x' * 49)", f"chat{number}") for number in range(5)]
    each_answer(lambda source: "print('-' * 500_000)\n" + source)(notebook)


timed_answers = each_answer(lambda source: "%%time\n" + source)
tabs = each_answer(lambda source: source.replace("    ", "\t"))
trailing_spaces = each_answer(lambda source: "\n\n" + source.replace("\n", "   \n") + "  \n\n\n")
other_scripts = each_answer(lambda source: "# größe 大小 размер\n" + source + "\ngröße_ω = 1\n")
looked_at = each_answer(lambda source: source + "\n" + source.split("(")[0].removeprefix("def ") + "?\nlocals().keys()")

# who: (what they did to the notebook, what the file was saved by); each of the functions above stands in one of them
CLASS = {
    "plain": ((), dumped),
    "old": ((tabs, trailing_spaces), format_3),
    "colab": ((busy_code,), colab),
    "colab-copy": ((timed_answers,), colab_copy),
    "kaggle": ((helpers_above, split_cells), kaggle),
    "code": ((extra_cells, doubled_checks), vs_code),
    "deepnote": ((other_scripts,), deepnote),
    "windows": ((answers_beside_stubs,), windows_line_ends),
    "mac": ((redefined,), old_mac_line_ends),
    "bom": ((huge_outputs, looked_at), byte_order_mark),
    "copied": ((), without_any_names),
    "renamed": ((answers_in_other_cells,), new_ids),
    "4.0": ((all_answers_first, chatty_code), format_4_without_ids(0)),
    "4.4": ((checks_last,), format_4_without_ids(4)),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """{who: outcome} of one class."""
    root = tmp_path_factory.mktemp("odd") / "course"
    source = source_notebook(LESSON.read_text(encoding="utf-8"), MODULE)
    right = student_notebook(source)
    for cell, reference in zip(right["cells"], source["cells"], strict=True):
        if "exercise" in cell["metadata"].get("zerohero", {}):
            cell["source"] = reference["source"]
    (root / "source" / MODULE).mkdir(parents=True)
    (root / "source" / MODULE / f"{MODULE}.ipynb").write_text(json.dumps(source))
    (root / "nbgrader_config.py").write_text("from zerohero_autograder.nbgrader_plugin import configure\nc = get_config()\nconfigure(c)\n")
    os.close(os.open(root / "secret_seed", os.O_CREAT | os.O_WRONLY, 0o600))
    (root / "secret_seed").write_text("one-secret-one-secret")
    register_course(root)
    for who, (changes, saved) in CLASS.items():
        notebook = copy.deepcopy(right)
        for change in changes:
            change(notebook)
        (root / "submitted" / who / MODULE).mkdir(parents=True)
        (root / "submitted" / who / MODULE / f"{MODULE}.ipynb").write_bytes(saved(notebook))
    return {outcome.student: outcome for outcome in grade_all(root, MODULE)}


@pytest.mark.parametrize("who", CLASS)
def test_an_odd_notebook_earns_what_the_plain_one_earns(graded, who):
    assert (graded[who].score, graded[who].failed) == (graded["plain"].max_score, "")


def test_only_what_a_student_should_know_is_said(graded):
    said = {who: outcome.messages for who, outcome in graded.items() if outcome.messages}
    lost = (f"the answer cells of {MODULE} have lost their names or are empty; your code is run where it stands",)
    assert {who: said.pop(who) for who in ("colab-copy", "copied", "renamed")} == dict.fromkeys(("colab-copy", "copied", "renamed"), lost)
    assert list(said) == ["kaggle"] and all("is a second cell of m01-" in line for line in said["kaggle"])
