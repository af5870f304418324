"""The check cells have names that nobody knows."""

from . import checks, write

EVIDENCE = "BEGUN"


def make(notebook, place):
    write(notebook)
    for cell in checks(notebook):
        cell["metadata"]["nbgrader"]["grade_id"] += "-x"
        cell["metadata"]["zerohero"]["check"] += "-x"
        cell["id"] += "-x"
