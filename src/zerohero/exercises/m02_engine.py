"""m02, first half: an autograd engine of any style, seen through ``Value(number)``, ``.data``, ``.grad``, operators and ``.backward()``.

Objects of the student's are told apart by ``id`` only: they may be unhashable, and comparing them may mean anything.
A gradient can often be read in several ways (``_local`` of the result, its ``_backward``, a whole ``backward()``); the
probe reads all of them and the judge is content when one is right, because each exercise is judged by itself.
"""

import cmath
import math
import operator
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..exercise import Case, Exercise
from ..gradcheck import difference
from ..gradcheck.naming import name_numbers
from ..mistakes import MISTAKES
from ..plaindata import to_plain
from ..report import Finding
from .m02_stand_ins import STEP, UNARY, Node, Number, globals_of, number_class, patched

RTOL, ATOL = 1e-9, 1e-12  # the slopes below are exact; an engine in float32 is off by 3e-8
DEEP = 100_000
TRIAL = 20_000
"""A chain of this length is tried first; an order found in quadratic time would keep the student waiting for minutes."""
TRIAL_SECONDS = 0.4
"""CPU time. A linear walk takes about 0.02 s, one that looks through a list for each node more than 1 s."""


def refuse_ours(cls: Any) -> None:
    """Raise TypeError when the class handed in, or a method of it, is not the student's own work but comes out of this package."""
    bases = getattr(cls, "__mro__", ())
    parts = [*bases, *(part for base in bases for part in vars(base).values())]
    if any(str(getattr(part, "__module__", "")).startswith("zerohero.exercises.") for part in parts):
        raise TypeError("this class comes out of zerohero; write your own")


# ---------------------------------------------------------------- one operation

# how the student's Values are combined; k is a plain number
ON_VALUES: dict[str, Callable[..., Any]] = {
    "a + b": lambda a, b, k: a + b,
    "a + k": lambda a, b, k: a + k,
    "k + a": lambda a, b, k: k + a,
    "a * b": lambda a, b, k: a * b,
    "a * k": lambda a, b, k: a * k,
    "k * a": lambda a, b, k: k * a,
    "a - b": lambda a, b, k: a - b,
    "a - k": lambda a, b, k: a - k,
    "k - a": lambda a, b, k: k - a,
    "-a": lambda a, b, k: -a,
    "a / b": lambda a, b, k: a / b,
    "a / k": lambda a, b, k: a / k,
    "k / a": lambda a, b, k: k / a,
    "a ** k": lambda a, b, k: a**k,
    "a.exp()": lambda a, b, k: a.exp(),
    "a.tanh()": lambda a, b, k: a.tanh(),
    "a.relu()": lambda a, b, k: a.relu(),
}
# the same on plain numbers, complex ones too, where the text alone does not do
ON_NUMBERS = {**ON_VALUES, **{f"a.{name}()": lambda a, b, k, make=UNARY[name]: make(a) for name in ("exp", "tanh", "relu")}}
METHODS = {"a ** k": "__pow__", "a.exp()": "exp", "a.tanh()": "tanh", "a.relu()": "relu", "a * b": "__mul__", "a + b": "__add__", "-a": "__neg__", "a - b": "__sub__",
           "a / b": "__truediv__", "a + k": "__add__", "a * k": "__mul__", "a - k": "__sub__", "a / k": "__truediv__", "k + a": "__radd__", "k * a": "__rmul__",
           "k - a": "__rsub__", "k / a": "__rtruediv__"}  # fmt: skip


def operation_case(group: str, text: str, a: float, b: float | None = None, k: float | None = None, upstream: float = 1.7) -> Case:
    """One use of an operation. ``upstream`` is the gradient that arrives at its result; it is never one."""
    given = {"a": a} | ({} if b is None else {"b": b}) | ({} if k is None else {"k": k})
    return Case(group, {"result": text, **given, "upstream": upstream})


