"""As much as one cell may print, from many cells: all of it together is to fill the grader's memory and the graded notebook."""

from . import own, write

EVIDENCE = "more bytes were printed and are not kept"


def make(notebook, place):
    write(notebook)
    notebook["cells"].append(own("import os\nblob = b'\\xff' * 2**20\ndef flood():\n    data = blob\n    while data: data = data[os.write(1, data):]", "flood"))
    notebook["cells"] += [own("flood()", f"flood-{number}") for number in range(20)]
