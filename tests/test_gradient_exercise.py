"""An exercise that is declared by a forward pass and a signature: four toy ones, from the answer to the report."""

import numpy as np
import pytest

from zerohero.exercise import conclude, examine, run_probe
from zerohero.exercises.kinds import gradient_exercise
from zerohero.gradcheck.design import Array, Ids, Size, Stride, signature
from zerohero.plaindata import decode, encode

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # answers that overflow
HINTS = ("a concept", "a rule", "nearly the answer")

softplus = gradient_exercise(
    "m99-softplus-backward",
    title="Backward pass of softplus",
    takes="softplus_backward(dout, x)",
    forward=lambda x: np.logaddexp(0.0, x),
    inputs=signature(x=Array("...", huge=1000)),
    hints=HINTS,
)
affine = gradient_exercise(
    "m99-affine-backward",
    title="Backward pass of x @ w + b",
    takes="affine_backward(dout, x, w, b)",
    forward=lambda x, w, b: x @ w + b,
    inputs=signature(x=Array("N D", empty=True), w=Array("D M"), b=Array("M")),
    hints=HINTS,
)
embedding = gradient_exercise(
    "m99-embedding-backward",
    title="Backward pass of looking up rows",
    takes="embedding_backward(dout, w, ids)",
    forward=lambda w, ids: w[ids],
    inputs=signature(w=Array("V D"), ids=Ids("N T", below="V")),
    hints=HINTS,
)


def _max_pool(x, width, stride):
    return np.lib.stride_tricks.sliding_window_view(x, width, axis=-1)[:, ::stride].max(-1)


max_pool = gradient_exercise(
    "m99-max-pool-backward",
    title="Backward pass of the maximum of each window",
    takes="max_pool_backward(dout, x, width, stride)",
    forward=_max_pool,
    inputs=signature(x=Array("N W", ties=True), width=Size("K"), stride=Stride("K", over="W")),
    hints=HINTS,
)


# ---------------------------------------------------------------- right answers


def sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def affine_right(dout, x, w, b):
    return dout @ w.T, x.T @ dout, dout.sum(0)


def embedding_right(dout, w, ids):
    dw = np.zeros_like(w)
    np.add.at(dw, ids, dout)
    return dw


def max_pool_at(place, add=True):
    """Each window gives its upstream gradient to the elements that ``place(window)`` marks."""

    def backward(dout, x, width, stride):
        dx = np.zeros_like(x)
        for n, i in np.ndindex(dout.shape):
            window = slice(i * stride, i * stride + width)
            mark = place(x[n, window]) * dout[n, i]
            dx[n, window] = dx[n, window] + mark if add else np.where(mark != 0, mark, dx[n, window])
        return dx

    return backward


def first(window):
    return (np.arange(len(window)) == window.argmax()) * 1.0


def last(window):
    return (np.arange(len(window)) == len(window) - 1 - window[::-1].argmax()) * 1.0


