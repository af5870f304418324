"""A file of no bytes."""

EVIDENCE = "the file is empty"


def make(notebook, place):
    return b""
