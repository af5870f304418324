"""Hidden cases of m01. What is asked of the student is computed here only where no student can read it."""

import math

from zerohero.exercise import Case
from zerohero.exercises import m01_derivatives as m01
from zerohero.gradcheck import numerical_gradient
from zerohero.gradcheck.arguments import signed
from zerohero.gradcheck.expressions import slopes


def _several(rng, n, low=0.3, high=3.0):
    return [signed(rng, low, high) for _ in range(n)]


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
        slope = signed(rng)
        cases.append(case("steps in order", ordered, errors(n, [1.0]), slope))
        cases.append(case("steps in any order", [ordered[i] for i in rng.permutation(n)], errors(n, [1.0]), slope))
        cases.append(case("errors of both signs", ordered, errors(n, [-1.0, 1.0]), slope))
        cases.append(case("true slope zero", [ordered[i] for i in rng.permutation(n)], errors(n, [-1.0, 1.0]), 0.0))
    cases.append(case("steps in any order", [0.37], [0.2], 1.0))
    cases.append(case("large errors", [10.0 ** -int(k) for k in rng.permutation(5)], [1e15 * e for e in errors(5, [-1.0, 1.0])], 1.7))
    slope = signed(rng)
    mirrored = [float(u) * slope for u in (-2.0, *rng.uniform(0.1, 0.4, 3))]  # a slope of the right size and the wrong sign comes first
    cases.append(case("errors of both signs", ordered[:4], mirrored, slope))
    return cases


def _local_cases(rng):
    def large(op, a, b, slopes):
        return Case("large numbers", {"op": op, "a": a, "b": b}, slopes)

    size, other = float(rng.uniform(1e9, 1e10)), signed(rng)
    cases = [large("tanh", sign * float(rng.uniform(750, 3000)), None, 0.0) for sign in (1, -1)]
    cases += [large("exp", -float(rng.uniform(800, 2000)), None, 0.0), large("relu", size, None, 1.0), large("relu", -size, None, 0.0)]
    cases += [large("*", size, other, [other, size]), large("+", other, 1000 * size, [1.0, 1.0])]
    return m01.designed_local(rng) + cases


def _step_cases(rng):
    cases = []
    steps = [("values", s) for s in rng.uniform(0.005, 0.06, 4)] + [("other steps", s) for s in (*rng.uniform(0.1, 0.9, 2), -rng.uniform(0.01, 0.3))]
    for group, step in steps:
        a, b, c, f = leaves = _several(rng, 4)
        g = dict(zip("abcfed", slopes(leaves, m01.CHAIN), strict=False))
        s = round(float(step), 4)
        new = ((a + s * g["a"]) * (b + s * g["b"]) + c + s * g["c"]) * (f + s * g["f"])
        cases.append(Case(group, {"values": {"a": a, "b": b, "c": c, "f": f}, "grads": g, "step": s}, new))
    return cases


def _error_cases(rng):
    def case(group, x, y, floor):
        return Case(group, {"x": x, "y": y, "floor": floor}, abs(x - y) / max(abs(x), abs(y), floor))

    cases = []
    for _ in range(3):
        x, y = (abs(v) for v in _several(rng, 2, 1.5, 90.0))
        cases += [case("values", x, y, 1.0), case("order of the two", y, x, 1.0), case("negative numbers", -x, y, 1.0), case("negative numbers", -x, -y, 0.01)]
        cases.append(case("zeros", 0.0, float(rng.uniform(-1e-3, 1e-3)), round(float(rng.uniform(0.01, 2.0)), 3)))
    small = float(rng.uniform(1e-6, 1e-5))
    cases += [case("zeros", 0.0, 0.0, 0.5), case("values", small, 1.07 * small, 1e-9), case("order of the two", 1e-4, 3e-4, 0.7)]
    return cases


def _gradient(f, point):
    return [float(one) for one in numerical_gradient(m01.SEVERAL[f], point)]


def _check_cases(rng):
    def case(group, f, point, spoil):
        """Each true entry, spoiled at random, at least one spoiled and, where there are others, at least one left."""
        true = _gradient(f, point)
        n = len(true)
        wrong = set(rng.permutation(n)[: int(rng.randint(1, n))].tolist())
        return Case(group, {"f": f, "point": point, "claimed": [spoil(t) if i in wrong else t for i, t in enumerate(true)]}, [i not in wrong for i in range(n)])

    cases = []
    for f in ("a*b + c", "(a*b + c)*f", "tanh(x1*w1 + x2*w2 + b)", "x**2 + 3*y"):
        point = _several(rng, m01.SEVERAL[f].__code__.co_argcount, 0.4, 1.3)
        cases.append(case("values", f, point, lambda t: -t - math.copysign(0.5, t)))
        cases.append(case("values", f, point, lambda t: 2 * t + math.copysign(0.1, t)))
        cases.append(case("small errors", f, point, lambda t: t + 0.015 * max(1.0, abs(t))))
        cases.append(case("not a number", f, point, lambda t: float(rng.choice([math.nan, math.inf, -math.inf]))))
        cases.append(Case("values", {"f": f, "point": point, "claimed": _gradient(f, point)}, [True] * len(point)))
    x, y = _several(rng, 2, 5.0, 900.0)
    cases.append(case("large gradients", "1000000*x*y", [x, y], lambda t: 1.013 * t))
    cases.append(Case("large gradients", {"f": "1000000*x*y", "point": [y, x], "claimed": [1e6 * x, 1e6 * y]}, [True, True]))
    a, b = _several(rng, 2)
    for f in ("a*b + c", "x**2 + 3*y"):
        point = _several(rng, m01.SEVERAL[f].__code__.co_argcount, 1.2, 1.9)
        for size, right in ((float(rng.uniform(2.2e-4, 2.9e-4)), False), (float(rng.uniform(2e-5, 6e-5)), True)):
            true = _gradient(f, point)
            claimed = [t + size * max(1.0, abs(t)) * float(rng.choice([-1.0, 1.0])) for t in true]
            cases.append(Case("just over and just under the limit", {"f": f, "point": point, "claimed": claimed}, [right] * len(point)))
    tiny = float(rng.uniform(2e-5, 6e-5))
    cases.append(Case("just over and just under the limit", {"f": "a*b + c", "point": [tiny, -tiny, b], "claimed": [0.0, 0.0, 1.0]}, [True, True, True]))
    cases.append(Case("zero gradients", {"f": "a*b + c", "point": [a, 0.0, b], "claimed": [0.0, a, 0.0]}, [True, True, False]))
    cases.append(Case("zero gradients", {"f": "x**2 + 3*y", "point": [0.0, b], "claimed": [0.0, 0.0]}, [True, False]))
    cases.append(Case("zero gradients", {"f": "x**2 + 3*y", "point": [0.0, a], "claimed": [-0.013, 3.0]}, [False, True]))
    return cases


CASES = {
    "m01-forward-difference": m01.designed_steps,
    "m01-central-difference": m01.designed_steps,
    "m01-partials": m01.designed_partials,
    "m01-best-h": _best_h_cases,
    "m01-local-derivatives": _local_cases,
    "m01-chain-by-hand": m01.designed_chain,
    "m01-neuron-by-hand": m01.designed_neuron,
    "m01-one-step": _step_cases,
    "m01-rel-error": _error_cases,
    "m01-grad-check": _check_cases,
}
