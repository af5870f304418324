"""The notebook brings a kernel of its own, with the command that starts it."""

from . import write

EVIDENCE = "BEGUN"


def make(notebook, place):
    write(notebook)
    touch = ["/bin/sh", "-c", f"touch {place.root}/{place.token}"]
    notebook["metadata"]["kernelspec"] = {"name": "evil", "display_name": "evil", "language": "python", "argv": touch}
