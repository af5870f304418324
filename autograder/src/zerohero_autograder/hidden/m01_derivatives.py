"""Hidden cases of m01. Truth is a closed form computed here, where no student can read it."""

import math

from zerohero.exercise import Case
from zerohero.exercises.m01_derivatives import SEVERAL, TWO_INPUTS, local_slopes


def _away_from_zero(rng, n, low=0.3, high=3.0):
    """n numbers of random sign and of a size between low and high, to three decimals."""
    return [round(float(s * u), 3) for s, u in zip(rng.choice([-1.0, 1.0], n), rng.uniform(low, high, n), strict=True)]


def _polynomial(rng):
    coefficients = _away_from_zero(rng, int(rng.randint(3, 6)))
    return " + ".join(f"{c!r}*x**{k}" for k, c in enumerate(coefficients, start=1)) + f" + {round(float(rng.uniform(-9, 9)), 2)!r}"


def _difference_cases(rng):
    cases = []
    for _ in range(4):
        cases.append(Case("polynomials", {"f": _polynomial(rng), "x": _away_from_zero(rng, 1)[0], "h": round(float(rng.uniform(0.005, 0.2)), 4)}))
        cases.append(Case("large steps", {"f": _polynomial(rng), "x": _away_from_zero(rng, 1)[0], "h": round(float(rng.uniform(0.7, 3.0)), 3)}))
    for name in ("sin(x)", "exp(x)", "tanh(x)"):
        cases.append(Case("other functions", {"f": name, "x": _away_from_zero(rng, 1, high=1.5)[0], "h": round(float(rng.uniform(0.01, 0.4)), 4)}))
        cases.append(Case("large steps", {"f": name, "x": _away_from_zero(rng, 1, high=1.5)[0], "h": round(float(rng.uniform(0.5, 2.0)), 3)}))
    x = _away_from_zero(rng, 1, 2.0, 5.0)[0]
    cases.append(Case("other functions", {"f": "1/x", "x": x, "h": round(float(rng.uniform(0.01, 0.5)), 4)}))
    return cases


def _partials_cases(rng):
    points = [("values", _away_from_zero(rng, 3, high=9.0)) for _ in range(3)]
    for signs in ((1, -1), (-1, 1), (-1, -1)):
        a, b, c = _away_from_zero(rng, 3, high=7.0)
        points.append(("signs", [signs[0] * abs(a), signs[1] * abs(b), c]))
    a, b, c = _away_from_zero(rng, 3, high=7.0)
    points += [("zeros", [0.0, b, c]), ("zeros", [a, 0.0, c]), ("zeros", [a, b, 0.0])]
    return [Case(group, {"a": a, "b": b, "c": c}, {"a": b, "b": a, "c": 1.0}) for group, (a, b, c) in points]


def _best_h_cases(rng):
    def case(group, steps, errors, true_slope):
        best = steps[min(range(len(steps)), key=lambda i: abs(errors[i]))]
        return Case(group, {"measured": [true_slope + e for e in errors], "steps": steps, "true_slope": true_slope}, best)

    def errors(n, signs):
        sizes = rng.permutation(n) + rng.uniform(0.1, 0.6, n)  # pairwise distinct
        return [float(e) for e in 0.01 * sizes * rng.choice(signs, n)]

    cases = []
    for n in (5, 7, 11):
        ordered = [10.0**-k for k in range(n)]
        slope = _away_from_zero(rng, 1)[0]
        cases.append(case("steps in order", ordered, errors(n, [1.0]), slope))
        cases.append(case("steps in any order", [ordered[i] for i in rng.permutation(n)], errors(n, [1.0]), slope))
        cases.append(case("errors of both signs", ordered, errors(n, [-1.0, 1.0]), slope))
        cases.append(case("true slope zero", [ordered[i] for i in rng.permutation(n)], errors(n, [-1.0, 1.0]), 0.0))
    cases.append(case("steps in any order", [0.37], [0.2], 1.0))
    cases.append(case("large errors", [10.0 ** -int(k) for k in rng.permutation(5)], [1e15 * e for e in errors(5, [-1.0, 1.0])], 1.7))
    slope = _away_from_zero(rng, 1)[0]
    mirrored = [float(u) * slope for u in (-2.0, *rng.uniform(0.1, 0.4, 3))]  # a slope of the right size and the wrong sign comes first
    cases.append(case("errors of both signs", ordered[:4], mirrored, slope))
    return cases


