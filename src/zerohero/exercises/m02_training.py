"""m02, losses and training: two losses, and two loops of gradient descent.

Truth is the same arithmetic on NumPy arrays, its slopes measured. Each answer is run twice: with the student's own
engine, and with stand-ins for it (m02_stand_ins); being right in one of the two is being right.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..exercise import Case, Exercise, describe
from ..gradcheck import difference
from ..gradcheck.naming import name_numbers
from ..report import Finding
from .kinds import tidy
from .m02_network import ACTIVATIONS
from .m02_stand_ins import ATOL, RTOL, STEP, globals_of, raised, with_both_engines


def _loss_probe(*values):
    """A probe of a function that makes one Value out of lists; ``values`` names the inputs that are Values."""

    def read(function, value_class, inputs):
        lists = {name: [value_class(one) for one in inputs[name]] if name in values else inputs[name] for name in inputs if name != "upstream"}
        out = function(*lists.values())
        if not isinstance(out, value_class):
            return {"kind": type(out).__name__}
        data = out.data
        (out * value_class(inputs["upstream"])).backward()
        return {"kind": "Value", "data": data, "grads": [[one.grad for one in lists[name]] for name in values]}

    return with_both_engines(read)


def _loss_exercise(id, title, takes, values, truth, cases, hints, name):
    """truth : case inputs, with arrays in place of lists -> the loss; the gradients are its slopes."""

    def true(inputs):
        plain = {key: np.asarray(one, dtype=np.complex128) if isinstance(one, list) else one for key, one in inputs.items()}
        gradients = []
        for key in values:
            steps = [{**plain, key: plain[key] + 1j * STEP * e} for e in np.eye(len(inputs[key]))]
            gradients.append([inputs["upstream"] * float(np.imag(truth(step))) / STEP for step in steps])
        return float(np.real(truth(plain))), gradients

    def judge_reading(case, seen):
        where = describe({key: one for key, one in case.inputs.items() if key != "upstream"})
        if "raised" in seen:
            return raised(seen, "call it in a cell of its own and read the traceback", where=where)
        if seen["kind"] != "Value":
            return Finding(
                "the loss is not a Value",
                where=where,
                expected="a Value",
                actual=f"a {seen['kind']}",
                next="compute with Values throughout; .data cuts the graph",
            )
        data, gradients = true(case.inputs)
        if case.group == "gradients":
            for key, expected, given in zip(values, gradients, seen["grads"], strict=True):
                found = difference(f"grads of the {key}", expected, given, where=where, rtol=RTOL, atol=ATOL)
                if found:
                    return found
            return None
        return difference("loss", data, seen["data"], where=where, rtol=RTOL, atol=ATOL)

    def judge(case, seen):
        findings = [judge_reading(case, reading) for reading in (seen.get("own"), seen["stand-ins"]) if reading is not None]
        return [] if None in findings else [findings[0]]

    def proven(all_cases, outputs):
        rows = [(c.inputs, o["value"]["stand-ins"]) for c, o in zip(all_cases, outputs, strict=True)]
        own = name([(inputs, seen["data"]) for inputs, seen in rows])
        return own or name_numbers([(true(inputs)[0], seen["data"]) for inputs, seen in rows])

    return Exercise(id, title, takes, cases, _loss_probe(*values), judge, hints, proven)


def loss_case(group: str, rng: np.random.RandomState, n: int) -> Case:
    return Case(group, {"predictions": tidy(rng.uniform(-1.5, 1.5, n)), "targets": tidy(rng.uniform(-2, 2, n)), "upstream": 1.7})


def _name_squared(rows):
    if all(_near(given, np.mean((np.array(i["predictions"]) - i["targets"]) ** 2)) for i, given in rows):
        return "EXTRA_MEAN", "the squares are averaged; here they are only added up"
    return None


def _near(a, b):
    return abs(a - b) <= 1e-6 * abs(b) + 1e-9


squared_loss = _loss_exercise(
    "m02-squared-loss", "How far off, in one number", "squared_loss(predictions, targets)", ("predictions",),
    lambda i: np.sum(np.square(i["predictions"] - i["targets"])),
    lambda rng: [
        Case("values", {"predictions": [0.7, -0.6, 0.3], "targets": [1.0, -1.0, -1.0], "upstream": 1.7}),
        loss_case("values", rng, 5),
        loss_case("one example", rng, 1),
        Case("one example", {"predictions": [0.4], "targets": [-1.0], "upstream": 0.6}),
        loss_case("gradients", rng, 3),
        loss_case("gradients", rng, 7),
    ],
    (
        "Each example is off by prediction minus target. Squared, so that too high and too low both count, and large misses count most.",
        "Add the squares of all examples up. The result must be a Value, or no gradient can flow back.",
        "sum(...) over zip(predictions, targets) of a difference raised to the power 2; sum starts with 0 + first, which __radd__ handles.",
    ),
    _name_squared,
)  # fmt: skip


def moons_loss_case(group: str, rng: np.random.RandomState, n: int, n_parameters: int, alpha: float | None = None) -> Case:
    """Scores on both sides of the margin, never near its corner."""
    labels = rng.choice([-1.0, 1.0], n)
    margins = np.where(rng.rand(n) < 0.4, rng.uniform(1.1, 2.0, n), rng.uniform(-1.5, 0.9, n))
    margins[0] = -0.4  # at least one inside
    given = {"scores": tidy(margins * labels), "labels": labels.tolist(), "parameters": tidy(rng.uniform(-2, 2, n_parameters))}
    return Case(group, given | ({} if alpha is None else {"alpha": alpha}) | {"upstream": 1.3})


def _hinge(i):
    return 1 + -i["labels"] * i["scores"]


def _moons_loss_truth(i):
    return np.mean(ACTIVATIONS["relu"](_hinge(i))) + i.get("alpha", 1e-4) * np.sum(i["parameters"] ** 2)


def _name_moons_loss(rows):
    def plain(i):
        return {key: np.array(one) if isinstance(one, list) else one for key, one in i.items()}

    def penalty(i):
        return i.get("alpha", 1e-4) * np.sum(i["parameters"] ** 2)

    variants = {
        ("MISSING_MEAN", "the data losses are added up, not averaged"): lambda i: np.sum(np.maximum(_hinge(i), 0)) + penalty(i),
        ("MISSING_PATH", "the parameters' squares are not in the loss"): lambda i: np.mean(np.maximum(_hinge(i), 0)),
        ("WRONG_MASK", "a score beyond the margin lowers your loss; relu should stop it at 0"): lambda i: np.mean(_hinge(i)) + penalty(i),
        ("SIGN_FLIP", "the loss grows when the score has the sign of the label"): lambda i: np.mean(np.maximum(2 - _hinge(i), 0)) + penalty(i),
        ("EXTRA_MEAN", "the parameters' squares are averaged; here they are only added up"): lambda i: (
            np.mean(np.maximum(_hinge(i), 0)) + penalty(i) / len(i["parameters"])
        ),
    }
    for mistake, variant in variants.items():
        if all(_near(given, variant(plain(i))) for i, given in rows):
            return mistake
    return None


moons_loss = _loss_exercise(
    "m02-moons-loss", "Max-margin loss with L2", "moons_loss(scores, labels, parameters, alpha)", ("scores", "parameters"), _moons_loss_truth,
    lambda rng: [
        moons_loss_case("default alpha", rng, 3, 5),
        moons_loss_case("default alpha", rng, 7, 2),
        moons_loss_case("values", rng, 5, 3, 0.01),
        moons_loss_case("values", rng, 2, 7, 0.3),
        moons_loss_case("gradients", rng, 5, 3, 0.02),
        moons_loss_case("gradients", rng, 11, 2, 0.1),
    ],
    (
        "A score is right if it has the sign of its label, and safe if it does so by at least 1. Label times score says both at once.",
        "Per example: relu(1 - label * score), averaged over the examples. On top: alpha times the sum of all squared parameters.",
        "Two sums. The first is divided by len(scores), the second is multiplied by alpha; both are Values, and so is what you return.",
    ),
    _name_moons_loss,
)  # fmt: skip


# ---------------------------------------------------------------- training


class _Line:
    """A model to be trained in a check: w0 * x0 + w1 * x1 + b."""

    def __init__(self, value_class, start):
        self._all = [value_class(one) for one in start]

    def __call__(self, x):
        w0, w1, b = self._all
        return w0 * float(x[0]) + w1 * float(x[1]) + b

    def parameters(self):
        return list(self._all)


class _LineThatZeroes(_Line):
    """For a student whose own MLP has zero_grad() as well."""

    def zero_grad(self):
        for p in self._all:
            p.grad = 0.0


def _line(parameters, x):
    return x @ parameters[:2] + parameters[2]


def _fourth_powers(value_class):
    """A loss that no lesson uses: sum of (prediction - target)^4."""

    def loss(predictions, targets):
        total = value_class(0.0)
        for prediction, target in zip(predictions, targets, strict=True):
            off = prediction + -float(target)
            square = off * off
            total = total + square * square
        return total

    return loss


def _soft_margin(value_class):
    """Mean of (label * score - 1.5)^2, plus a penalty on the parameters; without a corner."""

    def loss(scores, labels, parameters):
        total = value_class(0.0)
        for score, label in zip(scores, labels, strict=True):
            off = score * float(label) + -1.5
            total = total + off * off * (1.0 / len(scores))
        for p in parameters:
            total = total + p * p * 0.01
        return total

    return loss


def _training_probe(call):
    """call(function, value_class, model, inputs) -> the losses that came back."""

    def read(function, value_class, inputs):
        kind = _LineThatZeroes if hasattr(globals_of(function).get("MLP"), "zero_grad") else _Line
        model = kind(value_class, inputs["start"])
        losses = call(function, value_class, model, inputs)
        values = isinstance(losses, (list, tuple)) and any(isinstance(one, value_class) for one in losses)
        return {"losses": "Values" if values else losses, "parameters": [p.data for p in model.parameters()]}

    return with_both_engines(read)


def descend(start: np.ndarray, loss: Callable[[np.ndarray, int], Any], rates: Sequence[float], variant: str = "") -> dict[str, list[float]]:
    """Gradient descent in NumPy: {"losses": before each step, "parameters": at the end}; ``variant`` makes one known mistake."""
    p, held, losses = np.array(start, dtype=np.float64), np.zeros(len(start)), []
    for k, rate in enumerate(rates):
        losses.append(float(np.real(loss(p, k))))
        gradient = np.array([np.imag(loss(p + 1j * STEP * e, k)) / STEP for e in np.eye(p.size)])
        if variant == "not zeroed":
            held = held + gradient
            p = p - rate * held
        elif variant == "update first":
            p, held = p - rate * held, gradient
        elif variant == "uphill":
            p = p + rate * gradient
        elif variant == "zeroed too late":
            pass
        else:
            p = p - rate * gradient
    return {"losses": losses, "parameters": p.tolist()}


VARIANTS = {
    "not zeroed": ("STATE_LEAK", "the gradients of earlier steps are still in .grad: it is not set to zero in each step"),
    "uphill": ("SIGN_FLIP", "the step goes uphill: the gradient is added, not subtracted"),
    "update first": ("PRE_POST", "the step uses the gradient of the step before: the update stands before backward()"),
    "zeroed too late": ("MISSING_PATH", "the parameters do not move: the update is missing, or every gradient is 0 when it comes"),
}


def _engine_is_right(seen):
    """The reading with the stand-ins where there is one: what is wrong in it is the student's loop."""
    return seen["own"] if "raised" in seen["stand-ins"] and "own" in seen else seen["stand-ins"]


