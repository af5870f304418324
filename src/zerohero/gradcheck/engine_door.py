"""A scalar autograd engine as a NumPy pair: f of objects with .data, .grad and .backward().

Every evaluation is done on fresh leaves, ``type(v)(number)``; the objects that were handed in are only read.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import CannotCheck
from ..report import Finding
from .backward import observe_backward, other_upstream
from .engine_writes import adding_writes
from .forward import Forward, argument_names, check_count
from .hypotheses import Named, Trial, equal, name_gradients
from .nested import leaves, with_leaves
from .pair import Pair, Wrong
from .verdict import judged

PARTS = ("data", "grad", "backward")
NO_GRADIENT = "does backward() reach every node, each after all those that use it?"
POINTS = 4
"""More points to prove a name at; one number at one point proves nothing."""


def engine_pair(f: Callable[..., Any], inputs: Sequence[Any], differentiable: Sequence[str] | None) -> Pair | None:
    """``f`` as a Pair, or None when no input holds an object of an engine. Raises CannotCheck."""
    scalars = [leaf for value in inputs for _, leaf in leaves("", value, is_scalar)]
    if not scalars:
        return None
    names = argument_names(f, len(inputs))
    check_count("forward", f, len(inputs), f"forward({', '.join(names)})")
    engine = Engine(f, inputs, scalars)
    arguments = {key: number for name, value in zip(names, inputs, strict=True) for key, number in _packed(name, value).items()}
    unreached: set[str] = set()

    def backward(dout, *values):
        found = engine.gradients(float(dout), values)
        by_name = dict(zip(arguments, _split(found, values), strict=True))
        unreached.clear()
        unreached.update(name for name, gradient in by_name.items() if not np.any(gradient))
        gradients = [by_name[name] for name in differentiable or by_name]
        return gradients if len(gradients) > 1 else gradients[0]

    def name(forward, dout, seen):
        return _overwritten(engine, forward) or _same_everywhere(engine, backward, forward, dout, seen)

    return Pair(engine.value, backward, arguments, differentiable, dout=1.0, unreached=unreached, no_gradient=NO_GRADIENT, name=name)


def is_scalar(value: Any) -> bool:
    """Whether it is, or is meant to be, a scalar of an engine."""
    return not isinstance(value, (np.ndarray, np.generic, memoryview, type)) and any(hasattr(value, part) for part in PARTS)


def _packed(name, value):
    """A list of scalars as one array under its name; a nest of another form as one number each."""
    numbers = {key: _number(leaf.data) for key, leaf in leaves(name, value, is_scalar)}
    if is_scalar(value) or not numbers:
        return numbers
    try:
        array = np.array(with_leaves(value, is_scalar, iter(numbers.values())), dtype=np.float64)
    except (TypeError, ValueError):  # rows of different lengths, a dict, something that is no number
        return numbers
    return {name: array} if array.size == len(numbers) else numbers


def _split(flat, like):
    """The numbers in the shapes of ``like``."""
    ends = np.cumsum([np.size(one) for one in like])
    return [np.array(part).reshape(np.shape(one)) for part, one in zip(np.split(np.array(flat), ends[:-1]), like, strict=True)]


def _number(data):
    """A float, also from an array without axes or the like; None when it is no number."""
    if isinstance(data, (int, float, np.number)) or (isinstance(data, np.ndarray) and data.size == 1 and data.dtype.kind in "fiu"):
        return float(np.asarray(data).reshape(())) if not isinstance(data, np.complexfloating) else None
    return None


class Engine:
    """``f`` on fresh leaves of the kind it was handed."""

    def __init__(self, f: Callable[..., Any], inputs: Sequence[Any], scalars: Sequence[Any]) -> None:
        self.f = f
        self.inputs = inputs
        for scalar in scalars:
            _complete(scalar)
        self.kinds = [type(scalar) for scalar in scalars]
        self.scales = self._can_scale()

    def leaves(self, values: Sequence[Any]) -> list[Any]:
        """One fresh leaf a number."""
        numbers = [float(number) for value in values for number in np.ravel(value)]
        return [_leaf(kind, number) for kind, number in zip(self.kinds, numbers, strict=True)]

    def run(self, made: Sequence[Any]) -> Any:
        waiting = iter(made)
        return self.f(*[with_leaves(value, is_scalar, waiting) for value in self.inputs])

    def value(self, *values: Any) -> float | None:
        """The forward pass on numbers."""
        out = self.run(self.leaves(values))
        return None if out is None else _result(out, self.kinds[0])

    def gradients(self, dout: float, values: Sequence[Any]) -> list[float]:
        """What the leaves hold after backward(): of f, or of f * dout where the engine multiplies right."""
        made = self.leaves(values)
        before = [leaf.data for leaf in made]
        for leaf in made:
            if leaf.grad is not None and _number(leaf.grad) != 0:
                following = "set grad to 0.0 in __init__, for each object its own"
                raise Wrong(Finding(f"a fresh {type(leaf).__name__} has a gradient already", expected="0.0", actual=repr(leaf.grad)[:80], next=following))
        out = self.run(made)
        end = out * dout if self.scales and dout != 1.0 else out
        end.backward()
        if any(leaf.data != data for leaf, data in zip(made, before, strict=True)):
            raise Wrong(Finding("`.data` of an input was changed by the call", mistake="MUTATES", next="backward() writes into .grad only"))
        share = 1.0 if self.scales else dout
        return [share * _gradient(leaf.grad) for leaf in made]

    def _can_scale(self):
        """Whether leaf * number and its gradient are right, so that it can stand behind f to make another upstream gradient."""
        try:
            leaf = _leaf(self.kinds[0], 0.7)
            product = leaf * 1.7
            product.backward()
            return _number(product.data) == 0.7 * 1.7 and _number(leaf.grad) == 1.7
        except Exception:  # no multiplication, or none with a number: f is checked alone
            return False


def _complete(scalar):
    kind = type(scalar).__name__
    for part in PARTS:
        if not hasattr(scalar, part):
            raise CannotCheck(f"a {kind} has no `.{part}`; the scalars of an engine have .data, .grad and .backward()")
    if _number(scalar.data) is None:
        raise CannotCheck(f"`.data` of a {kind} is a {type(scalar.data).__name__}; only engines whose .data is one number are checked")
    if not callable(scalar.backward):
        raise CannotCheck(f"`.backward` of a {kind} is a {type(scalar.backward).__name__}; it must be a method")


def _leaf(kind, number):
    try:
        wants = "requires_grad" in inspect.signature(kind).parameters
    except (TypeError, ValueError):
        wants = False
    try:
        leaf = kind(number, requires_grad=True) if wants else kind(number)
    except Exception as error:
        message = f"{type(error).__name__}: {str(error)[:100]}"
        raise CannotCheck(f"{kind.__name__}({number:.3g}) raised {message}; every evaluation begins with fresh ones, made from a number alone") from error
    if _number(leaf.data) != number:
        raise CannotCheck(f"{kind.__name__}(x).data is not x: {number!r} became {leaf.data!r}; slopes need the number as it is, in float64")
    return leaf


def _result(out, kind):
    name = kind.__name__
    if isinstance(out, (list, tuple)):
        raise CannotCheck(f"forward returned {len(out)} values; return one {name}, such as their sum, each times a number of its own")
    if not is_scalar(out):
        raise CannotCheck(f"forward returned a {type(out).__name__}, not a {name}, so there is no backward() to call; .data leaves the graph, keep to {name}s")
    _complete(out)
    return _number(out.data)


def _gradient(grad):
    number = 0.0 if grad is None else _number(getattr(grad, "data", grad) if is_scalar(grad) else grad)
    if number is None:
        raise Wrong(Finding("`.grad` is no number", expected="a number", actual=type(grad).__name__))
    return number


# ---------------------------------------------------------------- names


def _overwritten(engine: Engine, forward: Forward) -> Named | None:
    """OVERWRITE when wrong gradients come out right as soon as each write into .grad is added to what was there."""
    values = list(forward.arguments.values())
    try:
        plain = engine.gradients(1.0, values)
        with adding_writes(engine.kinds[0]):
            made = engine.leaves(values)
            engine.run(made).backward()
            added = [_gradient(leaf.grad) for leaf in made]
    except Exception:  # a class that cannot be watched
        return None
    if added == plain:
        return None
    by_name = dict(zip(forward.arguments, _split(added, values), strict=True))
    value = [by_name[name] for name in forward.names]
    seen = {"value": value, "again": value, "other": [other_upstream(1.0) * g for g in value], "changed": []}
    if len(value) == 1:
        seen = {key: part[0] if part else part for key, part in seen.items()}
    if judged(forward, 1.0, seen):
        return None
    return "OVERWRITE", "more than one gradient is written into .grad, and the last replaces the others; added up they would be right"


def _same_everywhere(engine: Engine, backward: Callable[..., Any], forward: Forward, dout: Any, seen: Mapping[str, Any]) -> Named | None:
    """A generic name that holds at several points with several upstream gradients, where a graph leaves no other reading of it."""
    rng = np.random.RandomState(0)
    trials = [] if engine.scales else [Trial(forward, dout, seen)]  # an upstream gradient of 1 shows less than another
    for _ in range(POINTS * 3):
        if len(trials) > POINTS:
            break
        moved = {name: x + (0.1 + 0.3 * np.abs(x)) * rng.standard_normal(np.shape(x)) for name, x in forward.arguments.items()}
        upstream = rng.uniform(0.5, 2.5) if engine.scales else 1.0
        try:
            at = forward.moved_to(moved)
            trials.append(Trial(at, upstream, observe_backward(backward, upstream, at.arguments)))
        except Exception:  # outside the domain of a logarithm or a root
            continue
    named = name_gradients(trials) if len(trials) > POINTS else None
    if named is None:
        return None
    name = next(name for name in forward.names if not all(t.right(name) for t in trials))
    passed_on = all(equal(t.given[name], np.broadcast_to(t.dout[0], np.shape(t.given[name]))) for t in trials)
    others = ("DROPPED_LOCAL",) if passed_on and named[0] != "DROPPED_LOCAL" else ()
    if named[0] in ("SWAPPED", "NO_UPSTREAM", "SIGN_FLIP", "DROPPED_LOCAL", "WRONG_MASK"):
        return (*named[:2], *others)
    if named[0] in ("WRONG_CONSTANT", "EXTRA_MEAN", "MISSING_MEAN", "DDOF"):  # in a graph a path too few or too many gives such a factor too
        t = next(t for t in trials if not t.right(name))
        less = np.abs(t.given[name]).sum() < np.abs(t.true(name)).sum()
        return ("WRONG_CONSTANT", named[1], "MISSING_PATH" if less else "DOUBLE_COUNT", *others)
    return None
