"""One answer is right; the check cells say that they are worth 1000 points."""

from . import RIGHT_CHAIN, checks, write

EARNED = 3.0
EVIDENCE = "BEGUN"


def make(notebook, place):
    write(notebook, chain=RIGHT_CHAIN)
    for cell in checks(notebook):
        cell["metadata"]["nbgrader"]["points"] = 1000
        cell["metadata"]["zerohero"]["points"] = 1000
