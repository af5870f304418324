"""m01: its acceptance figures, right answers of an unusual kind, and wrong ones that a weaker check would pass."""

import contextlib
import io
import math
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from zerohero import predict
from zerohero.exercise import conclude, examine, find, load, run_probe
from zerohero.exercises.m01_derivatives import NAMED, SECANTS, function_named, secant_slope
from zerohero_autograder.build import source_notebook
from zerohero_autograder.hidden import hidden_cases

MODULE = "m01_derivatives"
LESSON = Path(__file__).parents[2] / "course" / MODULE / f"{MODULE}.py"
EXERCISES, QUESTIONS = load(MODULE)


@pytest.mark.parametrize(
    "figure",
    [
        "f(3)     20.0",
        "h = 0.001   slope at 3 = 14.003",
        "slope at 2/3: 0.0",
        "step   0.0: L = -8.000000",
        "step  0.01: L = -7.286496",
        "  o   0.7071",
        " x1  -1.5000",
        " w1   1.0000",
        " x2   0.5000",
        " w2   0.0000",
        "forward, float64: best step 1e-08",
        "central, float64: best step 1e-05",
        "  b   0.2232   WRONG",
        "with dout:    gradcheck: passed",
        "without dout: gradcheck: the gradient of `a` is wrong",
    ],
)
def test_the_lesson_prints_its_acceptance_figures(lesson, figure):
    assert figure in lesson[0]


def test_the_six_gradients_of_the_lecture(lesson):
    assert lesson[1]["chain_by_hand"](2.0, -3.0, 10.0, -2.0) == {"a": 6, "b": -4, "c": -2, "e": -2, "d": -2, "f": 4}


def test_every_check_of_the_lesson_passes_and_has_hidden_cases_in_each_group(lesson):
    for id, exercise in EXERCISES.items():
        assert f"{id}: passed" in lesson[0]
        visible = {case.group for case in exercise.visible_cases()}
        assert visible == {case.group for case in hidden_cases(MODULE, id, "secret")}, "a table of the visible answers must earn no group"


def test_the_lesson_asks_every_question_and_reveals_none(lesson):
    printed = " ".join(lesson[0].split())  # long questions are broken into lines
    assert all(f"{id}: {question.asks}" in printed and question.why not in printed for id, question in QUESTIONS.items())


def test_a_tuple_of_signs_is_answered_in_full(capsys):
    predict("m01-predict-signs", ("+", "+", "-"))
    assert capsys.readouterr().out.startswith("m01-predict-signs: ('-', '+', '+') (not ('+', '+', '-')).")


@pytest.mark.parametrize("text", [*NAMED, "3*x**2 - 4*x + 5", "-2*x**3 + 0.5*x"])
def test_secants_are_slopes_of_the_named_functions(text):
    f, p, q = function_named(text), 0.7, 1.9
    assert secant_slope(text, p, q) == pytest.approx((f(q) - f(p)) / (q - p), rel=1e-12)
    assert set(SECANTS) == set(NAMED)


def report_on(exercise_id, answer, secret="another secret"):
    exercise = find(exercise_id)
    cases = exercise.visible_cases() + hidden_cases(MODULE, exercise_id, secret)
    return conclude(exercise, cases, [run_probe(exercise, answer, case.inputs) for case in cases])


def by_the_distance(f, x, h):
    left, right = x, x + h
    return np.asarray(f(right) - f(left)) / np.asarray(right - left)  # a 0-d array


def nudged_partials(a, b, c):
    def d(a, b, c):
        return a * b + c

    h = 1e-8
    return {"c": np.float32(1), "b": (d(a, b + h, c) - d(a, b, c)) / h, "a": np.float64((d(a + h, b, c) - d(a, b, c)) / h)}


def best_by_array(measure, steps, true_slope):
    return np.array(steps)[np.argmin([abs(measure(np.float64(h)) - true_slope) for h in steps])]


def slopes_in_lists(op, a, b=None):
    return {
        "+": lambda: [1, 1],
        "*": lambda: np.array([b, a]),
        "pow": lambda: (b * math.pow(a, b - 1),),
        "exp": lambda: [np.exp(a)],
        "tanh": lambda: np.array([1 / np.cosh(np.clip(a, -300, 300)) ** 2]),
        "relu": lambda: int(a >= 0),
    }[op]()


def chain_in_fractions(a, b, c, f):
    a, b, c, f = map(Fraction, (a, b, c, f))
    d = a * b + c
    return {"L": float(d * f), "f": float(d), "d": float(f), "e": float(f), "c": float(f), "b": float(f * a), "a": float(f * b)}  # an extra key does no harm


