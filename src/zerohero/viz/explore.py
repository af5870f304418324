"""An expression whose inputs can be moved: from numbers to the view of its graph, with the student's own class.

    explorer = Explorer(lambda a, b, c: (a * b + c).tanh(), Value, {"a": 2.0, "b": -3.0, "c": 10.0})
    explorer.move("a", 1.5)  # the view with a = 1.5

Pure: nothing is displayed here.
"""

import contextlib
import math
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import WrongObject, ZeroheroError
from .graph import graph_view, places
from .scene import plain

Leaf = float | tuple[float, float, float]


class Explorer:
    """expression: called with one value for each name, by keyword. value_class: makes such a value of a number.

    leaves: a number for each name, or (number, from, to); from and to are otherwise the number -+ max(1, 2 |number|).
    Raises WrongObject and ZeroheroError when there is no picture to begin with.
    """

    def __init__(self, expression: Callable[..., Any], value_class: Callable[[float], Any], leaves: Mapping[str, Leaf]):
        if not callable(expression) or not callable(value_class):
            raise WrongObject(f"an explorer needs a function and the class of its values, not {type(expression).__name__} and {type(value_class).__name__}: graph_explorer(lambda a, b: a * b, Value, a=2.0, b=3.0)")  # fmt: skip
        if not leaves:
            raise WrongObject("an explorer needs at least one input that can be moved, such as a=2.0")
        self.expression, self.value_class = expression, value_class
        self.ranges = {name: _range(name, leaf) for name, leaf in leaves.items()}
        self.numbers = {name: low_high[0] for name, low_high in self.ranges.items()}
        try:
            self.view = self._view()
        except ZeroheroError:
            raise
        except Exception as error:
            raise ZeroheroError(f"the expression raised {_said(error)} at {self._at()}; choose other numbers to begin with") from error

    def move(self, name: str, number: float) -> dict[str, Any]:
        """The view with one leaf at ``number``, kept within its range; all others stay. Other names and what is not finite are ignored.

        What the expression, or its backward(), raises is said in the summary; the picture is then that of the numbers before.
        """
        if name not in self.ranges or not math.isfinite(number):
            return self.view
        _, low, high = self.ranges[name]
        self.numbers[name] = min(max(float(number), low), high)
        try:
            self.view = self._view()
        except Exception as error:
            self.view = {**self.view, "summary": plain(f"At {self._at()} the expression raised {_said(error)}. The picture is that of the numbers before.", 400), "handles": self._handles()}  # fmt: skip
        return self.view

    def _view(self):
        made = {}
        for name, number in self.numbers.items():
            made[name] = self.value_class(number)
            with contextlib.suppress(Exception):  # a class without labels: its leaves are shown by their places
                made[name].label = name
        result = self.expression(**made)
        if isinstance(result, (int, float)):
            raise WrongObject(f"the expression gave the plain number {result}; it must give a value of a scalar engine, made of the values it was handed")
        failed = ""
        backward = getattr(result, "backward", None)
        if callable(backward):
            try:
                backward()
            except Exception as error:
                failed = f"backward() raised {_said(error)}. "
        view, nodes = graph_view(result), places(result)
        self.nodes = {name: nodes.get(id(leaf), -1) if len(nodes) == len(view["graph"]["names"]) else -1 for name, leaf in made.items()}
        return {**view, "summary": plain(failed + view["summary"], 800), "handles": self._handles()}

    def _handles(self):
        """node: the number of the leaf in the graph, or -1: it is not used, or its group is shown in its place."""
        return [
            {"name": plain(name), "value": self.numbers[name], "from": low, "to": high, "node": self.nodes[name]}
            for name, (_, low, high) in self.ranges.items()
        ]

    def _at(self):
        return ", ".join(f"{name} = {number:.5g}" for name, number in self.numbers.items())


def _said(error):
    return plain(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__, 120)


def _range(name, leaf):
    """(number, from, to)."""
    given = leaf if isinstance(leaf, tuple) else (leaf,)
    if len(given) not in (1, 3) or not all(isinstance(one, (int, float)) and math.isfinite(one) for one in given):
        raise WrongObject(f"{name} must be a number, or (number, from, to), all finite; it is {plain(repr(leaf), 40)}")
    number, *ends = map(float, given)
    reach = max(1.0, 2 * abs(number))
    low, high = ends or (number - reach, number + reach)
    if not low <= number <= high or low == high:
        raise WrongObject(f"{name} = {number:g} must lie between its ends {low:g} and {high:g}, which must differ")
    return number, low, high
