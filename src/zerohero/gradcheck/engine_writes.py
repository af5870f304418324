"""What would come out if every write into .grad were added to what is there?"""

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def adding_writes(kind: type) -> Iterator[None]:
    """Within it, ``node.grad = g`` on objects of ``kind`` adds g, and ``node.grad += g`` still does what it says.

    The two are told apart by whether the node's grad was read since it was last written.
    """
    held: dict[int, tuple[Any, float, bool]] = {}  # id: (the node, kept alive, its grad, whether it was read)

    def read(node):
        _, grad, _ = held.get(id(node), (node, 0.0, False))
        held[id(node)] = node, grad, True
        return grad

    def write(node, value):
        _, grad, was_read = held.get(id(node), (node, 0.0, True))
        held[id(node)] = node, value if was_read or value is None or grad is None else grad + value, False

    there, before = "grad" in vars(kind), vars(kind).get("grad")
    kind.grad = property(read, write)
    try:
        yield
    finally:
        if there:
            kind.grad = before
        else:
            del kind.grad
