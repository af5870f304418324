"""The right content under another name, which is no text either."""

import json
import os

EVIDENCE = "The file must be named m01_derivatives.ipynb"


def make(notebook, place):
    return {os.fsdecode(b"m01 final (2) \xff.ipynb"): json.dumps(notebook).encode()}
