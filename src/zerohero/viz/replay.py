"""The backward pass of a scalar engine, node by node, as the student's own code does it.

The step of a node is its method without arguments ``_backward()`` (micrograd) or ``pass_back()`` (lesson m02): it adds to
the grads of the node's inputs. replay() CALLS it, on grads that start at 0, and puts every grad, and data, back as it was.
Where values have no such method, the steps are worked out from the grads that are stored.
"""

import contextlib
import copy
import io
import math
import re
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

REPLAYED = 2_000  # nodes; nobody looks at more steps, and each may take a while
SECONDS = 5.0  # after which the walk ends
STEPS = ("_backward", "pass_back")
LISTED = 4  # names said in one note
ROUNDING = 1e-5  # relative: float32 engines have seven digits


@dataclass(frozen=True)
class Flow:
    """What one step does to the grad of one of the node's inputs."""

    place: int
    """In the list of the node's inputs."""
    local: float | None
    """Derivative of the node towards this input; None: not known."""
    product: float | None
    """upstream times local, what should be added; where local is not known by a formula, what was added."""
    before: Any
    """The input's grad before the step, as it was found."""
    after: Any


@dataclass(frozen=True)
class Turn:
    node: int
    upstream: Any
    flows: tuple[Flow, ...]


@dataclass
class Replay:
    turns: list[Turn] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    """Nodes whose grad was replaced where it should have been added to: proven, not guessed."""
    notes: list[str] = field(default_factory=list)
    """What the steps alone do not say, one sentence each."""


@dataclass(frozen=True)
class Graph:
    """The student's objects, inputs before what is made of them; the last one is the root."""

    values: Sequence[Any]
    inputs: Sequence[Sequence[int]]
    ops: Sequence[str]
    names: Sequence[str]


def replay(graph: Graph) -> Replay:
    """The backward pass from the root: by calling the steps of the values if they have any, else from stored grads.

    What is printed meanwhile is not shown. Every grad is put back (the very object), and so is data that a step has changed,
    also when a step raises: then the replay ends there, and a note says so. Raises nothing of its own.
    """
    count = len(graph.values)
    if count > REPLAYED:
        return Replay(notes=[f"The steps of the backward pass are shown for up to {REPLAYED:,} nodes; this graph has {count:,}."])
    numbers = [number(value.data) for value in graph.values]
    odd = [graph.names[n] for n, one in enumerate(numbers) if one is None]
    if odd:
        return Replay(notes=[f"There are no backward steps to show: data of {listed(odd)} is not a number."])
    if any(_has(value, name) for value in graph.values for name in STEPS):
        return _called(graph, numbers)
    return _stored(graph, numbers)


# ---- by calling the steps ---------------------------------------------------------------------------------------------


def _called(graph, data):
    values, found, ended = graph.values, Replay(), False
    kept = [_Kept(value) for value in values]
    final = None
    try:
        if _started(values):
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ended = _walk(graph, data, found)
            final = [number(value.grad) for value in values]
    finally:
        changed = [name for name, one in zip(graph.names, kept, strict=True) if one.put_back()]
    if final is None:
        return _stored(graph, data)
    if changed:
        found.notes.append(f"A step changed data of {listed(changed)}; it has been put back.")
    if ended and not found.turns:  # such as a step that wants arguments: it is no step of ours
        other = _stored(graph, data)
        return Replay(other.turns, other.replaced, [*found.notes, *other.notes])
    if not ended:
        found.notes += _compared([number(one.grad) for one in kept], final, graph.names)
    return found


def _started(values):
    """Sets all grads to 0, the root's to 1. False when that cannot be done."""
    try:
        for value in values:
            value.grad = 0.0
        values[-1].grad = 1.0
        return True
    except Exception:
        return False