RIGHT = [
    (softplus, lambda dout, x: dout * sigmoid(x)),
    (softplus, lambda dout, x: [dout * np.exp(x - np.logaddexp(0, x))]),
    (affine, affine_right),
    (affine, lambda dout, x, w, b: [np.float32(g) for g in affine_right(dout, x, w, b)]),
    (embedding, embedding_right),
    (embedding, lambda dout, w, ids: (np.eye(len(w))[ids.ravel()].T @ dout.reshape(-1, w.shape[1]), None)),
    (max_pool, max_pool_at(first)),
    (max_pool, max_pool_at(last)),
    (max_pool, max_pool_at(lambda window: (window == window.max()) / (window == window.max()).sum())),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("exercise, answer", RIGHT)
def test_right_answers_pass_visible_and_hidden_cases(exercise, answer, seed):
    report = examine(exercise, answer)
    assert report.passed, report
    hidden = exercise.cases(np.random.RandomState(seed))
    report = conclude(exercise, hidden, [run_probe(exercise, answer, case.inputs) for case in hidden])
    assert report.passed, report


# ---------------------------------------------------------------- wrong answers


def with_part(index, change):
    """The right gradients of affine, one of them changed."""

    def backward(dout, x, w, b):
        gradients = list(affine_right(dout, x, w, b))
        gradients[index] = change(dout, x, w, gradients[index])
        return tuple(gradients)

    return backward


def in_place(dout, x):
    dout *= sigmoid(x)
    return dout


WRONG = [
    (softplus, lambda dout, x: sigmoid(x), "NO_UPSTREAM", {"values", "one axis", "three axes", "an axis of size one", "large numbers"}),
    (softplus, lambda dout, x: dout * np.exp(x) / (1 + np.exp(x)), "UNSTABLE", {"large numbers"}),
    (softplus, lambda dout, x: -dout * sigmoid(x), "SIGN_FLIP", None),
    (softplus, in_place, "MUTATES", None),
    (softplus, lambda dout, x: dout * (x > 0), "", None),  # "": no generic rule proves it, and the atlas is not built here
    (affine, with_part(2, lambda dout, x, w, db: dout), "MISSING_BROADCAST_SUM", None),
    (affine, with_part(1, lambda dout, x, w, dw: dw / max(len(x), 1)), "EXTRA_MEAN", {"values", "an axis of size one"}),
    (affine, with_part(2, lambda dout, x, w, db: np.full_like(db, dout.sum())), "WRONG_AXIS", None),
    (affine, lambda dout, x, w, b: (dout @ w.T, dout.sum(0), x.T @ dout), "SWAPPED", None),
    (affine, with_part(1, lambda dout, x, w, dw: np.zeros(w.shape, dtype=int)), "DTYPE", None),
    (embedding, lambda dout, w, ids: _scattered(dout, w, ids, add=False), "", {"repeated ids", "an axis of size one"}),
    (embedding, lambda dout, w, ids: _scattered(dout, w, ids, add=True), "", {"repeated ids", "an axis of size one"}),
    (max_pool, max_pool_at(lambda window: (window == window.max()) * 1.0), "WRONG_MASK", {"ties"}),
    (max_pool, max_pool_at(first, add=False), "", {"overlapping windows"}),
    (max_pool, max_pool_at(lambda window: np.full(len(window), 1 / len(window))), "", None),
]


def _scattered(dout, w, ids, add):
    dw = np.zeros_like(w)
    dw[ids] = dw[ids] + dout if add else dout
    return dw


@pytest.mark.parametrize("exercise, answer, mistake, failing", WRONG)
def test_wrong_answers_fail_where_they_should_and_are_named_or_not_at_all(exercise, answer, mistake, failing):
    report = examine(exercise, answer)
    assert report.status == "failed"
    assert {finding.mistake for finding in report.findings} - {""} == ({mistake} if mistake else set())
    if failing:
        assert {group.name for group in report.groups if not group.passed} == failing


def test_plain_data_in_between_changes_nothing():
    """As graded: inputs and outputs cross as text."""
    for exercise, answer, *_ in WRONG + [(one, answer) for one, answer in RIGHT]:
        cases = exercise.visible_cases()
        outputs = [run_probe(exercise, answer, decode(encode(case.inputs))) for case in cases]
        assert conclude(exercise, cases, [decode(encode(output)) for output in outputs]) == examine(exercise, answer)


def test_the_report_reads_well():
    text = str(examine(softplus, WRONG[0][1]).findings[0])
    assert "dx[" in text and "x = f64[" in text
    overflow = examine(softplus, WRONG[1][1]).findings[0]
    assert (overflow.what, overflow.group, overflow.mistake) == ("`dx` is not finite", "large numbers", "UNSTABLE")
    swapped = next(f for f in examine(affine, WRONG[8][1]).findings if f.mistake)
    assert swapped.because == "the gradients of `w` and `b` are returned in each other's place"


def test_two_outputs_take_a_tuple_of_upstream_gradients():
    both = gradient_exercise(
        "m99-both", "Sum and product", "both_backward(dout, x, y)", lambda x, y: (x + y, x * y), signature(x=Array("N"), y=Array("N")), HINTS
    )
    assert examine(both, lambda dout, x, y: (dout[0] + dout[1] * y, dout[0] + dout[1] * x)).passed
    assert not examine(both, lambda dout, x, y: (dout[0] + dout[1] * y, dout[1] * x)).passed


def test_a_stub_is_not_started_and_parts_are_the_gradients():
    def stub(dout, x):
        raise NotImplementedError

    assert examine(softplus, stub).status == "not started"
    case = affine.visible_cases()[0]
    output = run_probe(affine, affine_right, case.inputs)["value"]
    assert {name: part.shape for name, part in affine.parts(output).items()} == {f"d{name}": case.inputs[name].shape for name in "xwb"}
