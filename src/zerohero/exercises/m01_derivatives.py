"""m01: what a derivative measures. Slopes by nudging, the chain rule by hand, a gradient check.

Truth here is a slope measured by ``zerohero.gradcheck``, a closed form of the particular test functions, or a figure
worked by hand; a formula that an exercise asks for stands nowhere in this file. The figures of the lesson come first in
the visible cases; the designed_ functions draw the others, and the hidden ones.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..exercise import Case, Exercise, Question
from ..gradcheck import numerical_gradient, observe
from ..gradcheck.arguments import signed
from ..gradcheck.expressions import run, slopes
from .kinds import function_exercise

EXACT = {"rtol": 2e-9, "atol": 2e-9}
"""Tolerances where the truth is a closed form and an answer is a few operations: an answer in float32 is off by 3e-8."""

# ---------------------------------------------------------------- functions of one variable, named by text

NAMED = {"sin(x)": np.sin, "exp(x)": np.exp, "tanh(x)": np.tanh, "1/x": lambda x: 1 / x}

# slope of the straight line through two points of the curve, written so that it is exact for points close together
SECANTS = {
    "sin(x)": lambda p, q: np.cos((p + q) / 2) * np.sinc((q - p) / (2 * np.pi)),
    "exp(x)": lambda p, q: np.exp(p) * np.expm1(q - p) / (q - p),
    "tanh(x)": lambda p, q: np.sinh(q - p) / ((q - p) * np.cosh(p) * np.cosh(q)),
    "1/x": lambda p, q: -1 / (p * q),
}


def function_named(text: str) -> Callable[[float], float]:
    """The function that a case names: a key of NAMED, or a polynomial such as "3*x**2 - 4*x + 5"."""
    if text in NAMED:
        return NAMED[text]
    terms = _terms(text)
    return lambda x: sum(c * x**k for k, c in terms)


def secant_slope(text: str, p: float, q: float) -> float:
    """Slope of the line through the points of the named function at p and q, p != q."""
    if text in SECANTS:
        return float(SECANTS[text](p, q))
    # (q^k - p^k) / (q - p) = q^(k-1) + q^(k-2) p + ... + p^(k-1)
    return float(sum(c * sum(q**j * p ** (k - 1 - j) for j in range(k)) for k, c in _terms(text)))


def _terms(polynomial):
    """ "3*x**2 - 4*x + 5" -> [(2, 3.0), (1, -4.0), (0, 5.0)]."""
    terms = []
    for term in polynomial.replace("- ", "+ -").split("+ "):
        number, has_x, power = term.strip().partition("*x")
        terms.append((int(power.removeprefix("**") or 1) if has_x else 0, float(number)))
    return terms


def _with_function(inputs):
    return {**inputs, "f": function_named(inputs["f"])}


def _slope_case(group, f, x, h):
    return Case(group, {"f": f, "x": x, "h": h})


PARABOLA = "3*x**2 - 4*x + 5"


def designed_steps(rng: np.random.RandomState) -> list[Case]:
    """Functions, places and steps for a difference quotient."""
    cases = []
    for _ in range(4):
        cases.append(_slope_case("polynomials", _polynomial(rng), signed(rng), round(float(rng.uniform(0.005, 0.2)), 4)))
        cases.append(_slope_case("large steps", _polynomial(rng), signed(rng), round(float(rng.uniform(0.7, 3.0)), 3)))
    for name in ("sin(x)", "exp(x)", "tanh(x)"):
        cases.append(_slope_case("other functions", name, signed(rng, 0.3, 1.5), round(float(rng.uniform(0.01, 0.4)), 4)))
        cases.append(_slope_case("large steps", name, signed(rng, 0.3, 1.5), round(float(rng.uniform(0.5, 2.0)), 3)))
    return [*cases, _slope_case("other functions", "1/x", signed(rng, 2.0, 5.0), round(float(rng.uniform(0.01, 0.5)), 4))]


def _polynomial(rng):
    coefficients = [signed(rng) for _ in range(int(rng.randint(3, 6)))]
    return " + ".join(f"{c!r}*x**{k}" for k, c in enumerate(coefficients, start=1)) + f" + {round(float(rng.uniform(-9, 9)), 2)!r}"


def _shown_forward():
    return [
        _slope_case("polynomials", PARABOLA, 3.0, 0.001),
        _slope_case("polynomials", PARABOLA, -1.5, 0.01),
        _slope_case("other functions", "sin(x)", 1.0, 0.001),
        _slope_case("large steps", PARABOLA, 3.0, 2.0),
    ]


forward_difference = function_exercise(
    "m01-forward-difference",
    "Slope by one nudge to the right",
    "forward_difference(f, x, h)",
    cases=lambda rng: [*_shown_forward(), *designed_steps(rng)],
    prepare=_with_function,
    truth=lambda inputs: secant_slope(inputs["f"], inputs["x"], inputs["x"] + inputs["h"]),
    result="slope",
    **EXACT,
    hints=(
        "A slope compares two changes: how far the output moved, and how far the input moved.",
        "You need the function at two places, x and x + h. The input moved by h.",
        "Call f twice and keep both results; subtract the old one from the new one; then one division is left. Mind that Python divides before it subtracts.",
    ),
)


def _shown_central():
    return [
        _slope_case("polynomials", "2*x**3 - 1*x + 4", 1.2, 0.01),
        _slope_case("polynomials", PARABOLA, 3.0, 0.05),
        _slope_case("other functions", "sin(x)", 1.0, 0.1),
        _slope_case("large steps", "2*x**3 - 1*x + 4", 0.5, 2.0),
    ]


central_difference = function_exercise(
    "m01-central-difference",
    "Slope by a nudge to either side",
    "central_difference(f, x, h)",
    cases=lambda rng: [*_shown_central(), *designed_steps(rng)],
    prepare=_with_function,
    truth=lambda inputs: secant_slope(inputs["f"], inputs["x"] - inputs["h"], inputs["x"] + inputs["h"]),
    result="slope",
    **EXACT,
    hints=(
        "One place is h to the left of x, the other h to the right. x itself is not used.",
        "Output at the right place minus output at the left place, over the distance between the two places.",
        "How far is it from x - h to x + h? That is what you divide by; put it in parentheses.",
    ),
)


# ---------------------------------------------------------------- several variables


def _partials_case(group, a, b, c):
    return Case(group, {"a": a, "b": b, "c": c}, dict(zip("abc", slopes([a, b, c], [["*", 0, 1], ["+", 3, 2]], leaves_only=True), strict=True)))


def designed_partials(rng: np.random.RandomState) -> list[Case]:
    """Numbers of every pair of signs, and a zero in each place."""
    cases = [_partials_case("values", *(signed(rng, 0.3, 9.0) for _ in range(3))) for _ in range(3)]
    for a, b in ((1, -1), (-1, 1), (-1, -1)):
        cases.append(_partials_case("signs", a * abs(signed(rng)), b * abs(signed(rng, 0.3, 7.0)), signed(rng)))
    return cases + [_partials_case("zeros", *one) for one in _with_a_zero(rng, 3)]


def _with_a_zero(rng, n):
    """n lists of n numbers, 0 at another place in each."""
    return [[0.0 if place == zero else signed(rng, 0.2, 1.2) for place in range(n)] for zero in range(n)]


partials = function_exercise(
    "m01-partials",
    "The three partial derivatives of d = a*b + c",
    "partials(a, b, c)",
    cases=lambda rng: [_partials_case("values", 2.0, -3.0, 10.0), *designed_partials(rng)],
    result="partials",
    rtol=1e-5,
    atol=1e-5,  # an answer may nudge: with a step of 1e-8 it is good to about 1e-6
    hints=(
        "A partial derivative moves one input and holds the other two where they are.",
        "For a: compare d at (a + h, b, c) with d at (a, b, c), and divide by h. Start again from (a, b, c) for the next one.",
        "Without nudging: write d for a + h, multiply out, and see what is left beside a*b + c. It is h times something; that something is the partial.",
    ),
)


def _best_h_case(group, steps, measured, true_slope, best):
    return Case(group, {"measured": measured, "steps": steps, "true_slope": true_slope}, best)


def _best_h_cases(rng):
    curve = [0.0678264420177852, 0.536085981011869, 0.5402602314186211, 0.5403023028982545, 0.5403455460850637, 0.5440092820663267]  # forward, sin at 1
    return [
        _best_h_case("steps in order", [1.0, 1e-2, 1e-4, 1e-8, 1e-12, 1e-14], curve, 0.5403023058681398, 1e-8),
        _best_h_case("steps in order", [0.1, 0.01, 0.001], [14.3, 14.03, 14.003], 14.0, 0.001),
        _best_h_case("steps in any order", [1e-12, 0.1, 1e-3, 1e-9], [0.786426479, 0.785503023, 0.786447638, 0.786447727], 0.7864477329659274, 1e-9),
        _best_h_case("steps in any order", [0.02, 1e-7, 0.3], [-2.5, -2.02, -2.4], -2.49, 0.02),
        _best_h_case("errors of both signs", [1e-3, 0.1, 1.0, 0.5], [1.9, 2.05, 1.2, 2.4], 2.0, 0.1),
        _best_h_case("errors of both signs", [0.5, 1e-2, 1e-1], [-3.3, -2.9, -3.04], -3.0, 0.1),
        _best_h_case("errors of both signs", [0.1, 1e-2, 1e-3], [-2.0, 2.3, 1.6], 2.0, 1e-2),
        _best_h_case("large errors", [1.0, 0.1, 10.0], [-8e13, 5e12, 9e13], 7.0, 0.1),
        _best_h_case("true slope zero", [0.1, 1e-2, 1e-9, 1e-11], [0.3, 0.03, -0.003, 0.05], 0.0, 1e-9),
        _best_h_case("true slope zero", [1e-13, 0.25], [-0.31, 0.75], 0.0, 1e-13),
    ]


def _with_measure(inputs):
    table = dict(zip(inputs["steps"], inputs["measured"], strict=True))

    def measure(h):
        if h not in table:
            raise ValueError("measure(h) was called with a number that is none of the steps")
        return table[h]

    return {"measure": measure, "steps": inputs["steps"], "true_slope": inputs["true_slope"]}


best_h = function_exercise(
    "m01-best-h",
    "The step that measures best",
    "best_h(measure, steps, true_slope)",
    cases=_best_h_cases,
    prepare=_with_measure,
    result="step",
    hints=(
        "Good means close to the true slope, from above or from below. Neither the smallest nor the largest step is best by nature.",
        "Measure once with each step; the size of measured - true_slope, its sign taken off by abs(), is the error of that step.",
        "Go through the steps and keep the one with the smallest error seen so far, or give min() a key. You are asked for the step, not its place or its error.",
    ),
)


# ---------------------------------------------------------------- local derivatives

FORWARDS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "pow": lambda a, b: a**b,
    "exp": np.exp,
    "tanh": np.tanh,
    "relu": lambda a: np.maximum(a, 0.0),
}
TWO_INPUTS = ("+", "*")


def local_slopes(inputs: Mapping[str, Any]) -> Any:
    """The slopes that local_derivatives is to give, measured: two for + and *, else one, by the first input."""
    op, forward = inputs["op"], FORWARDS[inputs["op"]]
    if op in TWO_INPUTS:
        return [float(g) for g in numerical_gradient(forward, [np.float64(inputs["a"]), np.float64(inputs["b"])])]
    f = (lambda a: forward(a, inputs["b"])) if op == "pow" else forward
    return float(numerical_gradient(f, [np.float64(inputs["a"])])[0])


def _local_case(op, a, b=None):
    inputs = {"op": op, "a": a, "b": b}
    return Case(op, inputs, local_slopes(inputs))


def _large_case(op, a, b, slopes):
    return Case("large numbers", {"op": op, "a": a, "b": b}, slopes)  # too large to be measured: slopes known without it


def _shown_local():
    return [
        _local_case("+", 2.0, -3.0),
        _local_case("*", 2.0, -3.0),
        _local_case("pow", 3.0, 2.0),
        _local_case("exp", 0.8),
        _local_case("tanh", 0.5),
        _local_case("relu", 1.3),
        _local_case("relu", 0.2),
        _large_case("+", 3e12, -0.002, [1.0, 1.0]),
        _large_case("*", 4e9, 0.7, [0.7, 4e9]),
        _large_case("tanh", 400.0, None, 0.0),
        _large_case("tanh", -1000.0, None, 0.0),
        _large_case("exp", -1000.0, None, 0.0),
    ]


def designed_local(rng: np.random.RandomState) -> list[Case]:
    """Both signs for every operation, a zero factor, and powers of each kind: of a negative number only whole ones."""
    cases = [_local_case(op, signed(rng, 0.3, 5.0), signed(rng, 0.3, 5.0)) for op in TWO_INPUTS for _ in range(4)]
    cases += [_local_case(op, a, b) for op in TWO_INPUTS for a, b in ((signed(rng), 0.0), (0.0, signed(rng)))]
    cases += [_local_case("pow", signed(rng, 0.5), exponent) for exponent in (2.0, 3.0, 4.0, -2.0, 1.0)]
    cases += [_local_case("pow", 0.0, 3.0), _local_case("pow", -abs(signed(rng)), 2.0)]
    cases += [_local_case("pow", abs(signed(rng, 0.5)), signed(rng, 0.3, 2.5)) for _ in range(3)]
    return cases + [_local_case(op, sign * abs(signed(rng, 0.3, 2.0))) for op in ("exp", "tanh", "relu") for sign in (1, -1, 1, -1)]


def _probe_local(function, inputs):
    seen = observe(function, inputs)
    for key in ("value", "again"):  # one slope in a tuple, list or array of its own is as good as the number
        if inputs["op"] not in TWO_INPUTS and isinstance(seen[key], (list, np.ndarray)) and np.shape(seen[key]) == (1,):
            seen[key] = seen[key][0]
    return seen


local_derivatives = replace(
    function_exercise(
        "m01-local-derivatives",
        "The slopes of + * pow exp tanh relu",
        "local_derivatives(op, a, b=None)",
        cases=lambda rng: [*_shown_local(), *designed_local(rng)],
        result="slope",
        rtol=1e-6,
        atol=1e-8,  # most of the truth is measured
        by_formula=True,
        hints=(
            "One operation at a time, as if it were alone in the world: by how much does the output move per unit of each input?",
            "A sum moves as much as its input does. A product moves by the other factor. exp is its own slope, a power comes down one, relu is a straight line on each side of 0.",
            "The slope of tanh is easiest to write with its own output t: start from 1 and take something away that is 1 where the curve is flat and 0 where it is steepest.",
        ),
    ),
    probe=_probe_local,
)


# ---------------------------------------------------------------- the chain rule


CHAIN = [["*", 0, 1], ["+", 4, 2], ["*", 5, 3]]
"""L = (a*b + c)*f: of the leaves a, b, c and f come e = a*b, d = e + c and L itself."""


def _chain_case(group, a, b, c, f):
    gradient = dict(zip("abcfed", slopes([a, b, c, f], CHAIN), strict=False))
    return Case(group, {"a": a, "b": b, "c": c, "f": f}, {key: gradient[key] for key in "abcedf"})


def designed_chain(rng: np.random.RandomState) -> list[Case]:
    """Leaves of both signs, one of them zero, one of them so large that nudging loses every digit."""
    cases = [_chain_case("values", *(signed(rng, 0.3, 6.0) for _ in range(4))) for _ in range(4)]
    cases += [_chain_case("zeros", *leaves) for leaves in _with_a_zero(rng, 4)]
    return [*cases, _chain_case("numbers of very different size", signed(rng), signed(rng), float(rng.uniform(1e12, 1e13)), signed(rng))]


chain_by_hand = function_exercise(
    "m01-chain-by-hand",
    "Six gradients of L = (a*b + c)*f",
    "chain_by_hand(a, b, c, f)",
    cases=lambda rng: [_chain_case("values", 2.0, -3.0, 10.0, -2.0), *designed_chain(rng)],
    result="gradients",
    **EXACT,
    by_formula=True,
    hints=(
        "Start at L and walk back one operation at a time. Each step multiplies the gradient you have by one local slope.",
        "L = d*f is a product, so d and f each get the other factor. d = e + c is a sum, so it hands its gradient on unchanged to both. e = a*b is a product again.",
        "Work out e and d first, then write the gradients in the order f, d, e, c, b, a. The last two are the gradient of e times a local slope of a*b.",
    ),
)


NEURON = ("x1", "w1", "x2", "w2", "b")
NEURON_STEPS = [["*", 0, 1], ["*", 2, 3], ["+", 5, 6], ["+", 7, 4], ["tanh", 8]]


def _neuron_case(group, *inputs):
    gradients = slopes(inputs, NEURON_STEPS, leaves_only=True)
    o = complex(run(inputs, NEURON_STEPS)[-1]).real
    return Case(group, dict(zip(NEURON, inputs, strict=True)), {"o": o, **dict(zip(NEURON, gradients, strict=True))})


def designed_neuron(rng: np.random.RandomState) -> list[Case]:
    """Ordinary inputs, a zero in each place, a flat tanh on either side, and one weight that is tiny beside its input."""
    cases = [_neuron_case("values", *(signed(rng, 0.1, 1.1) for _ in range(5))) for _ in range(4)]
    cases += [_neuron_case("zeros", *inputs) for inputs in _with_a_zero(rng, 5)]
    for sign in (-1, 1):
        cases.append(_neuron_case("saturated", abs(signed(rng, 20, 60)), sign * abs(signed(rng, 20, 60)), *(signed(rng) for _ in range(3))))
    big = float(rng.uniform(2e6, 6e6))
    rest = [signed(rng, 0.2, 0.7) for _ in range(3)]
    return [*cases, _neuron_case("numbers of very different size", big, float(rng.uniform(0.2, 0.7)) / big, *rest)]


def _shown_neuron():
    return [
        _neuron_case("values", 2.0, -3.0, 0.0, 1.0, 6.8813735870195432),
        _neuron_case("zeros", 0.0, 0.0, 0.0, 0.0, 0.0),
        _neuron_case("saturated", 4.0, 5.0, 2.0, 3.0, -1.0),
    ]


neuron_by_hand = function_exercise(
    "m01-neuron-by-hand",
    "One tanh neuron: output and gradients",
    "neuron_by_hand(x1, w1, x2, w2, b)",
    cases=lambda rng: [*_shown_neuron(), *designed_neuron(rng)],
    result="neuron",
    **EXACT,
    by_formula=True,
    hints=(
        "It is the chain rule again: a tanh at the end, a sum before it, two products before that.",
        "Give the sum inside tanh a name, n, and find the gradient of n first. Every one of the five starts from it: b and both products get it unchanged.",
        "The slope of tanh at n is written with the output o, not with n. Then x1 gets the gradient of n times the weight it is multiplied by, and that weight gets it times x1.",
    ),
)


def _step_case(group, leaves, gradients, step, new):
    a, b, c, f = leaves
    da, db, dc, df = gradients
    inputs = {"values": {"a": a, "b": b, "c": c, "f": f}, "grads": {"a": da, "b": db, "c": dc, "e": dc, "d": dc, "f": df}, "step": step}
    return Case(group, inputs, new)


def _step_cases(rng):
    lecture, second, third = (2.0, -3.0, 10.0, -2.0), (-1.5, 0.5, 2.0, 3.0), (0.4, 1.25, -3.0, -0.8)
    return [
        _step_case("values", lecture, (6.0, -4.0, -2.0, 4.0), 0.01, -7.286496),
        _step_case("values", second, (1.5, -4.5, 3.0, 1.25), 0.02, 4.4083325),
        _step_case("values", third, (-1.0, -0.32, -0.8, -2.5), 0.05, 2.4124925),
        _step_case("other steps", lecture, (6.0, -4.0, -2.0, 4.0), -0.01, -8.726304),
        _step_case("other steps", lecture, (6.0, -4.0, -2.0, 4.0), 0.25, 4.5),
        _step_case("other steps", second, (1.5, -4.5, 3.0, 1.25), 0.7, 20.5084375),
    ]


one_step = function_exercise(
    "m01-one-step",
    "One step along the gradient",
    "one_step(values, grads, step)",
    cases=_step_cases,
    result="L",
    **EXACT,
    hints=(
        "Only the four numbers you can choose move: a, b, c and f. The others are worked out anew from them.",
        "Each of the four moves by step times its own gradient, all at the same time. Then L = (a*b + c)*f with the moved numbers.",
        "Make four new variables, one a line, from values[...] and grads[...]; leave both dicts as they came. A sum, because you want L to go up.",
    ),
)


# ---------------------------------------------------------------- comparing and checking


def _error_case(group, x, y, floor, error):
    return Case(group, {"x": x, "y": y, "floor": floor}, error)


def _error_cases(rng):
    return [
        _error_case("values", 10.0, 8.0, 1.0, 0.2),
        _error_case("values", 14.003, 14.0, 1.0, 0.003 / 14.003),
        _error_case("values", 0.25, 0.2, 0.001, 0.2),
        _error_case("order of the two", 8.0, 10.0, 1.0, 0.2),
        _error_case("order of the two", 2e5, 5e5, 1.0, 0.6),
        _error_case("negative numbers", -10.0, -8.0, 1.0, 0.2),
        _error_case("negative numbers", 3.0, -3.0, 1.0, 2.0),
        _error_case("negative numbers", -1.0, 4.0, 0.5, 1.25),
        _error_case("zeros", 0.0, 0.0, 1.0, 0.0),
        _error_case("zeros", 0.0, 0.0, 0.001, 0.0),
        _error_case("zeros", 3e-4, 0.0, 1.0, 3e-4),
        _error_case("zeros", 0.0, -0.02, 0.1, 0.2),
    ]


rel_error = function_exercise(
    "m01-rel-error",
    "An error that is sane at zero",
    "rel_error(x, y, floor)",
    cases=_error_cases,
    result="error",
    **EXACT,
    hints=(
        "Off by 0.003 is little beside 14 and much beside 0.001: an error means something only beside a size.",
        "The size is the largest of three numbers: x and y without their signs, and floor. So it is never 0, and x and y may change places.",
        "One line: abs() of the difference above, max() of three things below.",
    ),
)


SEVERAL: dict[str, Callable[..., Any]] = {
    "a*b + c": lambda a, b, c: a * b + c,
    "(a*b + c)*f": lambda a, b, c, f: (a * b + c) * f,
    "tanh(x1*w1 + x2*w2 + b)": lambda x1, w1, x2, w2, b: math.tanh(x1 * w1 + x2 * w2 + b),
    "x**2 + 3*y": lambda x, y: x**2 + 3 * y,
    "1000000*x*y": lambda x, y: 1000000 * x * y,
}


def _check_case(group, f, point, claimed, right):
    return Case(group, {"f": f, "point": point, "claimed": claimed}, right)


def _check_cases(rng):
    lecture, neuron = [2.0, -3.0, 10.0, -2.0], [2.0, -3.0, 0.0, 1.0, 6.8813735870195432]
    return [
        _check_case("values", "(a*b + c)*f", lecture, [6.0, -4.0, -2.0, 4.0], [True, True, True, True]),
        _check_case("values", "(a*b + c)*f", lecture, [6.0, 4.0, -2.0, 4.0], [True, False, True, True]),
        _check_case("values", "a*b + c", [1.5, -0.5, 2.0], [1.5, -0.5, 1.0], [False, False, True]),
        _check_case("values", "tanh(x1*w1 + x2*w2 + b)", neuron, [-3.0, 2.0, 1.0, 0.0, 1.0], [False, False, False, True, False]),
        _check_case("small errors", "x**2 + 3*y", [1.5, 2.0], [3.03, 3.0], [False, True]),
        _check_case("small errors", "a*b + c", [4.0, 2.5, -1.0], [2.5, 3.96, 1.01], [True, False, False]),
        _check_case("just over and just under the limit", "a*b + c", [1.6, 1.2, 0.3], [1.2 + 2.9e-4, 1.6 - 5e-5, 1.0], [False, True, True]),
        _check_case("just over and just under the limit", "x**2 + 3*y", [1.1, -0.6], [2.2 - 6e-5, 3.0 + 6e-4], [True, False]),
        _check_case("just over and just under the limit", "a*b + c", [3.7, 4e-5, 0.8], [0.0, 3.7, 1.0], [True, True, True]),
        _check_case("zero gradients", "tanh(x1*w1 + x2*w2 + b)", neuron, [-1.5, 1.0, 0.5, 0.0, 0.5], [True, True, True, True, True]),
        _check_case("zero gradients", "x**2 + 3*y", [0.0, 1.0], [0.02, 0.0], [False, False]),
        _check_case("zero gradients", "a*b + c", [0.0, 0.0, 1.3], [0.0, 0.0, 0.0], [True, True, False]),
        _check_case("large gradients", "1000000*x*y", [312.7, -20.3], [-20.3e6, 312.7e6], [True, True]),
        _check_case("large gradients", "1000000*x*y", [-41.9, 7.7], [7.8e6, -41.9e6], [False, True]),
        _check_case("not a number", "a*b + c", [2.0, -3.0, 10.0], [-3.0, float("nan"), 1.0], [True, False, True]),
        _check_case("not a number", "x**2 + 3*y", [1.5, 2.0], [3.0, float("inf")], [True, False]),
    ]


grad_check = function_exercise(
    "m01-grad-check",
    "A gradient check of your own",
    "grad_check(f, point, claimed)",
    cases=_check_cases,
    prepare=lambda inputs: {**inputs, "f": SEVERAL[inputs["f"]]},
    result="right",
    hints=(
        "It is the partials exercise for any function: nudge one entry of the point, hold the others, measure, compare with what is claimed.",
        "For entry i make two copies of the point, one with entry i a little larger, one a little smaller. f(*copy) hands the entries to f one by one.",
        "Append True when the error is at most 1e-4. Ask it that way round: nan is neither larger nor smaller than anything, so `error > 1e-4` would let it through.",
    ),
)


EXERCISES: list[Exercise] = [
    forward_difference,
    central_difference,
    partials,
    best_h,
    local_derivatives,
    chain_by_hand,
    neuron_by_hand,
    one_step,
    rel_error,
    grad_check,
]


def _question(id: str, asks: str, answer: Any, why: str, tolerance: float = 1e-9) -> Question:
    return Question(f"m01-predict-{id}", asks, answer, why, tolerance)


QUESTIONS: Sequence[Question] = [
    _question(
        "smallest-step",
        "which of the steps 1e-2, 1e-8 and 1e-14 gives (sin(1 + h) - sin(1)) / h closest to the true slope?",
        1e-8,
        "1e-2 is coarse: it is off in the third digit. 1e-14 is off in the third digit too: sin(1 + h) and sin(1) agree in nearly all the digits a computer keeps, and few are left after the subtraction.",
    ),
    _question(
        "signs",
        'which signs do the three slopes of d = a*b + c have at a = 2, b = -3, c = 10? For example ("+", "+", "-") for a, b, c.',
        ("-", "+", "+"),
        "A larger a makes a*b more negative, because b is negative; a larger b is multiplied by a positive a; c is simply added.",
    ),
    _question(
        "chain",
        "L = d * f with d = 4 and f = -2. d grows by 0.001. By how much does L change?",
        -0.002,
        "Each unit of d moves L by f = -2, so 0.001 units move it by -0.002.",
    ),
    _question(
        "slope-at-3", "what is the slope of 3x^2 - 4x + 5 at x = 3?", 14, "The rule from school gives 6x - 4 = 14. Next you measure it without any rule.", 0.01
    ),
    _question(
        "second-weight",
        "in this neuron x2 = 0. What is the gradient of w2?",
        0,
        "w2 reaches the output only as w2 * x2. When x2 is 0, no change of w2 can be seen at the output.",
    ),
    _question(
        "direction",
        'a, b, c and f each move by 0.01 times their own gradient. Does L = -8 go "up" or "down"?',
        "up",
        "A positive gradient says a larger number makes L larger, and it is made larger; a negative one says the reverse, and it is made smaller. All four push L up.",
    ),
    _question(
        "step-again",
        "now in float32, which keeps 7 digits instead of 16, and with the central difference: which of the steps 1, 1e-2 and 1e-6 measures the slope of sin at 1 best?",
        1e-2,
        "With 7 digits the subtraction runs out of them much earlier: in the plot of section 4 the float32 curve of the central difference stops falling at 1e-2.",
    ),
    _question(
        "signs-again",
        "which signs do the slopes of d = a*b - c have at a = -2, b = 5, c = 1? A tuple for a, b, c.",
        ("+", "-", "-"),
        "The slope of a is b, which is positive; the slope of b is a, which is negative; c is subtracted.",
    ),
    _question(
        "chain-again",
        "o = tanh(w*x) with w = -2, and the output is o = 0.6. What is the slope of o with respect to x?",
        -1.28,
        "The local slope of tanh is 1 - 0.6^2 = 0.64; the local slope of w*x is w = -2; the chain rule multiplies them.",
        1e-6,
    ),
]