class _Kept:
    """grad and data of a value as they were."""

    def __init__(self, value):
        self.value, self.grad, self.data = value, value.grad, value.data
        self.copy = self.data
        if not isinstance(self.data, (int, float)):
            with contextlib.suppress(Exception):  # what cannot be copied is hoped not to change in place
                self.copy = copy.deepcopy(self.data)

    def put_back(self) -> bool:
        """True when data had changed."""
        was = text(number(self.copy), 17)
        moved = text(number(self.value.data), 17) != was
        bent = text(number(self.data), 17) != was  # in place
        for name, old in (("grad", self.grad), ("data", self.copy if bent else self.data)):
            with contextlib.suppress(Exception):
                if getattr(self.value, name) is not old:
                    setattr(self.value, name, old)
        return moved or bent


def _walk(graph, data, found):
    """Fills ``found``. True when it had to end early."""
    values, expected, idle, strange = graph.values, [0.0] * len(graph.values), {}, {}
    expected[-1] = 1.0
    started = time.perf_counter()
    for node in reversed(range(len(values))):
        if not graph.inputs[node]:
            continue
        if time.perf_counter() - started > SECONDS:
            found.notes.append(f"The steps end before {graph.names[node]}: they took more than {SECONDS:g} seconds.")
            return True
        strange.update({n: None for n in (node, *graph.inputs[node]) if not same(number(values[n].grad), expected[n])})
        name, step = _step(values[node])
        if step is None:
            idle.setdefault(name, []).append(node)
        try:
            turn = _turn(graph, data, node, step, found)
        except Exception as error:
            found.notes.append(
                f"`{name}` of {graph.names[node]} raised {type(error).__name__}{': ' if str(error) else ''}{str(error)[:80]}. The steps end there."
            )
            return True
        found.turns.append(turn)
        for source in set(graph.inputs[node]):
            expected[source] = number(values[source].grad)
    for name, nodes in idle.items():
        what = {type(_attribute(values[node], name)).__name__ for node in nodes}
        where = listed([graph.names[node] for node in nodes])
        missing = f"is {'None' if what == {'NoneType'} else 'of type ' + ' or '.join(sorted(what))}, not a function"
        if not all(_has(values[node], name) for node in nodes):
            missing = "is missing"
        found.notes.append(f"`{name}` of {where} {missing}: nothing is passed back from there.")
    strange.update({n: None for n, value in enumerate(values) if not same(number(value.grad), expected[n])})
    if strange:
        found.notes.append(f"The grad of {listed([graph.names[n] for n in strange])} changed at the turn of a value that is not made of it.")
    return False


def _attribute(value, name):
    try:
        return getattr(value, name, None)
    except Exception:  # a property of a student's class may raise anything
        return None


def _has(value, name):
    try:
        return hasattr(value, name)
    except Exception:
        return True


def _step(value):
    """(name of the step, the bound step or None)."""
    for name in STEPS:
        step = _attribute(value, name)
        if callable(step):
            return name, step
    return next((name for name in STEPS if _has(value, name)), STEPS[0]), None


def _turn(graph, data, node, step, found):
    """Calls the step of one node and tells what it did."""
    values, places = graph.values, {}
    for place, source in enumerate(graph.inputs[node]):
        places.setdefault(source, []).append(place)
    upstream = snapshot(values[node].grad)
    before = {source: snapshot(values[source].grad) for source in places}
    if step is not None:
        step()
    after = {source: snapshot(values[source].grad) for source in places}
    locals_, stored = _locals(graph, data, node)
    flows = []
    for source, at in places.items():
        known = [locals_[place] for place in at]
        if step is None:  # nothing was added, and a note says so
            flows += [
                Flow(place, local, None if local is None else number(upstream) * local, before[source], after[source])
                for place, local in zip(at, known, strict=True)
            ]
            continue
        told = _Told(f"{graph.ops[node]} ({graph.names[node]})", graph.names[source], "the local derivative in `_local`" if stored else "local derivative",
                     number(upstream), number(before[source]), number(after[source]))  # fmt: skip
        flows += told.flows(at, known, before[source], after[source], lambda source=source: _assigns(values, node, step, source, upstream, before, after))
        if told.replaced and source not in found.replaced:
            found.replaced.append(source)
        if told.note:
            found.notes.append(told.note)
    return Turn(node, upstream, tuple(sorted(flows, key=lambda flow: flow.place)))