def _training_exercise(id, title, takes, cases, call, run, hints, variants):
    """run(inputs, variant) -> what descend() gives for these inputs."""

    def judge_reading(case, seen):
        where = describe({key: one for key, one in case.inputs.items() if key not in ("x", "y", "batches")})
        if "raised" in seen:
            return raised(seen, "call it in a cell of its own and read the traceback", where=where)
        true = run(case.inputs, "")
        if case.group == "losses":
            if isinstance(seen["losses"], str):
                return Finding("the losses are Values, not numbers", where=where, expected="a list of floats", next="append the loss's data, not the loss")
            return difference("losses", true["losses"], seen["losses"], where=where, rtol=RTOL, atol=ATOL)
        return difference("parameters after training", true["parameters"], seen["parameters"], where=where, rtol=RTOL, atol=ATOL)

    def judge(case, seen):
        findings = [judge_reading(case, reading) for reading in (seen.get("own"), seen["stand-ins"]) if reading is not None]
        return [] if None in findings else [findings[0]]

    def name(all_cases, outputs):
        readings = [(c.inputs, _engine_is_right(o["value"])["parameters"]) for c, o in zip(all_cases, outputs, strict=True)]
        for variant, mistake in variants.items():
            if all(difference("p", run(inputs, variant)["parameters"], given, rtol=1e-6, atol=ATOL) is None for inputs, given in readings):
                return mistake
        return None

    return Exercise(id, title, takes, cases, _training_probe(call), judge, hints, name)


