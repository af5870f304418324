"""m02, the operations of an autograd engine of any style, seen through ``Value(number)``, ``.data``, ``.grad``, operators and ``.backward()``.

Objects of the student's are told apart by ``id`` only: they may be unhashable, and comparing them may mean anything.
A gradient can often be read in several ways (``_local`` of the result, its ``_backward``, a whole ``backward()``); the
probe reads all of them and the judge is content when one is right, because each exercise is judged by itself.
"""

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..exercise import Case, Exercise
from ..gradcheck import difference
from ..gradcheck.arguments import signed, upstream_number
from ..gradcheck.naming import name_numbers
from ..mistakes import MISTAKES
from ..plaindata import to_plain
from ..report import Finding
from .m02_stand_ins import STEP, UNARY, NotOpen, Number, globals_of, number_class, patched, raised, refuse_ours

RTOL, ATOL = 1e-9, 1e-12  # the slopes below are exact; an engine in float32 is off by 3e-8


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


def _drawn(rng, group, text, a=None, k=None):
    """One use of an operation with designed numbers: of either sign, none near 0 or alike, where none is given."""
    b = signed(rng) if "b" in text else None
    k = int(rng.randint(2, 9)) if k is None and "k" in text else k
    return operation_case(group, text, signed(rng) if a is None else a, b, k, upstream_number(rng))


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
            problem = problem or ("" if isinstance(error, (NotOpen, NotImplementedError)) else f"{type(error).__name__}: {error}"[:200])
    if not gradients and getattr(out, "_backward", "no such attribute") is None:
        problem = CALLED_NOT_STORED
    return {"kind": "Value", "data": out.data, "unchanged": unchanged, "gradients": gradients, "problem": problem}


CALLED_NOT_STORED = "_backward is None"


def _state(value):
    """Data and gradient of a Value as plain numbers, so that a later change shows."""
    return to_plain(value.data), to_plain(getattr(value, "grad", None))


def _slope_along_locals(node, target, depth=0):
    """Sum over all paths from node to target of the product of the local slopes: small expressions only."""
    if node is target:
        return 1.0
    prev, local = getattr(node, "_prev", None), getattr(node, "_local", None)
    if not isinstance(prev, (list, tuple)) or not isinstance(local, (list, tuple)) or len(prev) != len(local) or (depth == 0 and not prev) or depth > 12:
        raise NotOpen
    return sum((slope * _slope_along_locals(one, target, depth + 1) for one, slope in zip(prev, local, strict=True) if hasattr(one, "data")), 0.0)


def _by_backward(build, use):
    values, out = build()
    if not hasattr(out, "backward"):
        raise NotOpen
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
        raise NotOpen
    return once


def _by_own_step(values, out, upstream):
    step = getattr(out, "_backward", None)
    if not callable(step):
        raise NotOpen
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


def _operation_exercise(id, title, by_hand, designed, hints):
    return Exercise(id, title, "class Value", lambda rng: [*by_hand, *designed(rng)], probe_operation, judge_operation, hints, name_operation, by_formula=True)


# ---------------------------------------------------------------- add, mul


def two_operands(sign: str) -> Callable[[np.random.RandomState], list[Case]]:
    """Designed cases of + or *."""

    def cases(rng):
        text = f"a {sign} b"
        cases = [_drawn(rng, group, text) for group in ("values", "values", "derivatives", "derivatives", "derivatives")]
        cases.append(operation_case("values", text, 0.0, b=int(rng.randint(2, 50))))
        cases.append(_drawn(rng, "derivatives", text, a=0.0))
        return cases + [_drawn(rng, "a plain number", f"a {sign} k", k=k) for k in (None, -int(rng.randint(2, 9)), signed(rng))]

    return cases


def _by_hand(sign):
    text = f"a {sign} b"
    return [
        operation_case("values", text, 2.0, b=-3.0),
        operation_case("values", text, 7, b=-11),
        operation_case("derivatives", text, 2.0, b=-3.0, upstream=1.5),
        operation_case("a plain number", f"a {sign} k", 1.25, k=4, upstream=-0.7),
    ]


value_add = _operation_exercise(
    "m02-value-add", "Addition that remembers", _by_hand("+"), two_operands("+"),
    (
        "The sum is one new number. What must be kept so that somebody who holds only the result can find the way back?",
        "The result keeps its two inputs in `_prev` and, for each of them in the same order, the slope of the result towards it in `_local`.",
        "If a grows by 0.001, by how much does a + b grow? And if b does? These two slopes are the same two numbers for every a and b.",
    ),
)  # fmt: skip

