"""m04, the net of one layer: forward, backward, and gradient descent.

Truth is a log of a sum of exponentials taken pair by pair, slopes measured on it, and, for training, a run of the judge's own on its
counts. A trained net is judged by what its weights say of pairs that the answer has not seen.
"""

from functools import reduce
from typing import Any

import numpy as np

from ..exercise import Case, Exercise, Finding, describe
from ..gradcheck import observe, protocol_findings
from ..gradcheck.design import Array, Ids, Labels, design, signature
from .kinds import function_exercise, gradient_exercise
from .m04_counts import insist_on_array

V = 27


def log_softmax(W: np.ndarray) -> np.ndarray:
    """Row by row. The sum of exponentials is taken in pairs, so that none of them leaves the range of float64."""
    return W - reduce(np.logaddexp, W.T)[:, None]


# ---------------------------------------------------------------- forward and backward

NET = signature(W=Array("V C", huge=1000), xs=Ids("N", below="V"), ys=Labels("N", below="C"))


def cost(W: np.ndarray, xs: np.ndarray, ys: np.ndarray) -> Any:
    """Mean over the n examples of the negative log of the probability of ys."""
    return -np.mean(log_softmax(W[xs])[np.arange(len(ys)), ys])


def designed_forward(rng: np.random.RandomState) -> list[Case]:
    return [Case(one.group, {"W": one.arguments["W"], "xs": one.arguments["xs"]}) for one in design(NET, cost, rng)]


onehot_forward = insist_on_array(
    function_exercise(
        "m04-onehot-forward",
        "From a symbol to probabilities",
        "onehot_forward(W, xs)",
        cases=lambda rng: [Case("values", {"W": np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), "xs": np.array([0, 2])}), *designed_forward(rng)],
        truth=lambda i: np.exp(log_softmax(i["W"][i["xs"]])),
        result="probs",
        rtol=1e-9,
        hints=(
            "A one-hot row is 0 but for a single 1. Multiplied by W, what is left of W?",
            "The logits of example i are row xs[i] of W. Softmax, row by row: exp of each, over the sum of the row.",
            "exp(1000) overflows. Softmax stays the same when a number is taken from a whole row: take the row's maximum, with keepdims, before exp.",
        ),
    )
)

onehot_backward = gradient_exercise(
    "m04-onehot-backward",
    title="Backward pass of the one-layer net",
    takes="onehot_backward(dout, W, xs, ys)",
    forward=cost,
    inputs=NET,
    hints=(
        "Example i uses one row of W only. A row that several examples use gets something from each of them; a row that none uses gets 0.",
        "For softmax and the negative log together, the slope towards the logits of one example is its probabilities, with 1 taken off at the right symbol."
        " Then comes the mean over n, and dout.",
        "One array (n, C) of slopes towards the logits, divided by n and multiplied by dout. Add its row i into row xs[i] of an array of zeros like W:"
        " np.add.at does it for repeated rows too, and so does a product with the one-hot rows.",
    ),
)


# ---------------------------------------------------------------- training

VARIANTS = ("", "uphill", "sum", "no decay", "half decay", "one step less")
"""Runs of gradient descent: the right one, and those with one known mistake."""
CLOSE = 1e-4
"""Nats per symbol between the answer's weights and the judge's, on pairs that only the judge holds: a run in float32 is as good."""


def descend(inputs: dict[str, Any], variant: str = "") -> np.ndarray:
    """Gradient descent on counts: what all examples with the same symbol ask for together."""
    W, decay = inputs["W"].astype(np.float64), inputs["decay"]
    counts = np.bincount(inputs["xs"] * V + inputs["ys"], minlength=V * V).reshape(V, V)
    uses, n = counts.sum(axis=1, keepdims=True), 1 if variant == "sum" else counts.sum()
    pull = {"no decay": 0.0, "half decay": decay}.get(variant, 2 * decay)
    for _ in range(inputs["steps"] - (variant == "one step less")):
        slope = (uses * np.exp(log_softmax(W)) - counts) / n + pull * W
        W = W + (1 if variant == "uphill" else -1) * inputs["rate"] * slope
    return W


def chain_pairs(rng: np.random.RandomState, n: int, held: int) -> tuple[np.ndarray, ...]:
    """xs, ys of n pairs, and of ``held`` more, from one random chain over 27 symbols in which some are rare."""
    uses = np.sort(rng.gamma(0.7, size=V))[::-1] + 0.02
    weights = rng.gamma(0.4, size=(V, V)) + 0.01
    xs = rng.choice(V, n + held, p=uses / uses.sum())
    ladders = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    ys = np.minimum((ladders[xs] < rng.rand(n + held, 1)).sum(axis=1), V - 1)
    return xs[:n], ys[:n], xs[n:], ys[n:]


