"""The check cells are gone."""

from . import checks, write

EVIDENCE = "BEGUN"


def make(notebook, place):
    write(notebook)
    gone = [cell["id"] for cell in checks(notebook)]
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in gone]