def _assigns(values, node, step, source, upstream, before, after):
    """Whether the grad that the step leaves at ``source`` does not depend on the one it found: the step is called again with another one."""
    shift = 1.0 + abs(number(before[source])) + abs(number(after[source]))
    if not math.isfinite(shift):
        return False
    own = values[node].grad
    try:
        for other, grad in before.items():
            values[other].grad = grad
        values[node].grad = upstream
        values[source].grad = number(before[source]) + shift
        step()
        return same(number(values[source].grad), number(after[source]))
    except Exception:
        return False
    finally:
        for other, grad in after.items():
            values[other].grad = grad
        values[node].grad = own


@dataclass
class _Told:
    """One step and one value among its inputs: what was added, compared with what should have been."""

    step: str
    """ "* (c)" """
    source: str
    local_name: str
    upstream: float | None
    before: float | None
    after: float | None
    replaced: bool = False
    note: str = ""

    def flows(self, places: list[int], locals_: list[float | None], before: Any, after: Any, assigned: Callable[[], bool]) -> list[Flow]:
        """One for each place in which the value stands. assigned: see _assigns; asked only when in doubt."""
        if self.upstream is None or self.before is None or self.after is None:
            return [Flow(place, local, None, before, after) for place, local in zip(places, locals_, strict=True)]
        if None in locals_:
            return self._observed(places, before, after, assigned)
        products = [self.upstream * local for local in locals_]
        total = math.fsum(products) if all(map(math.isfinite, products)) else sum(products)
        # 1 - tanh^2 has the rounding of 1, however small it is
        room = ROUNDING * (sum(map(abs, products)) + 1e-6 * abs(self.upstream)) + 1e-2 * ROUNDING * (abs(self.before) + abs(self.after))
        if not math.isfinite(self.before + total) or abs(self.after - self.before - total) <= room:
            return self._added(places, locals_, products, before, after)
        if (self.before != 0 or len(places) > 1) and assigned():
            self.replaced = True
            self.note = f"The grad of {self.source} was {text(products[0] if self.before == 0 else self.before)}, now {text(self.after)}, not {text(self.before + total)}: at {self.step} it was replaced where it should have been added to."  # fmt: skip
            return self._overwritten(places, locals_, products, before, after)
        made = f"upstream {text(self.upstream)} times {self.local_name} {text(locals_[0])} makes {text(total)}" if len(places) == 1 else f"upstream times {self.local_name} makes {text(total)} in all"  # fmt: skip
        self.note = f"At {self.step} {made}, but the grad of {self.source} went from {text(self.before)} to {text(self.after)}."
        return [Flow(place, local, product, before, after) for place, local, product in zip(places, locals_, products, strict=True)]

    def _added(self, places, locals_, products, before, after):
        """Each place adds its product to what the one before has left."""
        flows, now = [], before
        for place, local, product in zip(places, locals_, products, strict=True):
            left = after if place == places[-1] else number(now) + product
            flows.append(Flow(place, local, product, now, left))
            now = left
        return flows

    def _overwritten(self, places, locals_, products, before, after):
        flows, now = [], before
        for place, local, product in zip(places, locals_, products, strict=True):
            left = after if place == places[-1] else product
            flows.append(Flow(place, local, product, now, left))
            now = left
        return flows

    def _observed(self, places, before, after, assigned):
        """No formula: the local derivative is what was added, by what came in."""
        if len(places) > 1:  # their shares cannot be told apart
            return [Flow(place, None, None, before, after) for place in places]
        self.replaced = self.before != 0 and self.after != self.before and assigned()
        added = self.after if self.replaced else self.after - self.before
        if self.replaced:
            self.note = (
                f"The grad of {self.source} was {text(self.before)}, now {text(self.after)}: at {self.step} it was replaced where it should have been added to."
            )
        usable = self.upstream != 0 and math.isfinite(self.upstream) and math.isfinite(added)
        return [Flow(places[0], added / self.upstream if usable else None, added, before, after)]


