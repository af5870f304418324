"""Family i: torch where it is not allowed."""

import pytest

pytestmark = pytest.mark.jail
SAYS = "ImportError: torch may not be used for this exercise"


def error(jail, code):
    return jail(code, without={"torch"}).cells[0].error


def test_importing_it_in_a_cell_of_imports_does_no_harm(jail):
    run = jail("import torch\nimport torch.nn.functional as F\nimport numpy as np", "print(np.ones(1))", without={"torch"})
    assert [c.status for c in run.cells] == ["ok", "ok"]


def test_using_it_says_what_is_forbidden(jail):
    attempts = [
        "import torch\ntorch.ones(3)",
        "import torch as t\nt.autograd",
        "from torch import tensor",
        "import importlib\nimportlib.import_module('to' + 'rch').tensor",
        "getattr(__import__('torch'), 'auto' + 'grad')",
        "from torch.nn import Linear",
        "import torch.nn as nn\nnn.Linear(2, 2)",
    ]
    for attempt, cell in zip(attempts, jail(*attempts, without={"torch"}).cells, strict=True):
        assert cell.error == SAYS, attempt


def test_stand_in_pushed_aside(jail):
    """Behind the stand-in is an empty folder: the library itself is not there."""
    code = "import sys\nsys.path.remove('/grading/without'); sys.meta_path.pop(0) if 'torch' in sys.modules else 0\nimport torch\ntorch.ones"
    assert "torch" in error(jail, code) and error(jail, code).startswith("AttributeError")


def test_in_another_process(jail):
    run = jail(
        "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'import torch; torch.ones(1)'], capture_output=True, text=True).stderr)",
        without={"torch"},
    )
    assert "Error" in run.cells[0].text


def test_its_compiled_library(jail):
    code = "import sys, pathlib\nprint([p for s in sys.path for p in pathlib.Path(s).glob('torch*/**/*.so')])"
    assert jail(code, without={"torch"}).cells[0].text == "[]\n"


def test_a_plot_is_drawn_although_torch_is_not_there(jail):
    """matplotlib looks for torch.Tensor when torch is imported, and expects an answer."""
    run = jail("import torch\nimport matplotlib.pyplot as plt", "plt.plot([1, 2]); print('drawn')", "torch.Tensor([1.0])", without={"torch"})
    assert "drawn" in run.cells[1].text and "torch may not be used" in run.cells[2].error


def test_where_it_is_allowed_it_is_there(jail):
    run = jail("torch", "import torch\nprint(torch.ones(2).sum())", without=())
    assert run.cells[0].error.startswith("NameError") and run.cells[1].text == "tensor(2.)\n"