def train_case(group: str, rng: np.random.RandomState, n: int, steps: int, rate: float) -> Case:
    given = {"start": tidy(rng.uniform(-0.6, 0.6, 3)), "x": [tidy(row) for row in rng.uniform(-1, 1, (n, 2))], "y": rng.choice([-1.0, 1.0], n).tolist()}
    return Case(group, given | {"steps": steps, "rate": rate})


def _run_train(inputs, variant):
    x, y = np.array(inputs["x"]), np.array(inputs["y"])
    return descend(inputs["start"], lambda p, _: np.sum((_line(p, x) - y) ** 4), [inputs["rate"]] * inputs["steps"], variant)


train_loop = _training_exercise(
    "m02-train-loop", "Gradient descent", "train_loop(model, xs, ys, loss, steps, rate)",
    lambda rng: [
        train_case("one step", rng, 3, 1, 0.01),
        train_case("one step", rng, 5, 1, 0.003),
        train_case("several steps", rng, 3, 4, 0.01),
        train_case("several steps", rng, 5, 3, 0.004),
        train_case("losses", rng, 3, 4, 0.008),
        train_case("losses", rng, 2, 1, 0.02),
    ],
    lambda function, value_class, model, i: function(model, i["x"], i["y"], _fourth_powers(value_class), i["steps"], i["rate"]),
    _run_train,
    (
        "Four things happen in each step, and their order matters: compute the loss, forget the old gradients, find the new ones, move.",
        "Moving means: each parameter's data goes down by rate times its grad. Down, because the gradient points to where the loss grows.",
        "for step in range(steps): loss of [model(x) for x in xs]; p.grad = 0.0 for each p in model.parameters(); backward(); then change each p.data. Append the loss's data.",
    ),
    VARIANTS,
)  # fmt: skip