value_mul = _operation_exercise(
    "m02-value-mul", "Multiplication that remembers", _by_hand("*"), two_operands("*"),
    (
        "It is the addition again, with another number and other slopes. The slopes are no longer constants.",
        "Hold b still and nudge a: how fast does a * b move? It is in m01-local-derivatives.",
        "Each operand's slope is read off the other operand. Mind the order: the first entry of `_local` belongs to the first entry of `_prev`.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- the other operations


def other_operations(rng: np.random.RandomState) -> list[Case]:
    """Designed cases of the powers, exp, and what is made of them."""
    cases = [_drawn(rng, "powers", "a ** k", k=k) for k in (2, 3, -1, -3, 5)]
    cases += [_drawn(rng, "powers", "a ** k", a=abs(signed(rng)), k=k) for k in (1.5, -0.5, 0.5)]  # no whole number: positive a only
    cases += [_drawn(rng, "exp", "a.exp()", a=signed(rng, 0.2, 2.5)) for _ in range(4)]
    cases += [_drawn(rng, "division", text) for text in ("a / b", "a / b", "a / k")]
    cases += [_drawn(rng, "subtraction and negation", text) for text in ("a - b", "a - b", "a - k", "-a")]
    return cases + [_drawn(rng, "a number on the left", text) for text in ("k + a", "k * a", "k - a", "k - a", "k / a", "k / a")]


OPERATIONS_BY_HAND = [
    operation_case("powers", "a ** k", 3.0, k=2, upstream=0.7),
    operation_case("powers", "a ** k", 0.0, k=2, upstream=1.4),
    operation_case("exp", "a.exp()", 0.7, upstream=-0.6),
    operation_case("division", "a / b", 3.0, b=-2.0, upstream=1.7),
    operation_case("subtraction and negation", "a - b", 1.5, b=4.0, upstream=2.2),
    operation_case("a number on the left", "k + a", 2.5, k=3, upstream=1.2),
]

value_ops = _operation_exercise(
    "m02-value-ops", "The other operators", OPERATIONS_BY_HAND, other_operations,
    (
        "Only two of them need a slope of their own: the power with a fixed exponent, and exp. The others can be said with what is there already.",
        "a - b is a plus (minus b); a / b is a times (b to the power -1). For `2 - v` Python calls v.__rsub__(2): there self stands on the right.",
        "The slope of x**n holds the exponent as a factor and an exponent smaller by one; the slope of exp is a number you have just computed. 2 - v is the same as (-v) + 2.",
    ),
)  # fmt: skip


def tanh_operation(rng: np.random.RandomState) -> list[Case]:
    """Designed cases of tanh."""
    cases = [_drawn(rng, group, "a.tanh()", a=signed(rng, 0.1, 2.0)) for group in ("values", "derivatives") for _ in range(3)]
    return cases + [_drawn(rng, "large values", "a.tanh()", a=sign * float(rng.randint(400, 5000))) for sign in (1, -1)]


TANH_BY_HAND = [
    operation_case("values", "a.tanh()", 0.8813735870195432),
    operation_case("values", "a.tanh()", 0.0),
    operation_case("derivatives", "a.tanh()", 0.8813735870195432, upstream=-1.3),
    operation_case("large values", "a.tanh()", 25.0, upstream=1.4),
]

value_tanh = _operation_exercise(
    "m02-value-tanh", "tanh as one operation", TANH_BY_HAND, tanh_operation,
    (
        "tanh is steep in the middle and flat at both ends. Its slope can be said with its own value alone.",
        "You derived it in m01-local-derivatives. It is a function of the output: 1 at output 0, and 0 at outputs 1 and -1.",
        "Take math.tanh once and keep its result: both the data and the slope come out of that number. A formula with exp(2x) overflows at x = 1000.",
    ),
)  # fmt: skip


def relu_operation(rng: np.random.RandomState) -> list[Case]:
    """Designed cases of relu, on both sides of 0 and at it."""
    cases = [_drawn(rng, group, "a.relu()", a=sign * abs(signed(rng))) for group in ("values", "derivatives") for sign in (1, -1)]
    cases += [_drawn(rng, "derivatives", "a.relu()", a=sign * round(float(rng.uniform(*size)), 3)) for sign in (1, -1) for size in ((0.01, 0.1), (4, 40))]
    return [*cases, operation_case("values", "a.relu()", 0.0), _drawn(rng, "at zero", "a.relu()", a=0.0)]


value_relu = _operation_exercise(
    "m02-value-relu", "relu as one operation", [], relu_operation,
    (
        "relu lets a positive number through as it is and turns a negative one into 0. What does a nudge of the input do in each of the two?",
        "The slope is one number for positive inputs and another for negative ones; the upstream gradient has no say in which.",
        "Ask once whether self.data is above 0. The answer decides both numbers: the data of the result, and its slope.",
    ),
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
            findings.append(raised(reading, "call it in a cell of its own and read the traceback"))
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


def tanh_of_parts(rng: np.random.RandomState) -> list[Case]:
    """Designed cases of tanh built from exp."""
    return [Case(group, {"x": signed(rng, 0.1, 3.0), "upstream": upstream_number(rng)}) for group in ("values", "gradients") for _ in range(4)]


TANH_PARTS_BY_HAND = [Case(group, {"x": x, "upstream": -1.3}) for group in ("values", "gradients") for x in (0.8813735870195432, 0.0)]

tanh_from_parts = Exercise(
    "m02-tanh-from-parts", "tanh built from exp", "tanh_from_parts(x)", lambda rng: [*TANH_PARTS_BY_HAND, *tanh_of_parts(rng)], _probe_tanh_from_parts, _judge_tanh_from_parts,
    (
        "Where you draw the line between one operation and several is your choice. The gradient comes out the same.",
        "tanh(x) = (e^(2x) - 1) / (e^(2x) + 1). Every operation in it exists in your engine.",
        "Name the exponential of 2x once, as a Value; the answer is a quotient of two expressions in that one name.",
    ),
    _name_tanh_from_parts,
)  # fmt: skip
