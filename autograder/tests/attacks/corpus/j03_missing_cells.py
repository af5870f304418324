"""A notebook without cells."""

EVIDENCE = "it has no list of cells"


def make(notebook, place):
    return b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}'