def neuron_by_complex_step(x1, w1, x2, w2, b):
    def o(**inputs):
        return np.tanh(inputs["x1"] * inputs["w1"] + inputs["x2"] * inputs["w2"] + inputs["b"])

    at = {"x1": x1, "w1": w1, "x2": x2, "w2": w2, "b": b}
    return {"o": o(**at), **{name: o(**{**at, name: at[name] + 1e-30j}).imag / 1e-30 for name in at}}


def step_by_copy(values, grads, step):
    moved = {name: np.float64(value) + np.float64(step) * grads[name] for name, value in values.items()}
    return (moved["b"] * moved["a"] + moved["c"]) * moved["f"]


def check_with_forward_differences(f, point, claimed):
    point, h = np.array(point), 1e-7
    slopes = []
    with np.errstate(all="ignore"):
        for i in range(len(point)):
            nudge = np.eye(len(point))[i] * h * max(1.0, abs(point[i]))
            slopes.append((f(*(point + nudge)) - f(*point)) / nudge[i])
        return np.isclose(claimed, slopes, rtol=1e-4, atol=1e-4)


def error_by_sorting(x, y, floor):
    return np.abs(np.subtract(x, y)) / sorted([np.abs(x), floor, np.abs(y)])[-1]


@pytest.mark.parametrize(
    "exercise_id, answer",
    [
        ("m01-forward-difference", by_the_distance),
        ("m01-central-difference", lambda f, x, h: by_the_distance(f, x - h, 2 * h)),
        ("m01-central-difference", lambda f, x, h: ((f(x + h) - f(x)) / h + (f(x) - f(x - h)) / h) / 2),
        ("m01-partials", nudged_partials),
        ("m01-best-h", best_by_array),
        ("m01-best-h", lambda measure, steps, true_slope: sorted(steps, key=lambda h: (measure(h) - true_slope) ** 2)[0]),
        ("m01-local-derivatives", slopes_in_lists),
        ("m01-chain-by-hand", chain_in_fractions),
        ("m01-neuron-by-hand", neuron_by_complex_step),
        ("m01-one-step", step_by_copy),
        ("m01-rel-error", error_by_sorting),
        ("m01-grad-check", check_with_forward_differences),
    ],
)
def test_right_but_unusual_answers_pass(exercise_id, answer):
    for secret in ("first", "second", "third"):
        report = report_on(exercise_id, answer, secret)
        assert report.passed, report.findings


def best_from_a_bound(bound):
    def best_h(measure, steps, true_slope):
        best, smallest = None, bound
        for h in steps:
            if abs(measure(h) - true_slope) < smallest:
                best, smallest = h, abs(measure(h) - true_slope)
        return best

    return best_h


def local_but(op, slope):
    right = {"+": lambda a, b: (1, 1), "*": lambda a, b: (b, a), "pow": lambda a, b: b * a ** (b - 1), "exp": lambda a, b: math.exp(a),
             "tanh": lambda a, b: 1 - math.tanh(a) ** 2, "relu": lambda a, b: float(a > 0)} | {op: slope}  # fmt: skip
    return lambda op, a, b=None: right[op](a, b)


def neuron_through_exp(x1, w1, x2, w2, b):
    e = math.exp(2 * (x1 * w1 + x2 * w2 + b))
    o = (e - 1) / (e + 1)
    return {"o": o, "x1": w1 * (1 - o * o), "w1": x1 * (1 - o * o), "x2": w2 * (1 - o * o), "w2": x2 * (1 - o * o), "b": 1 - o * o}


def grad_check_with(tolerance=1e-4, floor=1.0):
    def grad_check(f, point, claimed):
        right = []
        for i, claim in enumerate(claimed):
            up, down = list(point), list(point)
            up[i], down[i] = point[i] + 1e-5, point[i] - 1e-5
            slope = (f(*up) - f(*down)) / 2e-5
            size = max(abs(slope), abs(claim), floor)
            right.append(bool((abs(slope - claim) / size if size else 0.0) <= tolerance))
        return right

    return grad_check