def moons_train_case(group: str, rng: np.random.RandomState, n: int, steps: int, size: int) -> Case:
    given = {"start": tidy(rng.uniform(-0.4, 0.4, 3)), "x": np.round(rng.uniform(-1, 1, (n, 2)), 3), "y": rng.choice([-1.0, 1.0], n)}
    return Case(group, given | {"batches": [rng.permutation(n)[:size].tolist() for _ in range(steps)]})


def _moons_rates(steps):
    return [float(rate) for rate in 1.0 - 0.9 * np.arange(steps) / steps]


def _run_moons(inputs, variant):
    x, y, batches = np.asarray(inputs["x"]), np.asarray(inputs["y"]), inputs["batches"]
    rates = (
        [1.0] * len(batches)
        if variant == "no decay"
        else np.linspace(1.0, 0.1, len(batches)).tolist()
        if variant == "ends early"
        else _moons_rates(len(batches))
    )

    def loss(p, k):
        rows = list(range(len(y))) if variant == "whole set" else batches[k]
        return np.mean((_line(p, x[rows]) * y[rows] - 1.5) ** 2) + 0.01 * np.sum(p**2)

    return descend(inputs["start"], loss, rates, variant)


moons_train = _training_exercise(
    "m02-moons-train", "Minibatches and a falling rate", "moons_train(model, X, y, batches, loss)",
    lambda rng: [
        moons_train_case("one step", rng, 7, 1, 3),
        moons_train_case("one step", rng, 5, 1, 2),
        moons_train_case("several steps", rng, 7, 3, 3),
        moons_train_case("several steps", rng, 11, 4, 2),
        moons_train_case("losses", rng, 5, 3, 2),
    ],
    lambda function, value_class, model, i: function(model, np.array(i["x"]), np.array(i["y"]), [np.array(one) for one in i["batches"]], _soft_margin(value_class)),
    _run_moons,
    (
        "It is the training loop again. New are two things: each step sees a few points only, and the steps grow shorter.",
        "Step k uses the rows of X and y whose numbers are in batches[k], and the rate 1.0 - 0.9 * k / steps, where steps is the number of batches.",
        "for k, batch in enumerate(batches): scores = [model(x) for x in X[batch].tolist()]; loss(scores, y[batch].tolist(), model.parameters()); then as before.",
    ),
    {
        "no decay": ("WRONG_CONSTANT", "the rate stays at 1.0; it is to fall from step to step"),
        "ends early": ("INDEXING", "the rate reaches 0.1 at the last step: k is divided by steps - 1"),
        "whole set": ("INDEXING", "every step uses all points; it is to use those of its batch"),
        **VARIANTS,
    },
)  # fmt: skip
