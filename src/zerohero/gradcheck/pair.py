"""A forward and a backward pass as NumPy functions of named arrays, whatever they were written with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..report import Finding
from .forward import Forward
from .hypotheses import Named, Trial, name_gradients


class Wrong(Exception):
    """Raised by the backward pass of a Pair: something is wrong that shows only where the arrays were made."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.what)
        self.finding = finding


def _name_alone(forward, dout, seen):
    return name_gradients([Trial(forward, dout, seen)])


@dataclass(frozen=True)
class Pair:
    forward: Callable[..., Any]
    """forward(*arguments) -> float64 array, float, or a tuple of these."""
    backward: Callable[..., Any]
    """backward(dout, *arguments) -> the gradients of the differentiable arguments, in their order."""
    arguments: Mapping[str, Any]
    differentiable: Sequence[str] | None = None
    dout: Any = None
    """The upstream gradient to begin with; random when None."""
    where: str = ""
    """The point in short; by default all arguments."""
    unreached: set[str] = field(default_factory=set)
    """Names for which the backward pass gave no gradient at all, which then counts as zeros."""
    no_gradient: str = ""
    """The next step where one of ``unreached`` should have a gradient."""
    name: Callable[[Forward, Any, Mapping[str, Any]], Named | None] = _name_alone
    """name(forward, dout, seen) -> the mistake that explains a wrong gradient."""