def _local_cases(rng):
    def case(op, a, b=None):
        inputs = {"op": op, "a": a, "b": b}
        return Case(op, inputs, local_slopes(inputs))

    def large(op, a, b, slopes):
        return Case("large numbers", {"op": op, "a": a, "b": b}, slopes)

    cases = []
    for op in TWO_INPUTS:
        cases += [case(op, a, b) for a, b in zip(_away_from_zero(rng, 4, high=5.0), _away_from_zero(rng, 4, high=5.0), strict=True)]
        cases.append(case(op, _away_from_zero(rng, 1)[0], 0.0))
    for exponent in (2.0, 3.0, 4.0, -2.0, 1.0):
        cases.append(case("pow", _away_from_zero(rng, 1, 0.5)[0], exponent))
    cases += [case("pow", 0.0, 3.0), case("pow", -abs(_away_from_zero(rng, 1)[0]), 2.0)]
    for _ in range(3):  # an exponent that is no whole number: of positive numbers only
        cases.append(case("pow", round(float(rng.uniform(0.5, 3.0)), 3), _away_from_zero(rng, 1, high=2.5)[0]))
    for op in ("exp", "tanh", "relu"):
        cases += [case(op, sign * abs(_away_from_zero(rng, 1, high=2.0)[0])) for sign in (1, -1, 1, -1)]
    size, other = float(rng.uniform(1e9, 1e10)), _away_from_zero(rng, 1)[0]
    cases += [large("tanh", sign * float(rng.uniform(750, 3000)), None, 0.0) for sign in (1, -1)]
    cases += [large("exp", -float(rng.uniform(800, 2000)), None, 0.0), large("relu", size, None, 1.0), large("relu", -size, None, 0.0)]
    cases += [large("*", size, other, [other, size]), large("+", other, 1000 * size, [1.0, 1.0])]
    return cases


def _gradients(a, b, c, f):
    """All six gradients of L = (a*b + c)*f."""
    return {"a": b * f, "b": a * f, "c": f, "e": f, "d": f, "f": a * b + c}


def _chain_cases(rng):
    leaves = [("values", _away_from_zero(rng, 4, high=6.0)) for _ in range(4)]
    for zero in range(4):
        one = _away_from_zero(rng, 4)
        one[zero] = 0.0
        leaves.append(("zeros", one))
    a, b, _, f = _away_from_zero(rng, 4)
    leaves.append(("numbers of very different size", [a, b, float(rng.uniform(1e12, 1e13)), f]))
    return [Case(group, dict(zip("abcf", one, strict=True)), _gradients(*one)) for group, one in leaves]


def _neuron(x1, w1, x2, w2, b):
    n = x1 * w1 + x2 * w2 + b
    slope = 4 * math.exp(-2 * abs(n)) / (1 + math.exp(-2 * abs(n))) ** 2
    return {"o": math.tanh(n), "x1": slope * w1, "w1": slope * x1, "x2": slope * w2, "w2": slope * x2, "b": slope}


def _neuron_cases(rng):
    inputs = [("values", _away_from_zero(rng, 5, 0.1, 1.1)) for _ in range(4)]
    for zero in range(4):
        one = _away_from_zero(rng, 5, 0.1, 1.2)
        one[zero] = 0.0
        inputs.append(("zeros", one))
    for sign in (-1.0, 1.0):
        x, w = float(rng.uniform(20, 60)), float(rng.uniform(20, 60))
        inputs.append(("saturated", [x, sign * w, *_away_from_zero(rng, 3)]))
    big = float(rng.uniform(2e6, 6e6))
    inputs.append(("numbers of very different size", [big, float(rng.uniform(0.2, 0.7)) / big, *_away_from_zero(rng, 3, 0.2, 0.7)]))
    return [Case(group, dict(zip(("x1", "w1", "x2", "w2", "b"), one, strict=True)), _neuron(*one)) for group, one in inputs]


def _step_cases(rng):
    cases = []
    steps = [("values", s) for s in rng.uniform(0.005, 0.06, 4)] + [("other steps", s) for s in (*rng.uniform(0.1, 0.9, 2), -rng.uniform(0.01, 0.3))]
    for group, step in steps:
        a, b, c, f = leaves = _away_from_zero(rng, 4)
        g, s = _gradients(*leaves), round(float(step), 4)
        new = ((a + s * g["a"]) * (b + s * g["b"]) + c + s * g["c"]) * (f + s * g["f"])
        cases.append(Case(group, {"values": {"a": a, "b": b, "c": c, "f": f}, "grads": g, "step": s}, new))
    return cases


