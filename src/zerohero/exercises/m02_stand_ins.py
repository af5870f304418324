"""What takes the place of a part the student wrote earlier, so that each exercise of m02 is judged by itself.

``Node`` stands in for a Value in a graph whose slopes are given. ``number_class`` makes numbers that are measured, not
differentiated: their ``backward`` runs the recorded arithmetic again with a tiny imaginary step. ``patched`` puts a
stand-in under the name by which the student's code asks for the part. A check passes when the answer is right with the
student's own parts or with these.
"""

import cmath
import contextlib
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..report import Finding

RTOL, ATOL = 1e-9, 1e-11  # the truth is exact; what went through float32 is off by 3e-8
STEP = 1e-30
"""Imaginary step: nothing is subtracted, so it may be so small that no rounding is left."""


class Node:
    """One value of a graph: ``data``, ``grad``, its inputs ``_prev`` and its slope towards each, ``_local``.

    It can hand its own gradient to its inputs under either name the step has in a known engine. Like the Value of the
    lesson it takes no further attributes.
    """

    __slots__ = ("__weakref__", "_local", "_op", "_prev", "data", "grad", "label")

    def __init__(self, data, prev=(), local=(), op=""):
        self.data, self.grad = data, 0.0
        self._prev, self._local, self._op = prev, local, op

    def __repr__(self):
        return f"Node(data={self.data})"

    def _backward(self):
        for place, slope in enumerate(self._local):
            _receive(self._prev[place], slope, self.grad)

    pass_back = _backward


def _receive(node, slope, upstream):
    node.grad = node.grad + slope * upstream


class NotOpen(Exception):
    """The engine does not show its gradients in this way."""


def refuse_ours(cls: Any) -> None:
    """Raise TypeError when the class handed in, or a method of it, is not the student's own work but comes out of this package."""
    bases = getattr(cls, "__mro__", ())
    parts = [*bases, *(part for base in bases for part in vars(base).values())]
    if any(str(getattr(part, "__module__", "")).startswith("zerohero.exercises.") for part in parts):
        raise TypeError("this class comes out of zerohero; write your own")


def raised(seen: Mapping[str, Any], step: str, what: str = "your code", where: str = "") -> Finding:
    """seen : {"raised": type, "message": text}, as a probe says that the answer raised an exception."""
    return Finding(f"{what} raised an exception", where=where, actual=f"{seen['raised']}: {seen['message']}", next=step)


@contextlib.contextmanager
def patched(owner: Any, **names: Any) -> Iterator[None]:
    """While open, the global names that ``owner`` (a function or a class written in Python) reads hold ``names``.

    Only names that are there already are replaced; all are put back.
    """
    space = globals_of(owner)
    before = {name: space[name] for name in names if name in space}
    space.update({name: names[name] for name in before})
    try:
        yield
    finally:
        space.update(before)


def globals_of(owner: Any) -> dict[str, Any]:
    """The global names that a function, or the first method of a class, reads; {} when there is none in Python.

    Of a partial, a decorated function or an object with __call__: those of the function inside.
    """
    for _ in range(10):
        inside = getattr(owner, "func", None) or getattr(owner, "__wrapped__", None)
        if hasattr(owner, "__globals__") or inside is None or isinstance(owner, type):
            break
        owner = inside
    if not isinstance(owner, type):
        return getattr(owner if hasattr(owner, "__globals__") else vars(type(owner)).get("__call__"), "__globals__", {})
    for name in ("__init__", "__call__", *vars(owner)):
        function = vars(owner).get(name)
        if hasattr(function, "__globals__"):
            return function.__globals__
    return {}


def number_class(without: Sequence[str] = ()) -> type:
    """A class to be used in place of the student's Value: Number(data), with all operators and ``without`` some.

    Its gradients need no rule of differentiation. A number remembers how it was made; ``backward`` makes it again with
    i * 1e-30 added to one input at a time and reads the slope off the imaginary part. Slow, exact, and of no use to learn from.
    """
    operators: dict[str, Any] = {}
    for name, make in BINARY.items():
        operators[f"__{name}__"] = lambda self, other, make=make: self._made(make, self, other)
        if name != "pow":
            operators[f"__r{name}__"] = lambda self, other, make=make: self._made(make, other, self)
    for name, make in UNARY.items():
        if name not in without:
            operators[name] = lambda self, make=make: self._made(make, self)
    return type("Number", (Number,), operators)


class Number:
    """What all classes of number_class() have in common."""

    def __init__(self, data, _prev=(), _local=(), _op=""):
        self.data, self.grad = float(data), 0.0
        self._how: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
        if _prev:  # an operation of the student's own, given by its slopes: the same near these inputs
            start = [one.data for one in _prev]
            self._how = (lambda *v: data + sum(slope * (one - at) for slope, one, at in zip(_local, v, start, strict=True))), tuple(_prev)

    def __repr__(self):
        return f"Number({self.data})"

    def made_by(self, method: str) -> bool:
        """Whether this method has a part in the number."""
        return any(one._how is not None and one._how[0] is UNARY[method] for one in _order(self))

    @classmethod
    def _made(cls, make, *inputs):
        # an exponent stays as it came: x**2 and x**2.0 take different ways through complex arithmetic
        inputs = tuple(one if isinstance(one, cls) or (make is operator.pow and place) else cls(one) for place, one in enumerate(inputs))
        made = cls(complex(make(*[_data(one) for one in inputs])).real)
        made._how = make, inputs
        return made

    def backward(self):
        order = _order(self)
        for leaf in order:
            if leaf._how is None:
                leaf.grad += _again(self, order, leaf).imag / STEP


def _data(one):
    return one.data if isinstance(one, Number) else one


def _order(root):
    """All numbers that ``root`` is made of, each after those it is made of. Graphs here have a few hundred at most."""
    found, known = [], set()

    def visit(number):
        if id(number) not in known:
            known.add(id(number))
            for one in number._how[1] if number._how else ():
                if isinstance(one, Number):
                    visit(one)
            found.append(number)

    visit(root)
    return found


def _again(root, order, nudged):
    value = {}
    for number in order:
        if number._how is None:
            value[id(number)] = complex(number.data, STEP if number is nudged else 0.0)
        else:
            make, inputs = number._how
            value[id(number)] = make(*[value[id(one)] if isinstance(one, Number) else one for one in inputs])
    return complex(value[id(root)])


BINARY = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "pow": operator.pow}
UNARY = {
    "__neg__": operator.neg,
    "exp": cmath.exp,
    "tanh": cmath.tanh,
    "relu": lambda z: z if z.real > 0 else 0.0 * z,
}


def with_both_engines(read):
    """A probe that calls read(function, value class, inputs) with stand-ins for Value, then with the student's own."""

    def probe(function, inputs):
        numbers = number_class()
        with patched(function, Value=numbers):
            seen = {"stand-ins": attempt(lambda: read(function, numbers, inputs))}
        if seen["stand-ins"].get("raised") == "NotImplementedError":
            raise NotImplementedError
        if isinstance(globals_of(function).get("Value"), type):
            seen["own"] = attempt(lambda: read(function, globals_of(function)["Value"], inputs))
        return seen

    return probe


def attempt(read):
    """What read() gives, or {"raised": type, "message": text} of the exception that ended it."""
    try:
        return read()
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)[:200]}
