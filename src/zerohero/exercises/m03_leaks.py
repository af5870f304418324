"""m03, second half: where a right backward pass still goes wrong. Saturated and dead units, long chains, clipping, robust losses.

Truth here is measured on forward passes that the lesson gives anyway, or is a closed form other than the one asked for.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..exercise import Case, Question
from ..gradcheck.arguments import signed
from ..gradcheck.design import Array, Choice, Labels, design, signature
from .kinds import function_exercise, gradient_exercise

# ---------------------------------------------------------------- saturated sigmoids


def _saturation_case(group, z, limit):
    return Case(group, {"s": np.round(0.5 + 0.5 * np.tanh(np.array(z) / 2), 6), "limit": limit})


def designed_saturation(rng: np.random.RandomState) -> list[Case]:
    """Units that are saturated at neither end, at one or at both, for some examples."""

    def drawn(n, h, spread):
        return rng.standard_normal((n, h)) * np.linspace(1.0, spread, h)

    cases = [_saturation_case("values", drawn(7, 5, 6.0), 0.01), _saturation_case("values", drawn(11, 3, 9.0), 0.05)]
    for end in (1.0, -1.0):
        cases.append(_saturation_case("both ends", end * np.abs(drawn(7, 3, 8.0)), 0.02))
    cases.append(_saturation_case("one example", drawn(1, 5, 9.0), 0.1))
    cases.append(_saturation_case("one unit", drawn(7, 1, 1.0) * 4, 0.1))
    cases.append(_saturation_case("exactly 0 and 1", np.where(rng.uniform(size=(7, 5)) < 0.5, 1000.0, 0.7) * drawn(7, 5, 2.0), 0.01))
    return cases


def _saturation_truth(i):
    low = 0.5 - math.sqrt(0.25 - i["limit"])  # the output at which the slope is the limit; the other is as far from 1
    return np.array([sum(one < low or one > 1 - low for one in unit) / len(unit) for unit in i["s"].T])


saturation = function_exercise(
    "m03-saturation",
    "Which sigmoids are saturated, and how often",
    "saturated_share(s, limit)",
    cases=lambda rng: [_saturation_case("values", [[0.0, 6.0], [5.0, -7.0], [1.0, 2.0], [-1.0, 8.0]], 0.01), *designed_saturation(rng)],
    truth=_saturation_truth,
    result="share",
    hints=(
        "Saturated is a matter of the slope, not of the output: both ends of the curve are flat.",
        "Find the slope of every element from its output s, compare it with the limit, and take the mean of the comparison down each column.",
        "The slope is s times what is missing to 1. A comparison gives True and False; .mean(axis=0) of it is a share per unit.",
    ),
)

# ---------------------------------------------------------------- dead relus


def _dead_case(group, X, W, b):
    return Case(group, {"X": np.round(X, 3), "W": np.round(W, 3), "b": np.round(b, 3)})


def _layer(rng, n, d, h, silent):
    """(X, W, b) of a layer in which units with these numbers stay well below 0, and the largest sum of each other unit is 0.3."""
    X, W = np.round(rng.uniform(0.1, 1.0, (n, d)), 3), np.round(rng.standard_normal((d, h)), 3)
    return X, W, np.where(np.isin(np.arange(h), silent), -0.4, 0.3) - (X @ W).max(axis=0)


def _single_example(rng, n, d, h):
    """(X, W, b) of a layer in which the odd units fire for one example each, and the others for none."""
    while True:
        X, W, _ = _layer(rng, n, d, h, ())
        largest = np.sort(X @ W, axis=0)
        gap = largest[-1] - largest[-2]
        if gap.min() > 0.05:
            return X, W, np.where(np.arange(h) % 2, gap / 2, -gap) - largest[-1]


def _zero_at_most(rng, n, d, h):
    """(X, W, b) in whole numbers; the largest sum of the even units is exactly 0, that of the others 1."""
    X, W = rng.randint(0, 4, (n, d)).astype(float), rng.randint(-2, 3, (d, h)).astype(float)
    return X, W, np.arange(h) % 2 - (X @ W).max(axis=0)


def designed_dead(rng: np.random.RandomState) -> list[Case]:
    """Layers with silent units, units that a single example keeps alive, and units that come to exactly 0."""
    cases = [_dead_case("values", *_layer(rng, 11, 3, 5, (1, 2))), _dead_case("values", *_layer(rng, 5, 7, 3, (0,)))]
    cases.append(_dead_case("alive for one example", *_single_example(rng, 7, 3, 5)))
    cases += [_dead_case("one example", *_layer(rng, 1, 5, 3, (2,))), _dead_case("one unit", *_layer(rng, 7, 3, 1, (0,)))]
    cases += [_dead_case("one unit", *_layer(rng, 7, 3, 1, ())), _dead_case("exactly zero", *_zero_at_most(rng, 7, 3, 5))]
    return cases


def _dead_truth(i):
    highest = [max(math.fsum(x * w for x, w in zip(row, column, strict=True)) for row in i["X"]) for column in i["W"].T]
    return np.array([one + bias <= 0 for one, bias in zip(highest, i["b"], strict=True)])


dead_relu = function_exercise(
    "m03-dead-relu",
    "Units that never fire",
    "dead_units(X, W, b)",
    cases=lambda rng: [
        _dead_case("values", np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0, -1.0, 1.0], [1.0, -1.0, -3.0]]), np.array([-3.0, 0.5, 0.0])),
        *designed_dead(rng),
    ],
    truth=_dead_truth,
    result="dead",
    hints=(
        "Relu passes a gradient where its input is above 0. A unit is dead if that is so for no example at all; one is enough to keep it alive.",
        "What goes into relu is X @ W + b, of shape (N, H). Look down each column: you want one answer per unit.",
        "Compare with 0 first, then ask .any() or .all() along axis 0. Mind the 0 itself: relu(0) is 0, so it is not firing.",
    ),
)

# ---------------------------------------------------------------- a chain through time


def last_state(x: np.ndarray, W: np.ndarray) -> np.ndarray:
    """The state after T steps of h = h @ W + x[t] from h = 0. x (T, N, H), W (H, H); returns (N, H)."""
    h = np.zeros(x.shape[1:])
    for step in x:
        h = h @ W + step
    return h


rnn = gradient_exercise(
    "m03-rnn-explosion",
    title="Back through the steps of a recurrent network",
    takes="rnn_backward(dout, x, W)",
    forward=last_state,
    inputs=signature(x=Array("T N H"), W=Array("H H", scale=0.5)),
    hints=(
        "Walk from the last step to the first, and keep one array: the gradient of the loss with respect to the state of this step.",
        "The state of a step is the state before times W, plus x[t]. So x[t] gets the gradient as it is; the state before gets it through W, and W gets it through the state before.",
        "In the loop: store it as the gradient of x[t]; if there is a step before, add its part to the gradient of W (as in an affine layer), then multiply by W transposed.",
    ),
)

# ---------------------------------------------------------------- robust losses

KINDS = {"clip": "clipped error", "huber": "Huber", "root": "square root"}


def error_loss(error: np.ndarray, kind: str) -> np.ndarray:
    """Loss of each error, any shape: "clip", "huber" with its corner at 1, or "root", sqrt(1 + error^2) - 1."""
    size = np.abs(error)
    if kind == "clip":
        return np.minimum(size, 1.0) ** 2 / 2
    if kind == "huber":
        return np.where(size <= 1.0, error**2 / 2, size - 0.5)
    return np.hypot(1.0, error) - 1.0


def designed_losses(rng: np.random.RandomState) -> list[Case]:
    """Every kind of loss on every kind of input; the group says which loss."""
    cases = []
    for kind, group in KINDS.items():
        # errors of exactly 1 and -1 are among the ties: there the clipped loss has its corners; the others have none
        takes = signature(error=Array("...", ties=kind == "clip", huge=1000), kind=Choice([kind]))
        cases += [Case(group, {"dout": one.dout, **one.arguments}) for one in design(takes, error_loss, rng)]
    return cases


clip_vs_huber = replace(
    gradient_exercise(
        "m03-clip-vs-huber",
        title="Slopes of three losses that do not trust large errors",
        takes="error_loss_backward(dout, error, kind)",
        forward=error_loss,
        inputs=signature(error=Array("..."), kind=Choice(list(KINDS))),
        hints=(
            "Draw each loss over the error, from -3 to 3, and read the slope off: where is it flat, where is it a straight line?",
            'All three slopes are close to the error itself near 0. Far out, one is 0 and two tend to 1 or -1. "root" needs the chain rule for a square root.',
            'Compare abs(error) with 1 for "clip"; hold the error itself between -1 and 1 for "huber"; divide the error by the root for "root". Then the upstream gradient.',
        ),
    ),
    cases=designed_losses,
)


def smooth_l1(prediction: np.ndarray, target: np.ndarray, beta: float) -> float:
    """Mean over all elements: a parabola up to a distance of beta, straight lines of slope 1 beyond."""
    near = np.minimum(np.abs(prediction - target), beta)
    return np.mean(near**2 / (2 * beta) + np.abs(prediction - target) - near)


smooth_l1_backward = gradient_exercise(
    "m03-smooth-l1-backward",
    title="Backward pass of smooth L1",
    takes="smooth_l1_backward(dout, prediction, target, beta)",
    forward=smooth_l1,
    inputs=signature(prediction=Array("...", ties=True, huge=1000), target=Array("...", ties=True), beta=Choice([0.4, 0.7, 1.6, 2.3])),
    hints=(
        "One element first: what is the slope of the parabola, and what that of the lines? They meet at a distance of beta. Then the mean, then the target.",
        "Call their difference the error: the slope is the error over beta inside and 1 or -1 outside. The mean divides each by the number of all elements.",
        "np.clip(error / ..., -1, 1) is both pieces at once. dout is one number here. The target moves the error the other way.",
    ),
)

# ---------------------------------------------------------------- focal loss


def focal_loss(logits: np.ndarray, labels: np.ndarray, gamma: float) -> float:
    """Mean over N of -(1 - p)^gamma * ln p, where p is the softmax probability of the right class (Lin and others, 2017)."""
    surprise = np.logaddexp.reduce(logits, axis=1) - np.take_along_axis(logits, labels[:, None], axis=1)[:, 0]
    return np.mean((1 - np.exp(-surprise)) ** gamma * surprise)


focal_backward = gradient_exercise(
    "m03-focal-backward",
    title="Backward pass of the focal loss",
    takes="focal_backward(dout, logits, labels, gamma)",
    forward=focal_loss,
    inputs=signature(logits=Array("N C", huge=1000), labels=Labels("N", below="C"), gamma=Choice([1.0, 1.5, 2.0, 3.0])),
    hints=(
        "Two steps: from the loss to p, the probability of the right class, and from p to the logits. You know the second from softmax cross-entropy.",
        "Take ln p as the variable in between. The loss of a row is -(1 - p)^gamma * ln p: a product, so two terms; and p = e^(ln p) is its own slope. "
        "From ln p to the logits the slope is one-hot minus softmax.",
        "Factor of a row: gamma * p * (1 - p)^(gamma - 1) * ln p, less the modulating factor. Times one-hot minus softmax, over N, times dout. Keep ln p from shifted logits: never take log(p).",
    ),
)

# ---------------------------------------------------------------- clipping the whole gradient


def _clip_case(group, gradients, most):
    return Case(group, {"gradients": gradients, "most": most})


def designed_clip(rng: np.random.RandomState) -> list[Case]:
    """Gradients of several shapes whose norm over all of them is a given multiple of the limit."""

    def case(group, shapes, ratio, size=1.0):
        drawn = [np.asarray(size * rng.standard_normal(shape)) for shape in shapes]
        norm = math.hypot(*(float(one) for g in drawn for one in g.ravel()))
        return _clip_case(group, drawn, norm / ratio)

    usual = [(3, 5), (5,), (2, 3, 7)]
    cases = [case("above the limit", usual, 3.7), case("above the limit", [(7, 1), (1,)], 1.2)]
    cases += [case("below the limit", usual, 0.4), case("below the limit", [(5, 3)], 0.93)]
    cases += [_clip_case("all zero", [np.zeros((3, 2)), np.zeros(5)], signed(rng, 0.5, 2.0) ** 2), case("one large, many small", [(11, 3), (1, 1), (5,)], 2.2)]
    cases[-1].inputs["gradients"][1] *= 40.0
    return [*cases, case("huge numbers", usual, 1e6, 1e200), case("huge numbers", [(3,), (2, 5)], 0.5, 1e180)]


def _clip_truth(i: Mapping[str, Any]) -> list[Any]:
    values = [float(one) for g in i["gradients"] for one in g.ravel()]
    total = math.hypot(*values)  # math.hypot keeps clear of overflow
    kept = [g.astype(float) if total <= i["most"] else np.divide(g, total / i["most"]) for g in i["gradients"]]
    return [kept, total]


clip_by_norm = function_exercise(
    "m03-clip-by-norm",
    "Shorten a gradient that is too long",
    "clip_by_norm(gradients, most)",
    cases=lambda rng: [
        _clip_case("above the limit", [np.array([3.0, 4.0]), np.array([[12.0]])], 6.5),
        _clip_case("below the limit", [np.array([3.0, 4.0]), np.array([[12.0]])], 26.0),
        *designed_clip(rng),
    ],
    truth=_clip_truth,
    result="clipped",
    rtol=2e-6,  # libraries divide by the norm + 1e-6
    hints=(
        "All gradients together are one long arrow. It keeps its direction and gets shorter, if it is too long; else nothing changes.",
        "The norm is the root of the sum of all squares over all arrays. Every array is multiplied by the same factor, most / norm, when norm is above most.",
        "Squares of 1e200 overflow: divide everything by the largest size first, and multiply the root by it again. If the largest size is 0, there is nothing to do.",
    ),
)

# ---------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "m03-predict-saturated",
        "64 pixels from 0 to 16, weights drawn from a normal distribution with mean 0 and deviation 1. In how many percent of all cases is a sigmoid flatter than 0.01?",
        94.0,
        "A sum of 64 such products is about 62 in size, and a sigmoid is flatter than 0.01 from 4.6 on. Nearly every sum is further out than that.",
        tolerance=0.06,
    ),
    Question(
        "m03-predict-dead",
        "A relu unit computes relu(0.5 * x + b) with b = 0.1; all its inputs x lie between 0 and 1. One step of rate 2 with a gradient of 0.6 for b changes b alone. "
        "For how many percent of the inputs does the unit fire afterwards?",
        0.0,
        "b becomes 0.1 - 2 * 0.6 = -1.1, and 0.5 * x is at most 0.5. The sum is negative for every x, so no gradient comes back, and b stays where it is.",
    ),
    Question(
        "m03-predict-chain",
        "On the way back a gradient of 1 is multiplied by 1.5 in each of 40 steps. How large is it then, as a power of ten? For 1000 the answer would be 3.",
        40 * math.log10(1.5),
        "1.5 to the power 40 is about 11 million. With 0.5 in place of 1.5 it would be 10 to the power -12: nothing.",
        tolerance=0.15,
    ),
    Question(
        "m03-predict-clipped",
        "An error of 3 is first clipped to the range from -1 to 1, then squared and halved. What is the slope of this loss towards the error?",
        0.0,
        "An error of 3 and one of 3.1 are both clipped to 1 and cost the same. The loss is flat there, so the largest errors are the ones from which nothing is learnt.",
    ),
    Question(
        "m03-predict-smooth",
        "One prediction is 5.25, its target is 5, and beta is 0.5. What is the slope of smooth L1 towards the prediction?",
        0.5,
        "0.25 is closer than beta, so it lies on the parabola: error / beta = 0.25 / 0.5. From a distance of 0.5 on the slope would be 1.",
    ),
    Question(
        "m03-predict-focal",
        "The right class has a probability of 0.9, and gamma is 2. By what is its cross-entropy multiplied in the focal loss?",
        0.01,
        "(1 - 0.9) squared is 0.01. An example with a probability of 0.1 keeps 0.81 of its loss: the hard ones are heard.",
    ),
    Question(
        "m03-predict-shortened",
        "There are two gradients, [3, 4] and [12]. Together they may be at most 6.5 long. By what is each of them multiplied?",
        0.5,
        "Together they are the root of 9 + 16 + 144 long, which is 13. Half of that is allowed, so each is halved; the direction stays.",
    ),
    Question(
        "m03-predict-exact",
        "With which of the five gradients does the network stay below 90% on the test images?",
        "same flips",
        "Errors that are drawn anew in each step cancel in the long run, whatever their size. An error that is the same in each step adds up, step by step, in the wrong direction.",
    ),
]
"""In the order of the lesson."""