def _compared(stored, final, names):
    """A note when backward() has left other grads than the steps end with; none when it has not run from this root."""
    if not any(grad for grad in stored) or stored[-1] != 1:
        return []
    other = [n for n, grad in enumerate(stored) if not same(grad, final[n])]
    if not other:
        return []
    some = ", ".join(f"{names[n]} has {text(stored[n])}, not {text(final[n])}" for n in other[:LISTED])
    more = f", and {len(other) - LISTED:,} more" if len(other) > LISTED else ""
    return [f"Stored grads are not those that these steps end with, which start from 0: {some}{more}. Grads that were not 0 before, another order, or data that changed since would do that."]  # fmt: skip


# ---- from stored grads ------------------------------------------------------------------------------------------------


def _stored(graph, data):
    """Steps by formula; the grad stored in a node is its upstream gradient."""
    grads = [number(value.grad) for value in graph.values]
    if None in grads or not any(grads):
        return Replay()
    found, sums = Replay(), [0.0] * len(data)
    for node in reversed(range(len(data))):
        if not graph.inputs[node]:
            continue
        locals_, _ = _locals(graph, data, node)
        if None in locals_:
            return Replay(notes=[f"There are no backward steps to show: the values have no `_backward`, and no local derivative is known for {graph.ops[node]} ({graph.names[node]})."])  # fmt: skip
        flows = []
        for place, (source, local) in enumerate(zip(graph.inputs[node], locals_, strict=True)):
            product = grads[node] * local
            flows.append(Flow(place, local, product, sums[source], sums[source] + product))
            sums[source] += product
        found.turns.append(Turn(node, grads[node], tuple(flows)))
    other = [n for n in range(len(data) - 1) if not same(grads[n], sums[n])]
    if other:
        some = "; ".join(f"the grad of {graph.names[n]} is {text(grads[n])}, the products that reach it make {text(sums[n])}" for n in other[:LISTED])
        found.notes.append(some[0].upper() + some[1:] + (f"; and so on at {len(other) - LISTED:,} more." if len(other) > LISTED else "."))
    return found


# ---- local derivatives ------------------------------------------------------------------------------------------------


def _locals(graph, data, node):
    """(one for each place, None where not known; whether they are what the engine stored in `_local`)."""
    known = local_derivatives(graph.ops[node], data[node], [data[source] for source in graph.inputs[node]], _ordered(graph.values[node]))
    if None not in known:
        return known, False
    local = _attribute(graph.values[node], "_local")
    if _ordered(graph.values[node]) and isinstance(local, (tuple, list)) and len(local) == len(known):
        stored = [number(one) for one in local]
        if None not in stored:
            return stored, True
    return [None] * len(known), False


def _ordered(value):
    return isinstance(value._prev, (tuple, list))


def _sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


ONE_INPUT: dict[str, tuple[Callable[[float], float], Callable[[float, float], float | None]]] = {  # name: (y of x, dy/dx of x and y)
    "neg": (lambda x: -x, lambda x, y: -1.0),
    "exp": (math.exp, lambda x, y: y),
    "log": (math.log, lambda x, y: 1 / x),
    "sqrt": (math.sqrt, lambda x, y: 0.5 / y),
    "sin": (math.sin, lambda x, y: math.cos(x)),
    "cos": (math.cos, lambda x, y: -math.sin(x)),
    "tanh": (math.tanh, lambda x, y: 1 - y * y),
    "sigmoid": (_sigmoid, lambda x, y: y * (1 - y)),
    "relu": (lambda x: max(x, 0.0), lambda x, y: None if x == 0 else float(x > 0)),  # at 0 any slope from 0 to 1 will do
    "abs": (abs, lambda x, y: None if x == 0 else math.copysign(1.0, x)),
}
SAME_NAME = {"add": "+", "sum": "+", "sub": "-", "mul": "*", "truediv": "/", "div": "/", "pow": "**", "^": "**", "ln": "log"}
POWER = re.compile(r"(?:\*\*|\^|pow)\s*\(?\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*\)?", re.ASCII)