def train_case(group: str, rng: np.random.RandomState, n: int, steps: int, rate: float, decay: float = 0.0) -> Case:
    xs, ys, other_xs, other_ys = chain_pairs(rng, n, 400)
    start = np.round(0.3 * rng.standard_normal((V, V)), 4)
    given = {"W": start, "xs": xs, "ys": ys, "steps": steps, "rate": rate, "decay": decay}
    return Case(group, given, {"xs": other_xs, "ys": other_ys})


def _judge_training(case, seen):
    where = describe({key: case.inputs[key] for key in ("steps", "rate", "decay")}) + f", {len(case.inputs['xs'])} pairs"
    found = protocol_findings(seen, where, list(case.inputs))
    if found:
        return found
    W = seen["value"]
    form = _weights_form(W, where)
    if form:
        return [form]
    expected, actual = (_held_cost(weights, case) for weights in (descend(case.inputs), W.astype(np.float64)))
    if abs(actual - expected) <= CLOSE:
        return []
    return [
        Finding(
            "after training, the net is off on pairs that the check holds back", where=where, expected=f"{expected:.4f} nats per symbol",
            actual=f"{actual:.4f} nats per symbol", next="set W to zeros, take one step by hand on two examples, and compare",
        )
    ]  # fmt: skip


def _weights_form(W, where):
    if W is None:
        return Finding(
            "the weights are missing: None came back", where=where, expected=f"an array of shape ({V}, {V})", next="is there a `return` on every path?"
        )
    if not isinstance(W, np.ndarray) or W.dtype.kind not in "fiu":
        return Finding(
            "the result is not an array of weights", where=where, expected=f"an array of shape ({V}, {V})", actual=describe(W), next="return W, not the losses"
        )
    if W.shape != (V, V):
        return Finding("the weights have the wrong shape", where=where, expected=f"shape ({V}, {V})", actual=f"shape {W.shape}")
    if not np.isfinite(W).all():
        return Finding("the weights are not finite", where=where, expected="numbers", actual="inf or nan", next="print the loss of each step: does it grow?")
    return None


def _held_cost(W, case):
    """What the weights cost on the pairs that the judge holds. Weights that differ by a number a row say the same."""
    return float(cost(W, case.truth["xs"], case.truth["ys"]))


def _name_training(cases, outputs):
    """A variant that explains the weights of every case, up to a number a row, which softmax does not see."""
    told = {
        "uphill": ("SIGN_FLIP", "the step goes uphill: the gradient is added, not subtracted"),
        "sum": ("MISSING_MEAN", "the gradient is that of a sum over the examples; the loss is their mean"),
        "no decay": ("MISSING_PATH", "the penalty on the weights sends no gradient back"),
        "half decay": ("WRONG_CONSTANT", "the slope of decay * w**2 is not decay * w"),
        "one step less": ("INDEXING", "one step less is taken than was asked for"),
    }
    given = [output["value"]["value"] for output in outputs]
    for variant, mistake in told.items():
        if all(np.allclose(log_softmax(descend(c.inputs, variant)), log_softmax(W), rtol=0, atol=1e-6) for c, W in zip(cases, given, strict=True)):
            return mistake
    return None


def designed_training(rng: np.random.RandomState) -> list[Case]:
    rate = round(float(rng.uniform(3, 9)), 2)
    return [
        train_case("one step", rng, 150, 1, rate),
        train_case("many steps", rng, 200, 25, 4.0),
        train_case("many steps", rng, 120, 15, rate),
        train_case("decay", rng, 150, 10, 3.0, 0.02),
        train_case("decay", rng, 100, 6, 5.0, 0.01),
    ]


train_net = Exercise(
    "m04-train-net",
    "Gradient descent on pairs of symbols",
    "train_net(W, xs, ys, steps, rate, decay)",
    designed_training,
    lambda function, inputs: observe(function, inputs),
    _judge_training,
    (
        "The four lines of every training loop: probabilities, loss, gradient, move. Here the loss itself is not needed, only its gradient.",
        "onehot_backward(1.0, W, xs, ys) is the gradient of the mean. The penalty decay * (sum of w**2) adds its own slope, for each weight by itself.",
        "Work on a copy of W. Each step: gradient plus 2 * decay * W, times rate, taken off. Return the copy when all steps are done.",
    ),
    _name_training,
)
