"""Random expressions for a scalar engine: those on which a wrong walk over the graph shows.

An expression is plain data, and it runs on whatever has the operators: floats, complex numbers, an engine's own values. A tree
hides nearly all mistakes of an engine, because nothing in it is used twice. So there are values added to and multiplied by
themselves, results that reach the end on two paths of different length, every operation applied to a value that something
else uses too, and a chain longer than Python's recursion limit.

Truth is not part of an expression: ``slopes`` measures it, with one tiny imaginary step for each number.
"""

import cmath
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

STEP = 1e-30
"""Imaginary step: nothing is subtracted, so it may be so small that no rounding is left (Squire and Trapp 1998)."""
BINARY: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "*": operator.mul, "-": operator.sub, "/": operator.truediv}
WITH_NUMBER: dict[str, Callable[[Any, Any], Any]] = {
    "** k": lambda x, k: x**k,
    "+ k": lambda x, k: x + k,
    "k *": lambda x, k: k * x,
    "k -": lambda x, k: k - x,
    "k /": lambda x, k: k / x,
}
UNARY: dict[str, Callable[[Any], Any]] = {"exp": cmath.exp, "tanh": cmath.tanh, "relu": lambda x: x if x.real > 0 else 0.0 * x}
OPERATIONS = (*BINARY, *WITH_NUMBER, *UNARY)
DEEP = 1_200
"""Longer than Python's recursion limit."""
TRIES = 2_000
SMALL, LARGE = 0.05, 20.0
"""Every value on the way is of a size between these: no kink, overflow or division by nearly nothing is near."""


@dataclass(frozen=True)
class Expression:
    """``steps`` are made one after the other; places count the leaves first, then the results."""

    group: str
    """What is special about it, in the student's words."""
    leaves: list[float]
    steps: list[list[Any]]
    """["+", place, place], ["exp", place] or ["k -", place, number]."""


def run(leaves: Sequence[Any], steps: Sequence[Sequence[Any]]) -> list[Any]:
    """All values of the expression: the leaves, then each result. A leaf needs the operators used, and the methods exp, tanh and relu."""
    values = list(leaves)
    for sign, place, *second in steps:
        values.append(apply(sign, values[place], *(values[one] if sign in BINARY else one for one in second)))
    return values


def apply(sign: str, x: Any, *second: Any) -> Any:
    """One operation: apply("+", x, y), apply("k -", x, 2.0), apply("exp", x)."""
    if sign in UNARY:
        return getattr(x, sign)() if hasattr(x, sign) else UNARY[sign](x)
    return (BINARY | WITH_NUMBER)[sign](x, *second)


def slopes(leaves: Sequence[float], steps: Sequence[Sequence[Any]], leaves_only: bool = False) -> list[float]:
    """Derivative of the last value towards each leaf and, unless they are not wanted, each result: measured, good to the last digits."""
    return [_nudged(leaves, steps, at).imag / STEP for at in range(len(leaves) + (0 if leaves_only else len(steps)))]


def _nudged(leaves, steps, at):
    """The last value when ``STEP * 1j`` is added to the value at one place."""
    values = [complex(x, STEP if place == at else 0.0) for place, x in enumerate(leaves)]
    for place, (sign, one, *second) in enumerate(steps, len(leaves)):
        made = apply(sign, values[one], *(values[other] if sign in BINARY else other for other in second))
        values.append(made + STEP * 1j if place == at else made)
    return values[-1]


def inputs_of_each(expression: Expression) -> list[list[int]]:
    """For each value the places of what it is made of: [] for a leaf, the same place twice for x + x."""
    made = [[one, *(second if sign in BINARY else [])] for sign, one, *second in expression.steps]
    return [[] for _ in expression.leaves] + made


# ---------------------------------------------------------------- expressions of one kind


def tree(rng: np.random.RandomState, n_leaves: int, operations: Sequence[str] = OPERATIONS) -> Expression:
    """Every leaf and every result is used once."""

    def draw():
        draft, open_ = _Draft(rng, n_leaves), list(range(n_leaves))
        while len(open_) > 1:
            left, right = (open_.pop(int(rng.randint(len(open_)))) for _ in range(2))
            place = draft.step(_one_of(rng, operations, BINARY), left, right)
            alone = [sign for sign in operations if sign not in BINARY]
            open_.append(draft.step(_one_of(rng, alone), place) if alone and rng.rand() < 0.6 else place)
        return draft

    return _first_sound("trees", draw)


def graph(rng: np.random.RandomState, n_leaves: int, n_steps: int, operations: Sequence[str] = OPERATIONS) -> Expression:
    """Leaves and results are used again. From four steps on, a leaf and a result reach the end on paths of different lengths."""

    def draw():
        draft = _Draft(rng, n_leaves)
        for count in range(n_leaves, n_leaves + n_steps):
            near = count - 1 - int(min(count - 1, rng.geometric(0.5) - 1))
            draft.step(_one_of(rng, operations), near, near if rng.rand() < 0.2 else int(rng.randint(count)))
        draft.join(_one_of(rng, operations, BINARY))
        return draft

    def wanted(expression):
        shortest, longest = _lengths(expression)
        uneven = [place for place in range(len(longest)) if shortest[place] < longest[place]]
        used_again = any(sum(inputs.count(place) for inputs in inputs_of_each(expression)) > 1 for place in range(len(longest)))
        return used_again if n_steps < 4 else bool(uneven) and uneven[0] < n_leaves <= uneven[-1]

    return _first_sound("values used more than once", draw, wanted)


