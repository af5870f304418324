"""Moving the inputs of an expression and seeing its graph, values and gradients, follow."""

from collections.abc import Callable
from typing import Any

from ..viz.explore import Explorer, Leaf
from ..viz.graph import bundle
from ..viz.still import show_bundle
from . import can_be_live


def graph_explorer(expression: Callable[..., Any], value_class: Callable[[float], Any], /, **leaves: Leaf) -> None:
    """Show the graph of an expression of your own class; in a running notebook each of its inputs can be dragged.

    graph_explorer(lambda a, b, c: (a * b + c).tanh(), Value, a=2.0, b=-3.0, c=10.0)

    expression  : called with one value for each name, by keyword, each time a number has changed; then its backward() is called
    value_class : makes a value of a number
    leaves      : a number for each name, or (number, from, to)

    Without a kernel the picture is that of the numbers given. Raises WrongObject when the expression gives no value of a scalar
    engine, ZeroheroError when it raises at the numbers given; what it raises at others is said above the picture.
    """
    explorer = Explorer(expression, value_class, leaves)
    if not can_be_live():
        show_bundle(lambda: bundle(explorer.result))
        return
    from IPython.display import display

    from .live import LiveView

    display(LiveView(explorer.view, drag=explorer.move, first=bundle(explorer.result)))