@pytest.mark.parametrize(
    "exercise_id, answer",
    [
        ("m01-forward-difference", lambda f, x, h: np.float32((f(x + h) - f(x)) / h)),
        ("m01-central-difference", lambda f, x, h: np.float32((f(x + h) - f(x - h)) / (2 * h))),
        ("m01-chain-by-hand", lambda a, b, c, f: {"a": b * f, "b": a * f, "c": f, "e": f, "d": f, "f": np.float32(a * b + c)}),
        *[("m01-best-h", best_from_a_bound(bound)) for bound in (1.0, 100.0, 1e6)],
        ("m01-best-h", lambda measure, steps, true_slope: min(steps, key=lambda h: abs(abs(measure(h)) - abs(true_slope)))),
        ("m01-local-derivatives", local_but("pow", lambda a, b: b * a**b / a)),
        ("m01-local-derivatives", local_but("pow", lambda a, b: b * math.exp((b - 1) * math.log(abs(a))))),
        ("m01-neuron-by-hand", neuron_through_exp),
        *[("m01-grad-check", grad_check_with(tolerance)) for tolerance in (1e-2, 1e-3, 1e-5)],
        ("m01-grad-check", grad_check_with(floor=0.0)),
        ("m01-grad-check", grad_check_with(floor=100.0)),
    ],
)
def test_wrong_answers_that_are_nearly_right_fail_on_visible_cases(exercise_id, answer):
    assert not examine(find(exercise_id), answer).passed
    assert not report_on(exercise_id, answer).passed


OUTSIDE = {"m01-partials", "m01-best-h", "m01-local-derivatives", "m01-chain-by-hand", "m01-neuron-by-hand", "m01-one-step", "m01-rel-error", "m01-grad-check"}


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_threat_model_says_which_truth_stays_outside(lesson, exercise_id):
    """Without the figures of the instructor's package, the shipped judge of these knows no right answer."""
    exercise, answer = find(exercise_id), lesson[1][exercise_id.removeprefix("m01-").replace("-", "_")]
    case = replace(hidden_cases(MODULE, exercise_id, "secret")[0], truth=None)
    told = bool(exercise.judge(case, run_probe(exercise, answer, case.inputs)["value"]))
    assert told == (exercise_id in OUTSIDE)


def groups_passed(report):
    return {group.name for group in report.groups if group.passed}


@pytest.mark.parametrize("verdict", [True, False])
def test_a_gradient_check_that_always_says_the_same_earns_nothing(verdict):
    assert groups_passed(report_on("m01-grad-check", lambda f, point, claimed: [verdict] * len(point))) == set()


def test_nudging_is_told_from_the_chain_rule_by_numbers_of_very_different_size():
    for h in (1.0, 1e-3, 1e-6):

        def nudged(a, b, c, f, h=h):
            def loss(a, b, c, f):
                return (a * b + c) * f

            up = (loss(a + h, b, c, f), loss(a, b + h, c, f), loss(a, b, c + h, f), loss(a, b, c, f + h))
            da, db, dc, df = ((one - loss(a, b, c, f)) / h for one in up)
            return {"a": da, "b": db, "c": dc, "e": dc, "d": dc, "f": df}

        assert "numbers of very different size" not in groups_passed(report_on("m01-chain-by-hand", nudged))


def test_a_table_of_the_visible_answers_earns_nothing():
    known = {(case.inputs["a"], case.inputs["b"], case.inputs["c"], case.inputs["f"]): case.truth for case in find("m01-chain-by-hand").visible_cases()}
    table = known.get
    assert examine(find("m01-chain-by-hand"), lambda *leaves: table(leaves)).passed
    assert groups_passed(report_on("m01-chain-by-hand", lambda *leaves: table(leaves))) == set()


def test_part_of_the_local_derivatives_earns_its_part():
    def three(op, a, b=None):
        if op == "+":
            return 1.0, 1.0
        if op == "*":
            return b, a
        if op == "exp":
            return math.exp(a)
        raise NotImplementedError

    report = examine(find("m01-local-derivatives"), three)
    assert groups_passed(report) == {"+", "*", "exp"} and report.status == "failed"


def test_what_a_wrong_neuron_is_told():
    def hasty(x1, w1, x2, w2, b):
        n = x1 * w1 + x2 * w2 + b
        return {"o": math.tanh(n), "x1": w1, "w1": x1, "x2": w2, "w2": x2, "b": 1.0}

    first = examine(find("m01-neuron-by-hand"), hasty).findings[0]
    assert first.what == "`neuron['x1']` is wrong"
    assert first.where == "x1 = 2, w1 = -3, x2 = 0, w2 = 1, b = 6.881373587"
    assert (first.expected, first.actual) == ("-1.5", "-3")
    assert first.next.endswith('hint("m01-neuron-by-hand") for more')
