"""What the tests of the lessons share."""

import contextlib
import io
from pathlib import Path

import pytest

from zerohero_autograder.build import source_notebook

COURSE = Path(__file__).parents[2] / "course"


@pytest.fixture(scope="module")
def lesson(request):
    """(text printed by an in-order run of all cells of the test file's MODULE, checks included; the namespace it leaves)."""
    import matplotlib

    matplotlib.use("agg")
    module = request.module.MODULE
    namespace, printed = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in source_notebook((COURSE / module / f"{module}.py").read_text(encoding="utf-8"), module)["cells"]:
            if cell["cell_type"] == "code":
                exec(compile(cell["source"], f"<{cell['id']}>", "exec"), namespace)
    return printed.getvalue(), namespace
