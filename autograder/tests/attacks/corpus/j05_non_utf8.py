"""A notebook in Latin-1, with a letter that is no UTF-8."""

import json

from . import write

EVIDENCE = "not text in UTF-8"


def make(notebook, place):
    write(notebook, before="# caf\u00e9\n")
    return json.dumps(notebook, ensure_ascii=False).encode("latin-1", "replace")
