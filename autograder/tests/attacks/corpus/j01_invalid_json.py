"""The file ends in the middle."""

import json

EVIDENCE = "ends in the middle"


def make(notebook, place):
    return json.dumps(notebook).encode()[:-200]
