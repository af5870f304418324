"""The child that reads a large notebook: JSON on stdin, the same without outputs on stdout; exit code 3 and a message when it cannot.

Runs with a memory limit (see reading.py). What it writes is parsed again by the parent, which trusts none of it more
than the file itself.
"""

import gc
import json
import sys

from ..errors import SubmissionUnreadable
from .notebook import parse


def main() -> int:
    """The exit code."""
    gc.disable()  # with millions of lists the collector takes ten times as long as the parser
    try:
        submission = parse(sys.stdin.buffer.read())
    except SubmissionUnreadable as error:
        sys.stdout.write(str(error))
        return 3
    cells = [
        {"cell_type": "code" if c.kind == "code" else "markdown", "source": c.source, "id": c.id, "metadata": {"nbgrader": {"grade_id": c.grade_id}}}
        for c in submission.cells
    ]
    sys.stdout.write(json.dumps({"nbformat": 4, "cells": cells}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