def _error_cases(rng):
    def case(group, x, y, floor):
        return Case(group, {"x": x, "y": y, "floor": floor}, abs(x - y) / max(abs(x), abs(y), floor))

    cases = []
    for _ in range(3):
        x, y = (abs(v) for v in _away_from_zero(rng, 2, 1.5, 90.0))
        cases += [case("values", x, y, 1.0), case("order of the two", y, x, 1.0), case("negative numbers", -x, y, 1.0), case("negative numbers", -x, -y, 0.01)]
        cases.append(case("zeros", 0.0, float(rng.uniform(-1e-3, 1e-3)), round(float(rng.uniform(0.01, 2.0)), 3)))
    small = float(rng.uniform(1e-6, 1e-5))
    cases += [case("zeros", 0.0, 0.0, 0.5), case("values", small, 1.07 * small, 1e-9), case("order of the two", 1e-4, 3e-4, 0.7)]
    return cases


def _tanh_neuron_gradient(*inputs):
    true = _neuron(*inputs)
    return [true[key] for key in ("x1", "w1", "x2", "w2", "b")]


GRADIENTS = {
    "a*b + c": lambda a, b, c: [b, a, 1.0],
    "(a*b + c)*f": lambda a, b, c, f: [_gradients(a, b, c, f)[key] for key in "abcf"],
    "tanh(x1*w1 + x2*w2 + b)": _tanh_neuron_gradient,
    "x**2 + 3*y": lambda x, y: [2 * x, 3.0],
    "1000000*x*y": lambda x, y: [1e6 * y, 1e6 * x],
}


def _check_cases(rng):
    def case(group, f, point, spoil):
        """Each true entry, spoiled at random, at least one spoiled and, where there are others, at least one left."""
        true = GRADIENTS[f](*point)
        n = len(true)
        wrong = set(rng.permutation(n)[: int(rng.randint(1, n))].tolist())
        return Case(group, {"f": f, "point": point, "claimed": [spoil(t) if i in wrong else t for i, t in enumerate(true)]}, [i not in wrong for i in range(n)])

    cases = []
    for f in ("a*b + c", "(a*b + c)*f", "tanh(x1*w1 + x2*w2 + b)", "x**2 + 3*y"):
        point = _away_from_zero(rng, SEVERAL[f].__code__.co_argcount, 0.4, 1.3)
        cases.append(case("values", f, point, lambda t: -t - math.copysign(0.5, t)))
        cases.append(case("values", f, point, lambda t: 2 * t + math.copysign(0.1, t)))
        cases.append(case("small errors", f, point, lambda t: t + 0.015 * max(1.0, abs(t))))
        cases.append(case("not a number", f, point, lambda t: float(rng.choice([math.nan, math.inf, -math.inf]))))
        cases.append(Case("values", {"f": f, "point": point, "claimed": GRADIENTS[f](*point)}, [True] * len(point)))
    x, y = _away_from_zero(rng, 2, 5.0, 900.0)
    cases.append(case("large gradients", "1000000*x*y", [x, y], lambda t: 1.013 * t))
    cases.append(Case("large gradients", {"f": "1000000*x*y", "point": [y, x], "claimed": [1e6 * x, 1e6 * y]}, [True, True]))
    a, b = _away_from_zero(rng, 2)
    for f in ("a*b + c", "x**2 + 3*y"):
        point = _away_from_zero(rng, SEVERAL[f].__code__.co_argcount, 1.2, 1.9)
        for size, right in ((float(rng.uniform(2.2e-4, 2.9e-4)), False), (float(rng.uniform(2e-5, 6e-5)), True)):
            true = GRADIENTS[f](*point)
            claimed = [t + size * max(1.0, abs(t)) * float(rng.choice([-1.0, 1.0])) for t in true]
            cases.append(Case("just over and just under the limit", {"f": f, "point": point, "claimed": claimed}, [right] * len(point)))
    tiny = float(rng.uniform(2e-5, 6e-5))
    cases.append(Case("just over and just under the limit", {"f": "a*b + c", "point": [tiny, -tiny, b], "claimed": [0.0, 0.0, 1.0]}, [True, True, True]))
    cases.append(Case("zero gradients", {"f": "a*b + c", "point": [a, 0.0, b], "claimed": [0.0, a, 0.0]}, [True, True, False]))
    cases.append(Case("zero gradients", {"f": "x**2 + 3*y", "point": [0.0, b], "claimed": [0.0, 0.0]}, [True, False]))
    cases.append(Case("zero gradients", {"f": "x**2 + 3*y", "point": [0.0, a], "claimed": [-0.013, 3.0]}, [False, True]))
    return cases


CASES = {
    "m01-forward-difference": _difference_cases,
    "m01-central-difference": _difference_cases,
    "m01-partials": _partials_cases,
    "m01-best-h": _best_h_cases,
    "m01-local-derivatives": _local_cases,
    "m01-chain-by-hand": _chain_cases,
    "m01-neuron-by-hand": _neuron_cases,
    "m01-one-step": _step_cases,
    "m01-rel-error": _error_cases,
    "m01-grad-check": _check_cases,
}
