"""Arguments in lists, tuples and dicts: the leaves by name, and the same nest with other leaves."""

from collections.abc import Callable, Iterator
from typing import Any


def leaves(name: str, value: Any, is_leaf: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """("w", leaf) of a leaf alone; ("w[0]", leaf), ("w[1][2]", leaf), ... of a nest of them. What is no leaf is left out."""
    if is_leaf(value):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from leaves(f"{name}[{index}]", item, is_leaf)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(f"{name}[{key!r}]", item, is_leaf)


def with_leaves(value: Any, is_leaf: Callable[[Any], bool], new: Iterator[Any]) -> Any:
    """The nest with the leaves replaced by the next ones of ``new``, in the order of ``leaves``."""
    if is_leaf(value):
        return next(new)
    if isinstance(value, (list, tuple)):
        items = [with_leaves(item, is_leaf, new) for item in value]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {key: with_leaves(item, is_leaf, new) for key, item in value.items()}
    return value
