"""Hundreds of cells that each make the grader say something, about markup, to the student and to the instructor."""

from . import own, write

EVIDENCE = "of m01-partials"


def make(notebook, place):
    write(notebook)
    for number in range(200):
        notebook["cells"].append(own("# <script> zerohero.grading", f"more-{number}", nbgrader={"grade_id": "m01-partials-answer"}))