def local_derivatives(op: str, out: float, inputs: Sequence[float], ordered: bool = True) -> list[float | None]:
    """d out / d input for each place, by the formula of the operation; None for each when it is not known.

    Only where the formula makes ``out`` of ``inputs``: a name alone proves nothing, and data may have changed since. With one
    input, ``+`` and ``*`` are taken with a constant, unless the value may have been used twice. ordered: False for sets.
    """
    name = op.strip().strip("_").lower()
    name = SAME_NAME.get(name, name)
    unknown: list[float | None] = [None] * len(inputs)
    try:
        return _by_formula(name, float(out), [float(one) for one in inputs], ordered) or unknown
    except (ArithmeticError, ValueError, TypeError):
        return unknown


def _by_formula(name, out, inputs, ordered):
    power = POWER.fullmatch(name)
    if len(inputs) == 1:
        x = inputs[0]
        if name in ONE_INPUT:
            forward, slope = ONE_INPUT[name]
            return [slope(x, out)] if same(forward(x), out) else None
        if power:
            exponent = float(power[1])
            return [exponent * x ** (exponent - 1)] if same(x**exponent, out) else None
        if name == "+" and math.isfinite(out) and math.isfinite(x) and not same(out, 2 * x):
            return [1.0]
        return [out / x] if name == "*" and x != 0 and not same(out, x * x) else None
    if name == "+":
        return [1.0] * len(inputs) if same(sum(inputs), out, sum(map(abs, inputs))) else None
    if name == "*":
        return [math.prod(inputs[:k] + inputs[k + 1 :]) for k in range(len(inputs))] if same(math.prod(inputs), out) else None
    if len(inputs) != 2 or name not in TWO_INPUTS:
        return None
    (x, y), (forward, slopes) = inputs, TWO_INPUTS[name]
    scale = abs(x) + abs(y) if name == "-" else 0.0
    fits = same(forward(x, y), out, scale)
    if ordered:
        return slopes(x, y) if fits else None
    turned = same(forward(y, x), out, scale)
    if fits == turned:
        return None
    return slopes(x, y) if fits else slopes(y, x)[::-1]


TWO_INPUTS: dict[str, tuple[Callable[[float, float], float], Callable[[float, float], list[float]]]] = {
    "-": (lambda x, y: x - y, lambda x, y: [1.0, -1.0]),
    "/": (lambda x, y: x / y, lambda x, y: [1 / y, -x / (y * y)]),
    "**": (lambda x, y: x**y, lambda x, y: [y * x ** (y - 1), x**y * math.log(x)]),
}


# ---- numbers ----------------------------------------------------------------------------------------------------------


def number(value: Any) -> float | None:
    """As a float; None for what is no number. A student's class may raise anything."""
    try:
        return float(value)
    except Exception:
        return None


def snapshot(grad: Any) -> Any:
    """A grad as it is now: an array or tensor may be changed in place later."""
    plain = number(grad)
    return grad if plain is None else plain


def same(a: float | None, b: float | None, scale: float = 0.0) -> bool:
    """Equal up to rounding, relative to the larger one and to ``scale``; NaN equals NaN."""
    if a is None or b is None:
        return a is b
    if a == b or (math.isnan(a) and math.isnan(b)):
        return True
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= ROUNDING * max(abs(a), abs(b), scale)


def text(value: float | None, digits: int = 5) -> str:
    return "?" if value is None else f"{value:.{digits}g}"


def listed(names: Sequence[str]) -> str:
    return ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED:,} more" if len(names) > LISTED else "")
