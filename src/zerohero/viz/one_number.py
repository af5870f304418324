"""A number from what a student has in hand: a float, a 0-d array, a torch scalar, a Value of their engine."""

from typing import Any

from ..errors import WrongObject


def one_number(value: Any, name: str) -> float:
    """``value`` as a float, which holds nothing of the object it came from. name: what the value is called in an error.

    Taken are what float() takes but text, anything with .item() for its one element, and an object whose .data is one of these.
    Raises WrongObject.
    """
    if type(value) is float:
        return value
    item = getattr(value, "item", None)
    if callable(item):
        try:
            value = item()
        except (ValueError, RuntimeError, TypeError):
            shape = tuple(getattr(value, "shape", ()))
            raise WrongObject(f"{name} needs one number and got {_kind(value)} of shape {shape}: take one element, or its mean") from None
    elif not hasattr(value, "__float__") and hasattr(value, "data"):
        return one_number(value.data, f"{name}.data")
    if not hasattr(value, "__float__"):
        raise WrongObject(f"{name} needs one number and got {_kind(value)}")
    return float(value)


def _kind(value):
    return "None" if value is None else f"an object of type {type(value).__name__}"
