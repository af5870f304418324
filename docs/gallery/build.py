"""The gallery of views as one notebook: python docs/gallery/build.py [build/gallery.ipynb]

Every other .py file here is a part of it (jupytext py:percent), in the order of their names; each works on its own.
"""

import sys
from pathlib import Path

from zerohero_autograder.build.course import write_notebook
from zerohero_autograder.build.lesson import source_notebook

HERE = Path(__file__).parent
OPENING = """# %% [markdown]
# # Gallery of views
#
# Each cell shows one call and the picture it gives; `docs/views.md` says what each takes. Step with the arrow keys, play with
# Space. The pictures stay when this notebook is opened again without a kernel, or exported to HTML.
"""


def parts() -> list[Path]:
    return sorted(file for file in HERE.glob("*.py") if file.name != Path(__file__).name)


def build(out: Path) -> None:
    """The same parts give the same bytes."""
    text = "\n".join([OPENING, *(part.read_text(encoding="utf-8") for part in parts())])
    write_notebook(source_notebook(text, "gallery", graded=False), out)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "build" / "gallery.ipynb")