def probe_operation(cls: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the operation gives, and the gradient of each Value that went in, read in every way the engine allows.

    {"kind": "Value" or the name of another type, "data": ..., "unchanged": bool, "gradients": {way: [a, b]}, "problem": text}
    """
    refuse_ours(cls)
    text, k, upstream = inputs["result"], inputs.get("k"), inputs["upstream"]
    if not hasattr(cls, METHODS[text]):
        raise NotImplementedError  # not written: the class has no such method yet

    def build():
        values = [cls(inputs[name]) for name in ("a", "b") if name in inputs]
        untouched[:] = [_state(v) for v in values]
        return values, ON_VALUES[text](values[0], values[-1], k)

    untouched: list[Any] = []
    values, out = build()
    if not isinstance(out, cls):
        return {"kind": type(out).__name__, "data": None, "unchanged": True, "gradients": {}, "problem": ""}
    unchanged = all(_state(v) == before for v, before in zip(values, untouched, strict=True))
    ways = {
        "_local": lambda: [upstream * _slope_along_locals(out, v) for v in values],
        "backward": lambda: _by_multiplying(build, cls, upstream),
        "_backward": lambda: _by_own_step(*build(), upstream),
        # three uses of the result: an upstream gradient of 3 that needs no multiplication
        "sum": lambda: [g * upstream / 3 for g in _by_backward(build, lambda out: out + out + out)],
    }
    gradients, problem = {}, ""
    for way, read in ways.items():
        try:
            gradients[way] = [float(g) for g in read()]
        except Exception as error:  # this way is not open, or the part it needs is not written or wrong
            problem = problem or ("" if isinstance(error, (_NotOpen, NotImplementedError)) else f"{type(error).__name__}: {error}"[:200])
    if not gradients and getattr(out, "_backward", "no such attribute") is None:
        problem = CALLED_NOT_STORED
    return {"kind": "Value", "data": out.data, "unchanged": unchanged, "gradients": gradients, "problem": problem}


CALLED_NOT_STORED = "_backward is None"


class _NotOpen(Exception):
    """The engine does not show its gradients in this way."""


def _state(value):
    """Data and gradient of a Value as plain numbers, so that a later change shows."""
    return to_plain(value.data), to_plain(getattr(value, "grad", None))


def _slope_along_locals(node, target, depth=0):
    """Sum over all paths from node to target of the product of the local slopes: small expressions only."""
    if node is target:
        return 1.0
    prev, local = getattr(node, "_prev", None), getattr(node, "_local", None)
    if not isinstance(prev, (list, tuple)) or not isinstance(local, (list, tuple)) or len(prev) != len(local) or (depth == 0 and not prev) or depth > 12:
        raise _NotOpen
    return sum((slope * _slope_along_locals(one, target, depth + 1) for one, slope in zip(prev, local, strict=True) if hasattr(one, "data")), 0.0)


def _by_backward(build, use):
    values, out = build()
    if not hasattr(out, "backward"):
        raise _NotOpen
    use(out).backward()
    return [v.grad for v in values]


def _by_multiplying(build, cls, upstream):
    """The upstream gradient comes by a multiplication, once in one step and once in two.

    The multiplication is the student's own. If it is wrong, its mistake could undo that of the operation, the same one
    perhaps (a sign twice); it cannot do so for one and for two of it. Then nothing can be read in this way.
    """
    once = _by_backward(build, lambda out: out * cls(upstream))
    twice = _by_backward(build, lambda out: out * cls(0.8) * cls(upstream / 0.8))
    if not np.allclose(once, twice, rtol=RTOL, atol=ATOL, equal_nan=True):
        raise _NotOpen
    return once


def _by_own_step(values, out, upstream):
    step = getattr(out, "_backward", None)
    if not callable(step):
        raise _NotOpen
    out.grad = upstream
    for v in values:
        v.grad = 0.0
    step()
    return [v.grad for v in values]


def operation_text(inputs: Mapping[str, Any]) -> str:
    given = ", ".join(f"{name} = {inputs[name]!r}" for name in ("a", "b", "k") if name in inputs)
    return f"{inputs['result']}, {given}"


def operation_truth(inputs: Mapping[str, Any]) -> tuple[float, list[float]]:
    """(value, [gradient of a, of b]), the gradients times the upstream one: one tiny imaginary step at each."""
    start = [complex(inputs[name]) for name in ("a", "b") if name in inputs]

    def forward(values):
        return complex(ON_NUMBERS[inputs["result"]](values[0], values[-1], inputs.get("k")))

    nudged = [[x + STEP * 1j if place == at else x for place, x in enumerate(start)] for at in range(len(start))]
    return forward(start).real, [inputs["upstream"] * forward(values).imag / STEP for values in nudged]


def judge_operation(case: Case, seen: Mapping[str, Any]) -> list[Finding]:
    """In a group named "values" only the number is judged, in "derivatives" only the gradients; elsewhere both."""
    where = operation_text(case.inputs)
    if seen["kind"] != "Value":
        return [
            Finding(
                "the result is not a Value",
                where=where,
                expected="a new Value",
                actual=f"a {seen['kind']}",
                next="return a Value that remembers what it was made of",
            )
        ]
    if seen["unchanged"] is not True:
        return [Finding("an operand was changed", where=where, mistake="MUTATES", next="make a new Value for the result; leave self and other as they are")]
    data, gradients = operation_truth(case.inputs)
    found = difference("data", data, seen["data"], where=where, rtol=RTOL, atol=ATOL) if case.group != "derivatives" else None
    if not found and case.group != "values":
        found = _judge_gradients(case, gradients, seen, where)
    return [found] if found else []


def _judge_gradients(case, true, seen, where):
    readings = seen["gradients"]
    if not readings:
        if seen["problem"] == CALLED_NOT_STORED:
            return Finding("`_backward` of the result is None", where=where, expected="a function to be called later", actual="None", mistake="MISSING_PATH",
                           because="the function was called while the result was made, not stored, so nothing is left to call later",
                           next="assign the function itself, without ()")  # fmt: skip
        return Finding(
            "the check cannot see the derivative yet", where=where, expected="`_local` beside `_prev`, or `_backward`, or a working backward()",
            actual=str(seen["problem"]), next="keep the local derivatives in `_local`, or write backward() first and run this check again",
        )  # fmt: skip
    first = None
    for reading in readings.values():
        found = _one_reading(case, true, reading, f"{where}, upstream gradient {case.inputs['upstream']:g}")
        if not found:
            return None
        first = first or found
    return first


def _one_reading(case, true, reading, where):
    if case.group == "at zero" and len(reading) == 1 and 0 <= reading[0] / case.inputs["upstream"] <= 1:
        return None  # a corner has no slope: anything from the left one to the right one will do
    names = [name for name in ("a", "b") if name in case.inputs]
    if len(reading) != len(names):
        return Finding("the gradients are not one per operand", where=where)
    for name, expected, actual in zip(names, true, reading, strict=True):
        found = difference(f"{name}.grad", expected, actual, where=where, rtol=RTOL, atol=ATOL)
        if found:
            return found
    return None


def name_operation(cases: Sequence[Case], outputs: Sequence[Any]) -> tuple[str, str] | None:
    """Proves a mistake from all that one operation gave: the first operation of which something is wrong."""
    bad = [case for case, output in zip(cases, outputs, strict=True) if output["status"] != "ok" or judge_operation(case, output["value"])]
    if all(case.group == "large values" for case in bad):
        overflow = [_overflows(output) for case, output in zip(cases, outputs, strict=True) if any(case is one for one in bad)]
        return ("UNSTABLE", MISTAKES["UNSTABLE"][0]) if all(overflow) else None
    groups = list(dict.fromkeys(case.group for case in cases))
    text = min(bad, key=lambda case: groups.index(case.group)).inputs["result"]  # what the first finding is about
    of_text = [(case, output) for case, output in zip(cases, outputs, strict=True) if case.inputs["result"] == text]
    if any(output["status"] != "ok" for _, output in of_text):
        return None
    rows = [(case, output["value"], operation_truth(case.inputs)) for case, output in of_text]
    data = [(true, seen["data"]) for _, seen, (true, _) in rows]
    if any(difference("data", true, given, rtol=RTOL, atol=ATOL) for true, given in data):
        return name_numbers(data)
    if not all(seen["gradients"] for _, seen, _ in rows):
        return None
    readings = [(true, next(iter(seen["gradients"].values())), case.inputs["upstream"]) for case, seen, (_, true) in rows if case.group != "at zero"]
    if _all_close([(given, true) for true, given, _ in readings]):
        return None
    if _all_close([(given, [t / upstream for t in true]) for true, given, upstream in readings]):
        return "NO_UPSTREAM", MISTAKES["NO_UPSTREAM"][0]
    if _all_close([(np.abs(given), np.abs(true)) for true, given, _ in readings]):
        return "SIGN_FLIP", "the sizes are right, a sign is not"
    if _all_close([(given, [upstream] * len(true)) for true, given, upstream in readings]):
        return "DROPPED_LOCAL", MISTAKES["DROPPED_LOCAL"][0]
    return name_numbers([(true, given) for true, given, _ in readings])


def _overflows(output):
    """Whether the mistake is one of size: Python's overflow, or a number that is none."""
    if output["status"] != "ok":
        return output["status"] == "raised" and output["type"] in ("OverflowError", "ZeroDivisionError", "FloatingPointError")
    numbers = [output["value"]["data"], *(one for given in output["value"]["gradients"].values() for one in given)]
    return not all(math.isfinite(one) for one in numbers) or "OverflowError" in output["value"]["problem"]


def _all_close(pairs):
    flat = [(g, t) for given, true in pairs for g, t in zip(given, true, strict=True)]
    return len(flat) > 1 and all(abs(g - t) <= 1e-6 * abs(t) + 1e-9 for g, t in flat)


def _operation_exercise(id, title, cases, hints):
    return Exercise(id, title, "class Value", cases, probe_operation, judge_operation, hints, name_operation)


# ---------------------------------------------------------------- add, mul


def _two_operands(sign):
    def cases(rng):
        draw = [round(x, 3) for x in rng.uniform(0.3, 3.0, 6).tolist()]
        return [
            operation_case("values", f"a {sign} b", 2.0, b=-3.0),
            operation_case("values", f"a {sign} b", -0.75, b=draw[0]),
            operation_case("values", f"a {sign} b", 7, b=-11),
            operation_case("derivatives", f"a {sign} b", 2.0, b=-3.0, upstream=1.5),
            operation_case("derivatives", f"a {sign} b", draw[1], b=draw[2], upstream=-2.3),
            operation_case("derivatives", f"a {sign} b", -draw[3], b=5.0, upstream=0.4),
            operation_case("a plain number", f"a {sign} k", 1.25, k=4, upstream=-0.7),
            operation_case("a plain number", f"a {sign} k", -draw[4], k=2.5, upstream=3.1),
        ]

    return cases


value_add = _operation_exercise(
    "m02-value-add", "Addition that remembers", _two_operands("+"),
    (
        "The sum is one new number. What must be kept so that somebody who holds only the result can find the way back?",
        "The result keeps its two inputs in `_prev` and, for each of them in the same order, the slope of the result towards it in `_local`.",
        "If a grows by 0.001, by how much does a + b grow? And if b does? These two slopes are the same two numbers for every a and b.",
    ),
)  # fmt: skip

value_mul = _operation_exercise(
    "m02-value-mul", "Multiplication that remembers", _two_operands("*"),
    (
        "It is the addition again, with another number and other slopes. The slopes are no longer constants.",
        "Hold b still and nudge a: how fast does a * b move? It is in m01-local-derivatives.",
        "Each operand's slope is read off the other operand. Mind the order: the first entry of `_local` belongs to the first entry of `_prev`.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- the other operations


def _ops_cases(rng):
    draw = [round(x, 3) for x in rng.uniform(0.4, 2.5, 8).tolist()]
    return [
        operation_case("powers", "a ** k", 3.0, k=2, upstream=0.7),
        operation_case("powers", "a ** k", -1.5, k=3, upstream=-1.3),
        operation_case("powers", "a ** k", draw[0], k=-2, upstream=2.1),
        operation_case("powers", "a ** k", draw[1], k=0.5, upstream=1.9),
        operation_case("powers", "a ** k", 0.0, k=2, upstream=1.4),
        operation_case("exp", "a.exp()", 0.7, upstream=-0.6),
        operation_case("exp", "a.exp()", -draw[2], upstream=2.9),
        operation_case("exp", "a.exp()", 1.9, upstream=1.3),
        operation_case("division", "a / b", 3.0, b=-2.0, upstream=1.7),
        operation_case("division", "a / b", -draw[3], b=draw[4], upstream=-0.9),
        operation_case("division", "a / k", 5.0, k=4, upstream=0.3),
        operation_case("subtraction and negation", "a - b", 1.5, b=4.0, upstream=2.2),
        operation_case("subtraction and negation", "a - b", -draw[5], b=-0.6, upstream=-1.1),
        operation_case("subtraction and negation", "a - k", 2.5, k=3, upstream=0.8),
        operation_case("subtraction and negation", "-a", draw[6], upstream=1.6),
        operation_case("a number on the left", "k + a", 2.5, k=3, upstream=1.2),
        operation_case("a number on the left", "k * a", -1.75, k=4, upstream=-0.4),
        operation_case("a number on the left", "k - a", 0.5, k=2, upstream=2.6),
        operation_case("a number on the left", "k / a", -draw[7], k=2, upstream=1.1),
        operation_case("a number on the left", "k / a", 1.6, k=3, upstream=-2.4),
    ]


value_ops = _operation_exercise(
    "m02-value-ops", "The other operators", _ops_cases,
    (
        "Only two of them need a slope of their own: the power with a fixed exponent, and exp. The others can be said with what is there already.",
        "a - b is a plus (minus b); a / b is a times (b to the power -1). For `2 - v` Python calls v.__rsub__(2): there self stands on the right.",
        "The slope of x**n holds the exponent as a factor and an exponent smaller by one; the slope of exp is a number you have just computed. 2 - v is the same as (-v) + 2.",
    ),
)  # fmt: skip


def _tanh_cases(rng):
    draw = [round(x, 3) for x in rng.uniform(0.2, 1.6, 3).tolist()]
    return [
        operation_case("values", "a.tanh()", 0.8813735870195432),
        operation_case("values", "a.tanh()", -draw[0]),
        operation_case("values", "a.tanh()", 0.0),
        operation_case("derivatives", "a.tanh()", 0.8813735870195432, upstream=-1.3),
        operation_case("derivatives", "a.tanh()", -draw[1], upstream=2.7),
        operation_case("derivatives", "a.tanh()", draw[2], upstream=0.6),
        operation_case("large values", "a.tanh()", 1000.0, upstream=2.3),
        operation_case("large values", "a.tanh()", -1000.0, upstream=-1.9),
        operation_case("large values", "a.tanh()", 25.0, upstream=1.4),
    ]


value_tanh = _operation_exercise(
    "m02-value-tanh", "tanh as one operation", _tanh_cases,
    (
        "tanh is steep in the middle and flat at both ends. Its slope can be said with its own value alone.",
        "You derived it in m01-local-derivatives. It is a function of the output: 1 at output 0, and 0 at outputs 1 and -1.",
        "Take math.tanh once and keep its result: both the data and the slope come out of that number. A formula with exp(2x) overflows at x = 1000.",
    ),
)  # fmt: skip


def _relu_cases(rng):
    draw = [round(x, 3) for x in rng.uniform(0.2, 3.0, 4).tolist()]
    return [
        operation_case("values", "a.relu()", draw[0]),
        operation_case("values", "a.relu()", -draw[1]),
        operation_case("values", "a.relu()", 0.0),
        operation_case("derivatives", "a.relu()", draw[2], upstream=-1.3),
        operation_case("derivatives", "a.relu()", 0.04, upstream=1.9),
        operation_case("derivatives", "a.relu()", -draw[3], upstream=2.7),
        operation_case("derivatives", "a.relu()", 40.0, upstream=-0.6),
        operation_case("derivatives", "a.relu()", -0.3, upstream=-1.8),
        operation_case("at zero", "a.relu()", 0.0, upstream=2.3),
    ]


value_relu = _operation_exercise(
    "m02-value-relu", "relu as one operation", _relu_cases,
    (
        "relu lets a positive number through as it is and turns a negative one into 0. What does a nudge of the input do in each of the two?",
        "The slope is one number for positive inputs and another for negative ones; the upstream gradient has no say in which.",
        "Ask once whether self.data is above 0. The answer decides both numbers: the data of the result, and its slope.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- an order of the graph


def _graph_case(group, inputs_of):
    return Case(group, {"inputs of each node": inputs_of, "root": len(inputs_of) - 1})


def _topo_cases(rng):
    return [
        _graph_case("chains and trees", [[]]),
        _graph_case("chains and trees", [[], [0], [1], [2]]),
        _graph_case("chains and trees", [[], [], [0, 1], [], [2, 3]]),
        _graph_case("chains and trees", [[], [], [], [1, 2], [0, 3]]),
        _graph_case("a node used twice", [[], [0, 0]]),
        _graph_case("a node used twice", [[], [], [0, 1], [2, 2], [3, 2]]),
        _graph_case("diamonds", [[], [], [0, 1], [0, 2]]),
        _graph_case("diamonds", [[], [], [0, 1], [0, 1], [2, 3]]),
        _graph_case("diamonds", [[], [0], [1], [2], [0, 3], [4, 1]]),
        _graph_case("diamonds", [[], [0], [1, 0], [2, 1], [0, 3], [4, 2, 0]]),
        _graph_case("diamonds", random_graph(rng, 17)),
        Case("deep graph", {"length of the chain": DEEP}),
    ]


def random_graph(rng: np.random.RandomState, size: int) -> list[list[int]]:
    """Inputs of each of ``size`` nodes: one or two earlier ones, near ones more often; the last uses what nobody else does."""
    graph: list[list[int]] = [[], []]
    for number in range(2, size - 1):
        graph.append([int(number - 1 - min(number - 1, rng.geometric(0.35) - 1)) for _ in range(1 + int(rng.rand() < 0.7))])
    used = {one for inputs in graph for one in inputs}
    return [*graph, [number for number in range(size - 1) if number not in used]]


def _probe_topo(topo_sort, inputs):
    if "inputs of each node" in inputs:
        return _probe_small_graph(topo_sort, inputs["inputs of each node"], inputs["root"])
    length, own = inputs["length of the chain"], globals_of(topo_sort).get("Value")
    start = time.process_time()
    order = _chain_order(topo_sort, _Link, min(length, TRIAL))
    if time.process_time() - start > TRIAL_SECONDS:
        return {"slow": True}
    if len(order) < min(length, TRIAL) and isinstance(own, type):  # a walk that takes no other nodes than Values
        return {"order": _chain_order(topo_sort, lambda prev: _own_value(own, prev), length)}
    return {"order": _chain_order(topo_sort, _Link, length)}


class _Link:
    """A Node of a long chain: all but its inputs is the same for all, and kept once."""

    data, grad, _local, _op = 0.0, 0.0, (), ""

    def __init__(self, prev):
        self._prev = prev


def _chain_order(topo_sort, make, length):
    """Node 2n + 2 is made of node 2n and a new one, 2n + 1: so the order fills up on the way down and on the way up."""
    nodes = [make(())]
    while len(nodes) < length:
        before = nodes[-1]
        nodes.append(make(()))
        nodes.append(make((before, nodes[-1])))
    place = {id(node): number for number, node in enumerate(nodes)}
    return np.array([place.get(id(one), -1) for one in islice(topo_sort(nodes[-1]), 2 * length)], dtype=np.int64)


def _probe_small_graph(topo_sort, graph, root):
    """The places of the nodes in the order that came back: of stand-ins, and of the student's own Values given the same inputs."""
    orders, raised = {}, None
    for kind, make in (("nodes", _stand_ins), ("values", lambda graph: _own_values(globals_of(topo_sort)["Value"], graph))):
        try:
            orders[kind] = _order_of(topo_sort, make, graph, root)
        except Exception as error:  # no class Value, or one that keeps its inputs elsewhere, or nodes that cannot be written on
            raised = raised or error
    if not orders:
        raise raised
    return {"orders": orders}


def _stand_ins(graph):
    nodes = []
    for inputs in graph:
        nodes.append(Node(0.0, tuple(nodes[one] for one in inputs), (1.0,) * len(inputs)))
    return nodes


def _own_values(cls, graph):
    values = []
    for inputs in graph:
        values.append(_own_value(cls, tuple(values[one] for one in inputs)))
    return values


def _own_value(cls, prev):
    value = cls(0.0)
    value._prev = prev
    return value


def _order_of(topo_sort, make, graph, root):
    earlier, nodes = make([[], [0]]), make(graph)
    place = {id(node): number for number, node in enumerate(nodes)} | {id(node): -1 for node in earlier}
    inputs = [[id(one) for one in node._prev] for node in nodes]
    topo_sort(earlier[-1])
    seen = {}
    for call in ("first", "again"):
        order = topo_sort(nodes[root])
        if order is None or not _runs_backwards(order):
            seen[call] = None if order is None else "no list"
            continue
        # -1: a node of another graph, -2: none of the nodes handed in
        seen[call] = [place.get(id(one), -2) for one in islice(order, 50 * len(graph))]
    seen["unchanged"] = inputs == [[id(one) for one in node._prev] for node in nodes]
    return seen


def _runs_backwards(order):
    try:
        return reversed(order) is not None
    except TypeError:
        return False


def _judge_topo(case, seen):
    if "length of the chain" in case.inputs:
        return _judge_chain(case, seen)
    graph, root = case.inputs["inputs of each node"], case.inputs["root"]
    where = f"root n{root}; " + ", ".join(f"n{number} from {' '.join(f'n{one}' for one in inputs)}" for number, inputs in enumerate(graph) if inputs)
    findings = [_judge_order(order, graph, root, where) for order in seen["orders"].values()]
    return [] if None in findings else [findings[0]]


def _judge_chain(case, seen):
    where = f"a chain of {case.inputs['length of the chain']:,} nodes"
    if "slow" in seen:
        return [Finding("the order of a long chain takes minutes", where=f"a chain of {TRIAL:,} nodes", expected="about 0.02 s", actual=f"more than {TRIAL_SECONDS} s",
                        next="`in` on a list looks at every entry: keep the nodes already seen in a set")]  # fmt: skip
    order = seen["order"] if isinstance(seen["order"], np.ndarray) else np.empty(0)
    return (
        []
        if _is_chain_order(order, case.inputs["length of the chain"])
        else [Finding("the order of a long chain is wrong", where=where, expected="inputs first, each node once")]
    )


def _is_chain_order(order, length):
    """Whether it holds every node of _chain_order once, each after its inputs."""
    size = length + 1 - length % 2
    if order.shape != (size,) or order.dtype.kind != "i" or not np.array_equal(np.sort(order), np.arange(size)):
        return False
    at = np.empty(size, dtype=np.int64)
    at[order] = np.arange(size)
    return bool((at[2::2] > at[1::2]).all() and (at[2::2] > at[:-2:2]).all())


def _judge_order(order, graph, root, where):
    first = order["first"]
    if first is None:
        return Finding("nothing came back", where=where, expected="a list of nodes", actual="None", next="return the list")
    if first == "no list":
        return Finding("what came back is no list", where=where, expected="a list of nodes", next="backward() walks it from its end: return the list itself")
    if order["unchanged"] is not True:
        return Finding(
            "the inputs of a node were changed", where=where, mistake="MUTATES", next="only read _prev; keep what you need in lists and sets of your own"
        )
    ancestors = _ancestors(graph, root)
    shown = "[" + ", ".join(f"n{int(one)}" if one >= 0 else "another object" for one in first[:20]) + "]"
    at = {one: place for place, one in enumerate(first)}
    if -1 in at:
        return Finding("the order holds a node of another graph", where=where, actual=shown, mistake="STATE_LEAK",
                       because="nodes of an earlier call are still there", next="make the list and the set inside the function, not in the def line")  # fmt: skip
    if -2 in at:
        return Finding("the order holds something that is none of the nodes", where=where, expected="the nodes themselves, no copies", actual=shown)
    if len(at) != len(first):
        met_twice = {one for one in at if first.count(one) > 1} <= _on_two_paths(graph, root)
        return Finding("a node is listed more than once", where=where, expected="each node once", actual=shown, mistake="DOUBLE_COUNT" if met_twice else "",
                       because="a node that is reached on two paths is listed twice" if met_twice else "", next="remember which nodes have been seen, and pass over them")  # fmt: skip
    if set(at) != ancestors:
        absent = sorted(ancestors - set(at))
        what = "a node is missing from the order" if absent else "the order holds something the root is not made of"
        return Finding(what, where=where, expected=f"{len(ancestors)} nodes", actual=shown)
    if any(at[one] > at[number] for number in at for one in graph[number]):
        if all(at[one] > at[number] for number in at for one in graph[number]):
            return Finding("the order runs the wrong way", where=where, expected=f"n{root} last", actual=shown, mistake="SWAPPED",
                           because="the root stands first; inputs are to stand before what is made of them", next="turn the list round, or append a node after its inputs")  # fmt: skip
        return Finding("a node stands before one of its inputs", where=where, expected="inputs first", actual=shown,
                       next="append a node only when all its inputs are in the list")  # fmt: skip
    if order["again"] is None or order["again"] != first:
        return Finding(
            "a second call gives another list",
            where=where,
            mistake="STATE_LEAK",
            next="let nothing stay behind: lists and sets are made inside the function, and no marks are left on the nodes",
        )
    return None


def _ancestors(graph, root):
    found, waiting = set(), [root]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += graph[number]
    return found


def _on_two_paths(graph, root):
    """The nodes to which more than one path leads from the root."""
    paths = [0] * len(graph)
    paths[root] = 1
    for number in range(root, -1, -1):
        for one in graph[number]:
            paths[one] += paths[number]
    return {number for number, count in enumerate(paths) if count > 1}


topo_sort = Exercise(
    "m02-topo-sort", "Inputs before what is made of them", "topo_sort(root)", _topo_cases, _probe_topo, _judge_topo,
    (
        "Nobody may stand in the list before the nodes it is made of. So a node is not written down when you meet it, but when you are done with its inputs.",
        "Keep a list of nodes still to deal with. Look at its last node: met for the first time, put its inputs on the list; met again, its inputs are done.",
        "One set tells which nodes have been opened, one which are in the order. A node opened before and not yet in the order goes into it now; one already in it is only taken off.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- backward on expressions of + and *

COMBINE = {"+": operator.add, "*": operator.mul}


def program_case(group: str, leaves: Sequence[float], steps: Sequence[Sequence[Any]]) -> Case:
    """An expression as plain data: ``steps`` holds [sign, place, place]; places count the leaves first, then the results."""
    return Case(group, {"leaves": list(leaves), "steps": [list(step) for step in steps]})


def run_program(leaves: Sequence[Any], steps: Sequence[Sequence[Any]], combine: Callable[[str, Any, Any], Any]) -> list[Any]:
    values = list(leaves)
    for sign, left, right in steps:
        values.append(combine(sign, values[left], values[right]))
    return values


def program_truth(leaves: Sequence[float], steps: Sequence[Sequence[Any]]) -> tuple[float, list[float]]:
    """(value of the last, gradient of it towards every leaf and every result): one tiny imaginary step at each place."""
    values = run_program(leaves, steps, lambda sign, x, y: COMBINE[sign](x, y))
    gradients = []
    for nudged in range(len(values)):
        moved: list[Any] = [complex(x, STEP if place == nudged else 0.0) for place, x in enumerate(leaves)]
        for place, (sign, left, right) in enumerate(steps, len(leaves)):
            moved.append(COMBINE[sign](moved[left], moved[right]) + complex(0.0, STEP if place == nudged else 0.0))
        gradients.append(moved[-1].imag / STEP)
    return float(values[-1]), gradients


def shares(leaves: Sequence[float], steps: Sequence[Sequence[Any]]) -> list[list[float]]:
    """For every place, the gradient that arrives by each single use of it; they add up to its gradient."""
    values = run_program(leaves, steps, lambda sign, x, y: COMBINE[sign](x, y))
    _, gradients = program_truth(leaves, steps)
    found: list[list[float]] = [[] for _ in values]
    for place, (sign, left, right) in enumerate(steps, len(leaves)):
        for side, used in ((0, left), (1, right)):
            pair = [complex(values[left]), complex(values[right])]
            pair[side] += STEP * 1j
            found[used].append(gradients[place] * COMBINE[sign](*pair).imag / STEP)
    return found


def program_text(inputs: Mapping[str, Any]) -> str:
    """ "d = a * b, e = a + b, f = d * e; a = -2.0, b = 3.0"."""
    names = [_letter(place) for place in range(len(inputs["leaves"]) + len(inputs["steps"]))]
    made = [f"{names[len(inputs['leaves']) + i]} = {names[left]} {sign} {names[right]}" for i, (sign, left, right) in enumerate(inputs["steps"])]
    return ", ".join(made) + "; " + ", ".join(f"{name} = {x!r}" for name, x in zip(names, inputs["leaves"], strict=False))


def _letter(place):
    return "abcdefghijklmnopqrstuvwxyz"[place] if place < 26 else f"v{place}"


def _run_own(cls, inputs):
    leaves = [cls(x) for x in inputs["leaves"]]
    for _ in range(2):  # an earlier graph on the same leaves must leave nothing behind but gradients
        values = run_program(leaves, inputs["steps"], lambda sign, x, y: COMBINE[sign](x, y))
        for leaf in leaves:
            leaf.grad = 0.0
        values[-1].backward()
    return values


def _run_nodes(cls, inputs, *, order_given=False):
    """backward() of the class on stand-ins whose slopes are right; with the order handed to it when it asks for topo_sort."""
    leaves = [Node(x) for x in inputs["leaves"]]
    for _ in range(2):  # an earlier graph on the same leaves must leave nothing behind but gradients
        nodes = _nodes_of(leaves, inputs["steps"])
        for leaf in leaves:
            leaf.grad = 0.0
        _backward_on(cls, nodes, order_given)
    return nodes


def _nodes_of(leaves, steps):
    def combine(sign, x, y):
        return Node(COMBINE[sign](x.data, y.data), (x, y), (1.0, 1.0) if sign == "+" else (y.data, x.data), sign)

    return run_program(leaves, steps, combine)


def _backward_on(cls, nodes, order_given):
    if not order_given:
        cls.backward(nodes[-1])
    elif "topo_sort" in globals_of(cls.backward):
        with patched(cls.backward, topo_sort=lambda root: list(nodes)):
            cls.backward(nodes[-1])
    else:
        raise _NotOpen


RUNS = {
    "own": _run_own,
    "stand-ins": _run_nodes,
    "order given": lambda cls, inputs: _run_nodes(cls, inputs, order_given=True),
}


def _probe_backward(cls, inputs):
    refuse_ours(cls)
    if not hasattr(cls, "backward"):
        raise NotImplementedError
    if "length of the chain" in inputs:
        return _probe_deep(cls, inputs)
    seen, unwritten = {}, 0
    for way, run in RUNS.items():
        try:
            seen[way] = {"grads": [value.grad for value in run(cls, inputs)]}
        except NotImplementedError:
            unwritten += 1
        except _NotOpen:
            pass
        except Exception as error:
            seen[way] = {"raised": type(error).__name__, "message": str(error)[:200]}
    if unwritten and not any("grads" in way for way in seen.values()):
        raise NotImplementedError
    return seen


def _probe_deep(cls, inputs):
    """A long chain y = (((a + c) + c) + ... ) * k. Ways are tried until one gives numbers that may be right: each costs time."""
    seen, unwritten = {}, 0
    for way in ("stand-ins", "own", "order given"):
        for length in (TRIAL, inputs["length of the chain"]):
            start = time.process_time()
            try:
                leaves = _deep_chain(cls, way, length, inputs)
                seen[way] = {"grads": [leaf.grad for leaf in leaves]}
            except NotImplementedError:
                unwritten += 1
                break
            except _NotOpen:
                break
            except Exception as error:
                seen[way] = {"raised": type(error).__name__, "message": str(error)[:200]}
                break
            if length == TRIAL and time.process_time() - start > TRIAL_SECONDS:
                seen[way] = {"slow": True}
                break
        if np.allclose(seen.get(way, {}).get("grads", math.nan), deep_truth(inputs), rtol=RTOL):
            break
    if unwritten and not seen:
        raise NotImplementedError
    return seen


def _deep_chain(cls, way, length, inputs):
    make = cls if way == "own" else Node
    a, c, k = (make(inputs[name]) for name in "ack")
    x, nodes = a, [a, c, k]
    if way == "own":
        for _ in range(length - 1):
            x = x + c
        (x * k).backward()
        return a, c, k
    for _ in range(length - 1):
        x = _Sum(x.data + c.data, (x, c))
        nodes.append(x)
    nodes.append(Node(x.data * k.data, (x, k), (k.data, x.data), "*"))
    _backward_on(cls, nodes, way == "order given")
    return a, c, k


class _Sum(Node):
    """A Node of a long chain of additions: what is the same for all is kept once."""

    grad, _local, _op = 0.0, (1.0, 1.0), "+"

    def __init__(self, data, prev):
        self.data, self._prev = data, prev

    def _backward(self):
        x, y = self._prev
        x.grad, y.grad = x.grad + self.grad, y.grad + self.grad

    pass_back = _backward


def deep_truth(inputs: Mapping[str, Any]) -> list[float]:
    """Gradients of a, c and k: a arrives once, c length - 1 times, k meets the whole sum."""
    adds = inputs["length of the chain"] - 1
    return [inputs["k"], adds * inputs["k"], inputs["a"] + adds * inputs["c"]]


def _judge_backward(case, seen):
    """Right in one of the ways is right: the others need parts that are judged by their own exercises."""
    if "length of the chain" in case.inputs:
        names, true = ["a", "c", "k"], deep_truth(case.inputs)
        where = f"a chain of {case.inputs['length of the chain']:,} additions and multiplications"
        return _best(seen, lambda given: _compare_grads(names, true, given, where, 3))
    _, true = program_truth(case.inputs["leaves"], case.inputs["steps"])
    names = [_letter(place) for place in range(len(true))]
    judged = len(true) if case.group == "values in between" else len(case.inputs["leaves"])
    return _best(seen, lambda given: _compare_grads(names, true, given, program_text(case.inputs), judged))


def _compare_grads(names, true, given, where, judged):
    if not isinstance(given, list) or len(given) != len(true):
        return Finding("there is not one gradient per value", where=where)
    for name, expected, actual in list(zip(names, true, given, strict=True))[:judged]:
        found = difference(f"{name}.grad", expected, actual, where=where, rtol=RTOL, atol=ATOL)
        if found:
            return found
    return None


def _best(seen, compare):
    findings = []
    for way in seen.values():
        if "grads" in way:
            found = compare(way["grads"])
            if not found:
                return []
        elif "slow" in way:
            found = Finding("backward() of a long chain takes minutes", where=f"a chain of {TRIAL:,} nodes", actual=f"more than {TRIAL_SECONDS} s",
                            next="`in` on a list looks at every entry: keep the nodes already seen in a set")  # fmt: skip
        elif way["raised"] == "RecursionError":
            because, step = MISTAKES["RECURSION"]
            found = Finding(
                "backward() of a deep graph raises RecursionError",
                expected="gradients",
                actual="RecursionError",
                mistake="RECURSION",
                because=because,
                next=step,
            )
        else:
            found = _raised(way, "run it on a * b in a cell of its own and read the traceback", "backward()")
        findings.append(found)
    # numbers say more than an exception of a way that this engine does not offer
    return [min(findings, key=lambda f: (f.mistake != "RECURSION", "raised" in f.what))] if findings else [Finding("backward() gave no gradients")]


def _raised(seen, step, what="your code"):
    return Finding(f"{what} raised an exception", actual=f"{seen['raised']}: {seen['message']}", next=step)


TREE = [["*", 0, 1], ["+", 4, 2], ["*", 5, 3]]
WORKED = [["*", 0, 1], ["+", 0, 1], ["*", 2, 3]]
LADDER = [["*", 0, 1], ["+", 2, 0], ["*", 3, 2], ["+", 4, 3], ["*", 5, 4]]


def _backward_cases(rng):
    draw = [round(x, 3) for x in rng.uniform(0.5, 2.0, 8).tolist()]
    return [
        program_case("trees", [2.0, -3.0], [["*", 0, 1]]),
        program_case("trees", [2.0, -3.0, 10.0, -2.0], TREE),
        program_case("trees", draw[:5], [["+", 0, 1], ["*", 2, 3], ["*", 5, 6], ["+", 7, 4]]),
        program_case("values used more than once", [-2.0, 3.0], WORKED),
        program_case("values used more than once", [1.5, -0.7], LADDER),
        program_case("values used more than once", draw[5:8], [["+", 0, 1], ["*", 3, 3], ["*", 4, 2], ["+", 5, 3]]),
        program_case("values in between", [2.0, -3.0, 10.0, -2.0], TREE),
        program_case("values in between", [1.3, -0.4], LADDER),
        Case("deep graph", {"length of the chain": DEEP, "a": 0.5, "c": 0.001, "k": -1.5}),
    ]


backward = Exercise(
    "m02-backward", "The chain rule over a whole graph", "class Value", _backward_cases, _probe_backward, _judge_backward,
    (
        "Who may hand on a gradient? Only a node that has already received all of its own. Which order of the nodes makes sure of that?",
        "The gradient of the last value towards itself is 1. From there, walk the topological order from its end to its beginning.",
        "Three lines: find the order, set the gradient of self, and in a loop over reversed(order) let each node pass its gradient back.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- gradients add up


def _probe_accumulate(cls, inputs):
    refuse_ours(cls)
    if not hasattr(cls, "backward"):
        raise NotImplementedError
    seen, unwritten = {}, 0
    for way, run in (("own", _run_own), ("step alone", _run_step_alone)):
        try:
            seen[way] = {"grads": [value.grad for value in run(cls, inputs)]}
        except NotImplementedError:
            unwritten += 1
        except _NotOpen:
            pass
        except Exception as error:
            seen[way] = {"raised": type(error).__name__, "message": str(error)[:200]}
    if unwritten and not any("grads" in way for way in seen.values()):
        raise NotImplementedError
    return seen


def _run_step_alone(cls, inputs):
    """The class's pass_back() on stand-ins whose slopes are right, from the last node to the first."""
    step = getattr(cls, "pass_back", None)
    if step is None:
        raise _NotOpen
    nodes = _nodes_of([Node(x) for x in inputs["leaves"]], inputs["steps"])
    nodes[-1].grad = 1.0
    for node in reversed(nodes):
        step(node)
    return nodes


def _judge_accumulate(case, seen):
    _, true = program_truth(case.inputs["leaves"], case.inputs["steps"])
    where, names, leaves = program_text(case.inputs), [_letter(place) for place in range(len(true))], len(case.inputs["leaves"])
    return _best(seen, lambda given: _compare_grads(names, true, given, where, leaves))


def _name_accumulate(cases, outputs):
    """OVERWRITE when, in every short expression, each wrong gradient is what one single use of the value hands back."""
    overwritten = False
    for case, output in zip(cases, outputs, strict=True):
        leaves, steps = case.inputs["leaves"], case.inputs["steps"]
        seen = output["value"].get("step alone", output["value"]["own"])
        given, true, parts = seen["grads"], program_truth(leaves, steps)[1], shares(leaves, steps)
        if len(steps) > 3:
            continue  # the values in between are wrong as well, and hand on what is wrong
        if not _close(given[-1], 1.0):
            return None
        for place in range(len(leaves)):
            if not _close(given[place], true[place]):
                if not any(_close(given[place], part) for part in parts[place]):
                    return None
                overwritten = True
    return ("OVERWRITE", "the second use of a value replaced the gradient of the first; gradients add up") if overwritten else None


def _close(a, b):
    return difference("number", b, a, rtol=RTOL, atol=ATOL) is None


def _accumulate_cases(rng):
    draw = [round(x, 3) for x in rng.uniform(0.5, 2.0, 3).tolist()]
    return [
        program_case("added to itself", [3.0], [["+", 0, 0]]),
        program_case("added to itself", [-1.25, 2.5], [["+", 0, 0], ["*", 2, 1]]),
        program_case("multiplied by itself", [3.0], [["*", 0, 0]]),
        program_case("multiplied by itself", [-draw[0]], [["*", 0, 0], ["*", 1, 0]]),
        program_case("used in two places", [-2.0, 3.0], WORKED),
        program_case("used in two places", [draw[1], -draw[2]], [["*", 0, 1], ["+", 2, 0]]),
        program_case("used in two places", [1.4, -0.6], LADDER),
    ]


accumulate = Exercise(
    "m02-accumulate", "A value used more than once", "class Value", _accumulate_cases, _probe_accumulate, _judge_accumulate,
    (
        "In b = a + a there are two arrows from a to b. If a grows by 0.001, by how much does b grow?",
        "What comes back on the second arrow must not wipe out what came back on the first.",
        "Compare `x = 5` and `x += 5`: which of the two should happen to the gradient of an input?",
    ),
    _name_accumulate,
)  # fmt: skip


# ---------------------------------------------------------------- tanh out of exp


class _UsedTanh(Exception):
    """tanh was called where it is to be built."""


def _refuse_tanh(self, *_):
    raise _UsedTanh


def _probe_tanh_from_parts(function, inputs):
    seen = {}
    numbers = number_class(without=["tanh"])
    numbers.tanh = _refuse_tanh
    try:
        with patched(function, Value=numbers):
            seen["stand-ins"] = _tanh_reading(function, numbers, inputs)
    except NotImplementedError:
        raise
    except Exception as error:  # it may hold on to Values of its own, which go with no stand-in
        seen["stand-ins"] = {"raised": type(error).__name__, "message": str(error)[:200]}
    cls = globals_of(function).get("Value")
    if isinstance(cls, type):
        before = vars(cls).get("tanh")
        try:
            cls.tanh = _refuse_tanh
            seen["own"] = _tanh_reading(function, cls, inputs)
        except Exception:  # the engine itself is not finished: the stand-ins decide
            pass
        finally:
            if before is not None:
                cls.tanh = before
            elif "tanh" in vars(cls):
                del cls.tanh
    return seen


def _tanh_reading(function, cls, inputs):
    x = cls(inputs["x"])
    before = _state(x)
    try:
        out = function(x)
    except _UsedTanh:
        return {"tanh used": True}
    if not isinstance(out, cls):
        return {"kind": type(out).__name__}
    unchanged = _state(x) == before
    data, by_exp = out.data, not isinstance(x, Number) or out.made_by("exp")
    (out * cls(inputs["upstream"])).backward()
    return {"kind": "Value", "data": data, "grad": x.grad, "by exp": by_exp, "unchanged": unchanged}


def _tanh_parts_case(group, x, upstream):
    return Case(group, {"x": x, "upstream": upstream})


def _judge_tanh_from_parts(case, seen):
    x, upstream = case.inputs["x"], case.inputs["upstream"]
    where = f"x = {x!r}" + (f", upstream gradient {upstream!r}" if case.group == "gradients" else "")
    findings = []
    for reading in seen.values():
        if "tanh used" in reading:
            return [Finding("tanh itself is used", where=where, next="build it from exp, +, -, * and / only")]
        if reading.get("unchanged", True) is not True:
            return [Finding("x was changed", where=where, mistake="MUTATES", next="make new Values; leave x as it is")]
        if "raised" in reading:
            findings.append(_raised(reading, "call it in a cell of its own and read the traceback"))
        elif reading["kind"] == "Value" and reading["by exp"] is not True:
            return [Finding("the result is not made by exp of Values", where=where, next="build it from the exp method, +, -, * and / only")]
        elif reading["kind"] != "Value":
            findings.append(
                Finding(
                    "the result is not a Value",
                    where=where,
                    expected="a Value",
                    actual=f"a {reading['kind']}",
                    next="compute with Values throughout; .data cuts the graph",
                )
            )
        elif case.group == "values":
            findings.append(difference("data", math.tanh(x), reading["data"], where=where, rtol=RTOL, atol=ATOL))
        else:
            slope = cmath.tanh(x + STEP * 1j).imag / STEP
            findings.append(difference("x.grad", upstream * slope, reading["grad"], where=where, rtol=RTOL, atol=ATOL))
    return [] if None in findings else [findings[0]]


def _name_tanh_from_parts(cases, outputs):
    pairs = [(math.tanh(c.inputs["x"]), o["value"]["stand-ins"]["data"]) for c, o in zip(cases, outputs, strict=True)]
    return name_numbers(pairs)


def _tanh_parts_cases(rng):
    draw = [round(x, 3) for x in rng.uniform(0.3, 1.5, 2).tolist()]
    return [
        _tanh_parts_case("values", 0.8813735870195432, 1.7),
        _tanh_parts_case("values", -draw[0], 1.7),
        _tanh_parts_case("values", 0.0, 1.7),
        _tanh_parts_case("values", 3.5, 1.7),
        _tanh_parts_case("gradients", 0.8813735870195432, -1.3),
        _tanh_parts_case("gradients", -draw[1], 0.7),
        _tanh_parts_case("gradients", 0.0, 2.9),
        _tanh_parts_case("gradients", -2.5, 3.3),
    ]


tanh_from_parts = Exercise(
    "m02-tanh-from-parts", "tanh built from exp", "tanh_from_parts(x)", _tanh_parts_cases, _probe_tanh_from_parts, _judge_tanh_from_parts,
    (
        "Where you draw the line between one operation and several is your choice. The gradient comes out the same.",
        "tanh(x) = (e^(2x) - 1) / (e^(2x) + 1). Every operation in it exists in your engine.",
        "Name the exponential of 2x once, as a Value; the answer is a quotient of two expressions in that one name.",
    ),
    _name_tanh_from_parts,
)  # fmt: skip
