"""The check cells are unlocked and replaced by ones that hand over nothing."""

from . import checks, write

EVIDENCE = "BEGUN"


def make(notebook, place):
    write(notebook)
    for cell in checks(notebook):
        cell["metadata"]["nbgrader"]["locked"] = False
        cell["source"] = "pass"