def itself(rng: np.random.RandomState, sign: str) -> Expression:
    """x + x or x * x, and the result goes on."""

    def draw():
        draft = _Draft(rng, 2)
        draft.step("*", draft.step(sign, 0, 0), 1)
        return draft

    return _first_sound("added to itself" if sign == "+" else "multiplied by itself", draw)


def shared(rng: np.random.RandomState, sign: str) -> list[Expression]:
    """The operation on a value that is used elsewhere too, before it and after it, on either side of it."""
    return [_first_sound("an operation on a value used elsewhere", lambda after=after, side=side: _shared(rng, sign, after, side))
            for after in (False, True) for side in ((0, 1) if sign in BINARY else (0,))]  # fmt: skip


def _shared(rng, sign, after, side):
    draft = _Draft(rng, 4 if sign in BINARY else 3)
    value = draft.step("*", 0, 1)
    made = draft.step("*", draft.step(sign, *((3, value) if side else (value, 3))), 2)
    draft.step("+", *((value, made) if after else (made, value)))
    return draft


def shut_relu(rng: np.random.RandomState) -> Expression:
    """A relu of a negative number lets nothing through; its input reaches the end on another path."""

    def draw():
        draft = _Draft(rng, 3)
        value = draft.step("*", 0, 1)
        draft.step("+", draft.step("*", draft.step("relu", value), 2), draft.step("*", draft.step("tanh", value), 2))
        return draft

    return _first_sound("relu of a negative number", draw, lambda e: e.leaves[0] * e.leaves[1] < 0, shut=True)


def chain(rng: np.random.RandomState, length: int = DEEP) -> Expression:
    """y = (((a + c) + c) + ...) * k."""
    a, c, k = (round(float(x), 4) for x in (rng.uniform(0.5, 1.5), rng.uniform(1e-4, 1e-3), rng.uniform(1.2, 3.0)))
    adds = [["+", 0, 1], *(["+", place, 1] for place in range(3, length + 1))]
    return Expression("deep chain", [a, c, k], [*adds, ["*", length + 1, 2]])


def expressions(rng: np.random.RandomState, operations: Sequence[str] = OPERATIONS) -> list[Expression]:
    """The whole set for an engine with these operations: "+" and "*" and any of the others."""
    found = [tree(rng, 3, operations), tree(rng, 5, operations), itself(rng, "+"), itself(rng, "*")]
    found += [one for sign in operations for one in shared(rng, sign)]
    found += [shut_relu(rng)] if {"relu", "tanh"} <= set(operations) else []
    found += [graph(rng, 2, 5, operations), graph(rng, 3, 8, operations), graph(rng, 4, 12, operations)]
    return [*found, chain(rng)]


# ---------------------------------------------------------------- drawing until it is sound


class _Draft:
    def __init__(self, rng, n_leaves):
        self.rng, self.steps = rng, []
        self.leaves = [round(float(s * u), 3) for s, u in zip(rng.choice([-1.0, 1.0], n_leaves), rng.uniform(0.5, 1.6, n_leaves), strict=True)]

    def step(self, sign, left, right=None):
        """Its place. What the operation does not take is left out; a number it needs is drawn."""
        if sign in WITH_NUMBER:
            right = int(self.rng.choice([-2, -1, 2, 3])) if sign == "** k" else round(float(self.rng.uniform(1.2, 3.0)), 2)
        self.steps.append([sign, left] if sign in UNARY else [sign, left, right])
        return len(self.leaves) + len(self.steps) - 1

    def join(self, sign):
        """One last value to which everything leads."""
        used = {one for kind, first, *second in self.steps for one in (first, *(second if kind in BINARY else ()))}
        last = len(self.leaves) + len(self.steps) - 1
        for place in range(last):
            if place not in used:
                last = self.step(sign, last, place)


def _one_of(rng, operations, among=OPERATIONS):
    fit = [sign for sign in operations if sign in among]
    return fit[int(rng.randint(len(fit)))]


def _first_sound(group, draw, wanted=lambda expression: True, shut=False):
    for _ in range(TRIES):
        draft = draw()
        expression = Expression(group, draft.leaves, draft.steps)
        if wanted(expression) and _sound(expression, shut):
            return expression
    raise ValueError(f"no expression for {group!r} was found in {TRIES} draws: these operations do not allow one")


def _sound(expression, shut=False):
    """Values of moderate size away from every kink, and gradients of the leaves that are neither zero nor alike."""
    try:
        values = [x.real for x in run([complex(x) for x in expression.leaves], expression.steps)]
    except (ArithmeticError, ValueError):
        return False
    if not all(SMALL <= abs(x) <= LARGE or (shut and x == 0.0) for x in values):
        return False
    gradients = np.sort(np.abs(slopes(expression.leaves, expression.steps, leaves_only=True)))
    return bool(gradients[0] > SMALL and gradients[-1] < LARGE**2 and (np.diff(gradients) > 0.01 * gradients[1:]).all())


def _lengths(expression):
    """(shortest, longest) number of steps from each value to the last one."""
    inputs = inputs_of_each(expression)
    shortest, longest = [len(inputs)] * len(inputs), [-1] * len(inputs)
    shortest[-1] = longest[-1] = 0
    for place in reversed(range(len(inputs))):
        for one in inputs[place] if longest[place] >= 0 else ():
            shortest[one], longest[one] = min(shortest[one], shortest[place] + 1), max(longest[one], longest[place] + 1)
    return shortest, longest
