"""What mutants of the gradient checker asked for (``make mutation``): every generic name with its near misses, whole findings, edges of tolerances."""

import numpy as np
import pytest

from zerohero.errors import CannotCheck
from zerohero.gradcheck import (
    difference,
    directional_derivative,
    gradcheck,
    hypotheses,
    judge_backward,
    numerical_gradient,
    observe,
    protocol_findings,
    verdict,
)
from zerohero.gradcheck.backward import form_finding, ignores_upstream, observe_backward, other_upstream
from zerohero.gradcheck.directional import START, Ray, element_slopes, is_kink, norm
from zerohero.gradcheck.forward import Forward, argument_names, as_argument, check_backward_count, checked_names
from zerohero.gradcheck.hypotheses import Trial, name_gradients
from zerohero.gradcheck.naming import name_numbers
from zerohero.gradcheck.protocol import same
from zerohero.gradcheck.verdict import described
from zerohero.plaindata import Other, to_plain
from zerohero.report import Finding


def named(forward, backward, *points, names=("x",), dout=None):
    """The name of a backward pass, from what it gives at these points; dout is random, and another at each."""
    trials = []
    for number, point in enumerate(points):
        arguments = dict(zip(names, point, strict=True))
        measured = Forward(forward, arguments)
        d = np.random.RandomState(number).standard_normal(measured.start[0].shape) if dout is None else dout[number]
        trials.append(Trial(measured, d, observe_backward(backward, d, arguments)))
    return name_gradients(trials)


def normal(*shape, seed=3):
    return np.random.RandomState(seed).standard_normal(shape)


TALL, WIDE = normal(5, 3), normal(2, 7)
W, B = normal(3, 2, seed=4), normal(3, seed=5)


def slope(x):
    return 1 - np.tanh(x) ** 2


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_backward(d, x):
    p = softmax(x)
    return p * (d - (d * p).sum(-1, keepdims=True))


def both(forward, backward):
    return named(forward, backward, [TALL], [WIDE])


# ---------------------------------------------------------------- generic names


def test_the_upstream_gradient_is_ignored():
    assert both(np.tanh, lambda d, x: slope(x)) == ("NO_UPSTREAM", "your gradient of `x` does not change when the upstream gradient does")
    assert both(np.tanh, lambda d, x: slope(x) + 1e-3 * d) is None
    assert both(np.tanh, lambda d, x: slope(x) if len(x) == 5 else 3 * d * slope(x) ** 2) is None  # only at one point


def test_zeros_do_not_ignore_the_upstream_gradient():
    nothing = ("MISSING_PATH", "no gradient comes back to `x` at all, although the output depends on it")
    assert both(np.tanh, lambda d, x: 0 * x) == nothing
    assert both(np.tanh, lambda d, x: 0 * x if len(x) == 5 else d * slope(x)) == nothing
    assert both(np.tanh, lambda d, x: 0 * x if len(x) == 5 else d * slope(x) ** 2) is None
    assert both(np.tanh, lambda d, x: np.zeros(3)) is None


def test_the_local_slope_is_left_out():
    name = "DROPPED_LOCAL", "what arrives at the output is passed on to `x` as it came, without the local slope"
    assert both(np.tanh, lambda d, x: d) == name
    assert both(np.tanh, lambda d, x: d if len(x) == 5 else d * slope(x) ** 2) is None
    assert both(lambda x: (x * x).sum(1), lambda d, x: np.broadcast_to(d[:, None], x.shape)) == name  # stretched over what was summed
    assert both(lambda x: (x * x).sum(0), lambda d, x: np.broadcast_to(d, x.shape)) == name
    added = lambda x, b: np.tanh(x + b)  # noqa: E731
    right = lambda d, x, b: d * slope(x + b)  # noqa: E731
    found = named(added, lambda d, x, b: (right(d, x, b), d.sum(0)), [TALL, B], [normal(2, 3), B], names=("x", "b"))
    assert found == ("DROPPED_LOCAL", "what arrives at the output is passed on to `b` as it came, without the local slope")
    column = normal(5, 1)
    found = named(added, lambda d, x, b: (right(d, x, b), d.sum(1, keepdims=True)), [TALL, column], names=("x", "b"))
    assert found[0] == "DROPPED_LOCAL"


def test_a_sign():
    assert both(np.tanh, lambda d, x: -d * slope(x)) == ("SIGN_FLIP", "a sign is wrong: the gradient of `x` is the right one negated")
    assert both(np.tanh, lambda d, x: (-1 if len(x) == 5 else 1) * d * slope(x)) is None
    assert both(np.tanh, lambda d, x: np.where(x > 0, -1, 1) * d * slope(x)) is None
    assert named(np.tanh, lambda d, x: -d * slope(x), [np.float64(0.3)]) is None  # one number proves nothing


def test_a_mean_for_a_sum_and_a_sum_for_a_mean():
    divided = "the gradient of `x` is divided by a count: there is a mean where a sum is due"
    assert both(np.tanh, lambda d, x: d * slope(x) / len(x)) == ("EXTRA_MEAN", divided)
    assert both(np.tanh, lambda d, x: d * slope(x) / x.shape[1]) == ("EXTRA_MEAN", divided)
    assert both(np.tanh, lambda d, x: d * slope(x) / x.size) == ("EXTRA_MEAN", divided)
    missing = "the gradient of `x` is not divided by the count that the mean divides by"
    assert both(lambda x: (x**2).mean(), lambda d, x: 2 * d * x) == ("MISSING_MEAN", missing)
    assert both(lambda x: (x**2).mean(0), lambda d, x: 2 * d * x) == ("MISSING_MEAN", missing)
    assert both(lambda x: (x**2).mean(1), lambda d, x: 2 * d[:, None] * x) == ("MISSING_MEAN", missing)
    behind = named(lambda n, x: (x**2).mean(), lambda d, n, x: 2 * d * x, [3, TALL], [3, WIDE], names=("n", "x"))
    assert behind == ("MISSING_MEAN", missing)
    deeper = [TALL], [normal(2, 7, 11)]  # rows are counted from the last axis: 5, then 7
    assert named(np.tanh, lambda d, x: d * slope(x) / x.shape[-2], *deeper) == ("EXTRA_MEAN", divided)
    three = [normal(2, 3, 5)], [normal(5, 7, 3)]
    assert named(np.tanh, lambda d, x: d * slope(x) / (x.shape[0] * x.shape[1]), *three)[0] == "EXTRA_MEAN"
    assert named(np.tanh, lambda d, x: d * slope(x) / (x.shape[1] * x.shape[2]), *three)[0] == "EXTRA_MEAN"


def test_a_count_and_a_constant_are_told_apart_by_sizes():
    constant = "the gradient of `x` is the right one times 1/5"
    assert both(np.tanh, lambda d, x: d * slope(x) / 5) == ("WRONG_CONSTANT", constant)
    assert named(np.tanh, lambda d, x: d * slope(x) / 5, [TALL], [normal(5, 3)])[::2] == ("EXTRA_MEAN", "WRONG_CONSTANT")
    assert both(np.tanh, lambda d, x: 2 * d * slope(x))[:2] == ("WRONG_CONSTANT", "the gradient of `x` is the right one times 2")
    assert both(np.tanh, lambda d, x: 0.1234567 * d * slope(x))[1] == "the gradient of `x` is the right one times a constant"


def test_one_divides_by_n_another_by_n_minus_1():
    name = "DDOF", "in the gradient of `x` one place divides by N, another by N - 1"
    assert both(np.tanh, lambda d, x: d * slope(x) * x.shape[0] / (x.shape[0] - 1)) == name
    assert both(np.tanh, lambda d, x: d * slope(x) * (x.shape[1] - 1) / x.shape[1]) == name


def test_other_constants_of_formulas():
    name = "WRONG_CONSTANT", "the gradient of `x` is the right one times a number that depends on the inputs' sizes or settings"
    for factor in (np.sqrt, lambda n: 1 / np.sqrt(n)):
        assert both(np.tanh, lambda d, x, factor=factor: d * slope(x) * factor(x.shape[1])) == name
    makes = [lambda p: p, lambda p: 1 - p, lambda p: 1 / p, lambda p: 1 / (1 - p), lambda p: p / (1 - p), lambda p: (1 - p) / p, lambda p: 1 / (1 - p) ** 2]
    for make in makes:
        wrong = lambda d, x, p, make=make: (d * slope(x) * make(float(p)), d.sum())  # noqa: E731
        assert named(lambda x, p: np.tanh(x) + p, wrong, [TALL, 0.3], [WIDE, 0.2], names=("x", "p")) == name
    beyond = lambda d, x, p: (d * slope(x) * p, d.sum())  # noqa: E731
    assert named(lambda x, p: np.tanh(x) + p, beyond, [TALL, 1.3], [WIDE, 0.2], names=("x", "p")) is None  # no probability


def test_gradients_in_each_other_s_place():
    points = [[TALL, normal(5, 3, seed=8)], [WIDE, normal(2, 7, seed=9)]]
    swapped = named(np.multiply, lambda d, x, y: (d * x, d * y), *points, names=("x", "y"))
    assert swapped == ("SWAPPED", "the gradients of `x` and `y` are returned in each other's place")
    assert named(np.multiply, lambda d, x, y: (d * x, d * x * y), *points, names=("x", "y")) is None
    once = lambda d, x, y: (d * x, d * y) if len(x) == 5 else (d * y, d * x)  # noqa: E731
    assert named(np.multiply, once, *points, names=("x", "y")) is None


def test_an_operand_that_was_stretched_is_not_summed():
    name = "MISSING_BROADCAST_SUM", "the gradient of `b` still has axes along which `b` was stretched; it is not summed over all of them"
    add = np.add
    points = [TALL, B], [normal(2, 3), B]
    assert named(add, lambda d, x, b: (d, d), *points, names=("x", "b")) == name
    three = [normal(2, 5, 3), B], [normal(5, 7, 3), B]
    assert named(add, lambda d, x, b: (d, d.sum(0)), *three, names=("x", "b")) == name
    assert named(add, lambda d, x, b: (d, d.sum(1)), *three, names=("x", "b")) == name
    column = [TALL, normal(5, 1)], [normal(2, 3), normal(2, 1)]
    assert named(add, lambda d, x, b: (d, d), *column, names=("x", "b")) == name
    assert named(add, lambda d, x, b: (d, 1.1 * d), *points, names=("x", "b")) is None
    assert named(add, lambda d, x, b: (d, d if len(x) == 5 else d.sum(0)), *points, names=("x", "b")) == name
    assert named(add, lambda d, x, b: (d, d if len(x) == 5 else 1.1 * d.sum(0)), *points, names=("x", "b")) is None


def test_one_row_for_each_use_of_a_table():
    points = [normal(6, 3), np.array([[0, 5, 2], [5, 5, 1]])], [normal(4, 3), np.array([3, 3, 0])]

    def each(d, w, ids):
        return d.reshape(-1, 3)

    def used(d, w, ids):
        table = np.zeros_like(w)
        np.add.at(table, ids, d)
        return table[np.unique(ids)]

    for wrong in (each, used, lambda d, w, ids: d):
        found = named(lambda w, ids: w[ids], wrong, *points, names=("w", "ids"))
        assert found == ("SHAPE", "the gradient of `w` has one row for each row that was looked up; it is to have one for each row of `w`")
    assert named(lambda w, ids: w[ids], lambda d, w, ids: 1.1 * each(d, w, ids), *points, names=("w", "ids")) is None


def test_the_right_values_in_another_shape():
    name = "SHAPE", "the values of the gradient of `b` are right, its shape is not that of `b`"
    points = [TALL, B], [normal(2, 3), B]
    assert named(np.add, lambda d, x, b: (d, d.sum(0, keepdims=True)), *points, names=("x", "b")) == name
    assert named(np.add, lambda d, x, b: (d, 1.1 * d.sum(0, keepdims=True)), *points, names=("x", "b")) is None
    assert named(np.add, lambda d, x, b: (d, d.sum(0, keepdims=len(x) == 5)), *points, names=("x", "b")) == name
    assert named(np.add, lambda d, x, b: (d, d.sum(0, keepdims=True) if len(x) == 5 else 1.1 * d.sum(0)), *points, names=("x", "b")) is None


def test_everything_summed_to_one_number():
    name = "WRONG_AXIS", "the gradient of `b` is summed over all axes to one number; only some of them should vanish"
    points = [TALL, B], [normal(2, 3), B]
    assert named(np.add, lambda d, x, b: (d, d.sum()), *points, names=("x", "b")) == name
    assert named(np.add, lambda d, x, b: (d, d.sum() + 0 * b), *points, names=("x", "b")) == name
    assert named(np.add, lambda d, x, b: (d, 1.01 * d.sum() + 0 * b), *points, names=("x", "b")) is None
    assert named(np.add, lambda d, x, b: (d, d.sum() + 0.01 * b), *points, names=("x", "b")) is None


def test_turned_over():
    square = lambda x: x @ x.T @ x  # noqa: E731

    def square_backward(d, x):
        return d @ x.T @ x + x @ d.T @ x + x @ x.T @ d

    transposed = "TRANSPOSED", "the gradient of `x` has the right values, but transposed"
    three = [normal(3, 3)], [normal(5, 5)]
    assert named(square, lambda d, x: square_backward(d, x).T, *three) == transposed
    assert both(np.tanh, lambda d, x: (d * slope(x)).T) == transposed
    assert both(np.tanh, lambda d, x: (d * slope(x)).T.reshape(x.shape)) == transposed
    assert both(np.tanh, lambda d, x: 1.1 * (d * slope(x)).T) is None
    flipped = "TRANSPOSED", "the gradient of `x` has the right values, but reversed along its last two axes"
    assert both(np.tanh, lambda d, x: (d * slope(x))[::-1, ::-1]) == flipped
    cube = [normal(2, 3, 5)], [normal(5, 7, 3)]
    assert named(np.tanh, lambda d, x: (d * slope(x)).transpose(2, 0, 1), *cube) == transposed
    assert named(np.tanh, lambda d, x: (d * slope(x)).swapaxes(1, 2), *cube) == transposed
    assert named(np.tanh, lambda d, x: (d * slope(x))[:, ::-1, ::-1], *cube) == flipped
    five = [[normal(2, 1, 3, 2, 2)]]
    assert named(np.tanh, lambda d, x: (d * slope(x)).transpose(2, 0, 1, 3, 4), *five) is None  # not every order is tried


def test_one_place_off():
    name = "INDEXING", "the gradient of `x` has the right values one place off"
    for axis, step in ((-1, 1), (-1, -1), (0, 1), (0, -1)):
        assert both(np.tanh, lambda d, x, axis=axis, step=step: np.roll(d * slope(x), step, axis)) == name
    assert named(np.tanh, lambda d, x: np.roll(d * slope(x), 1, 1), [normal(2, 3, 5)], [normal(5, 7, 3)]) == name
    assert named(np.tanh, lambda d, x: np.roll(d * slope(x), -1), [normal(5)], [normal(7)]) == name
    assert both(np.tanh, lambda d, x: np.roll(d * slope(x), 1, 0) * 1.01) is None
    assert named(np.tanh, lambda d, x: np.roll(d * slope(x), 1), [normal(3)]) is None  # three numbers stand in any order by chance
    assert named(np.tanh, lambda d, x: -d * slope(x), *([v] for v in normal(3))) == (
        "SIGN_FLIP",
        "a sign is wrong: the gradient of `x` is the right one negated",
    )


def test_a_softmax_taken_for_elementwise():
    name = "DIAG_JACOBIAN", "each output is taken to depend on its own element of `x` only; the others move it too"
    assert both(softmax, lambda d, x: d * softmax(x) * (1 - softmax(x))) == name
    assert both(softmax, lambda d, x: d * softmax(x) * (1 - softmax(x)) if len(x) == 5 else d * softmax(x)) is None


def test_a_mask_that_lets_through_what_it_should_stop():
    relu = lambda x: np.maximum(x, 0)  # noqa: E731
    name = "WRONG_MASK", "the gradient gets through to `x` exactly where it should not"
    assert both(relu, lambda d, x: d * (x < 0)) == name
    zeros = np.where(np.abs(TALL) < 0.3, 0.0, TALL)
    assert named(relu, lambda d, x: d * (x <= 0), [zeros], [WIDE]) == name
    assert both(relu, lambda d, x: 1.1 * d * (x < 0)) is None
    assert both(lambda x: 2 * relu(x), lambda d, x: d * (x < 0)) is None  # no mask of ones and zeros


def test_every_tie_gets_the_whole():
    name = "WRONG_MASK", "where several elements tie for the largest, each of them gets the whole gradient"
    tied = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, 1.0, 5.0]])
    largest = lambda x: x.max(1)  # noqa: E731

    def everywhere(d, x):
        return d[:, None] * (x == x.max(1, keepdims=True))

    def shared(d, x):
        return everywhere(d, x) / (x == x.max(1, keepdims=True)).sum(1, keepdims=True)

    assert named(largest, everywhere, [tied], [TALL]) == name
    assert named(largest, shared, [tied], [TALL]) is None
    assert named(largest, everywhere, [TALL], [WIDE]) is None  # no ties, and right
    dout = [np.array([2.0, 0.5, 1.0])]
    assert named(largest, everywhere, [tied], dout=dout) == named(largest, everywhere, [tied], dout=[1e-4 * dout[0]]) == name
    assert named(largest, lambda d, x: np.where(d[:, None] > 1, everywhere(d, x), shared(d, x)), [tied], dout=dout) is None  # not at every tie
    assert named(lambda x: (x.max(1), x.max(1)), lambda d, x: everywhere(d[0] + d[1], x), [tied], dout=[(dout[0], dout[0])]) is None
    assert named(largest, lambda d, x: everywhere(d, x) if len(x) == 3 else 1.1 * everywhere(d, x), [tied], [TALL]) is None


def test_right_on_small_numbers_only():
    def naive(d, x):
        e = np.exp(x)
        p = e / e.sum(-1, keepdims=True)
        return p * (d - (d * p).sum(-1, keepdims=True))

    name = "UNSTABLE", "the gradient of `x` is right on small numbers, and overflows on large ones"
    with np.errstate(all="ignore"):
        assert named(softmax, naive, [TALL], [1000 * WIDE]) == name
        assert named(softmax, naive, [1000 * WIDE], [TALL]) == name
        assert named(softmax, naive, [1000 * WIDE]) is None  # never seen right
        assert named(softmax, lambda d, x: 1.1 * naive(d, x), [TALL], [1000 * WIDE]) is None


def test_right_gradients_and_no_trials_have_no_name():
    assert both(np.tanh, lambda d, x: d * slope(x)) is None
    assert name_gradients([]) is None


def test_large_arguments_are_not_measured_element_by_element(monkeypatch):
    assert named(np.tanh, lambda d, x: -d * slope(x), [normal(2001)]) is None
    monkeypatch.setattr(hypotheses, "LOCALISE", 10)
    assert named(np.tanh, lambda d, x: -d * slope(x), [normal(10)])[0] == "SIGN_FLIP"
    assert named(np.tanh, lambda d, x: -d * slope(x), [normal(10)], [normal(11)]) is None


def test_the_wrong_gradient_is_named_even_behind_a_right_one():
    points = [TALL, W], [normal(7, 3), W]
    found = named(np.matmul, lambda d, x, w: (d @ w.T, -x.T @ d), *points, names=("x", "w"))
    assert found == ("SIGN_FLIP", "a sign is wrong: the gradient of `w` is the right one negated")
    assert named(np.matmul, lambda d, x, w: (d @ w.T * slope(x), -x.T @ d), *points, names=("x", "w"))[1].count("`w`") == 1


def test_gradients_that_are_no_arrays_leave_the_others_to_be_named():
    found = named(np.matmul, lambda d, x, w: (None, -x.T @ d), [TALL, W], names=("x", "w"))
    assert found == ("SIGN_FLIP", "a sign is wrong: the gradient of `w` is the right one negated")
    assert named(np.matmul, lambda d, x, w: -x.T @ d, [TALL, W], names=("x", "w")) is None


def test_nan_is_like_nothing():
    assert both(np.tanh, lambda d, x: d * np.nan) is None
    assert both(np.tanh, lambda d, x: np.where(x == x.max(), np.nan, -d * slope(x))) is None


@pytest.mark.parametrize("part", [0, 1])
def test_several_upstream_gradients(part):
    """With more than one output a rule that needs the upstream gradient of the output keeps quiet; a sign is a sign."""
    forward = lambda x: (np.tanh(x), x**2)  # noqa: E731
    dout = [(normal(5, 3, seed=1), normal(5, 3, seed=2))]
    assert named(forward, lambda d, x: -(d[0] * slope(x) + 2 * x * d[1]), [TALL], dout=dout)[0] == "SIGN_FLIP"
    assert named(forward, lambda d, x: d[part], [TALL], dout=dout) is None


# ---------------------------------------------------------------- plain values beside the truth


def found(what, expected, actual, where="h = 3", **rest):
    return Finding(what, where=where, expected=expected, actual=actual, **rest)


DIFFERENCES = [
    (1.0, None, found("`x` is missing: None came back", "1", "", next="is there a `return` on every path?")),
    (1.0, Other("module"), found("`x` is of the wrong kind", "a number", "a module")),
    (np.ones((2, 3)), Other("Tensor"), found("`x` is of the wrong kind", "an array of shape (2, 3)", "a Tensor")),
    ({"a": 1.0, "b": 2.0}, [1.0], found("`x` is of the wrong kind", "a dict with keys a, b", "a list")),
    ({"a": 1.0, "b": 2.0}, {"a": 1.0, "c": 2.0}, found("`x` has no key `b`", "keys a, b", "keys a, c")),
    ({"a": 1.0, "b": 2.0}, {"b": 3.0, "a": 1.0}, found("`x['b']` is wrong", "2", "3")),
    ([1.0, 2.0], "up", found("`x` is of the wrong kind", "2 values", "a string")),
    ([1.0, 2.0], np.ones((2, 1)), found("`x` is of the wrong kind", "2 values", "an array of shape (2, 1)")),
    ([1.0, 2.0], [1.0], found("`x` has the wrong number of values", "2 values", "1 values")),
    ((1.0, 2.0), [1.0, 2.0, 3.0], found("`x` has the wrong number of values", "2 values", "3 values")),
    ([1.0, 2.0], np.array([1.0, 3.0]), found("`x[1]` is wrong", "2", "3")),
    ([1.0, {"a": [2.0]}], [1.0, {"a": [5.0]}], found("`x[1]['a'][0]` is wrong", "2", "5")),
    ("up", "down", found("`x` is wrong", "'up'", "'down'")),
    ("up", 1.0, found("`x` is wrong", "'up'", "1")),
    (True, 1, found("`x` is wrong", "True", "1")),
    (True, False, found("`x` is wrong", "True", "False")),
    (None, 1.0, found("`x` is wrong", "None", "1")),
    (1.0, "1", found("`x` is of the wrong kind", "a number", "a string")),
    (1.0, True, found("`x` is of the wrong kind", "a number", "a bool")),
    ([1.0], 1j, found("`x` is of the wrong kind", "1 values", "a complex")),
    (1.0, {"a": 1.0}, found("`x` is of the wrong kind", "a number", "a dict")),
    (1.0, [1.0], found("`x` is of the wrong kind", "a number", "a list")),
    (np.ones(2), [1.0, "1"], found("`x` is of the wrong kind", "an array of shape (2,)", "a list")),
    (np.ones(2), [1.0, [1.0]], found("`x` is of the wrong kind", "an array of shape (2,)", "a list")),
    (np.ones(2), [1.0, 10**400], found("`x` is of the wrong kind", "an array of shape (2,)", "a list")),
    (1.0, 1j, found("`x` is a complex number", "1", "a complex")),
    (np.ones((2, 3)), np.ones((3, 2)), found("`x` has the right values in the wrong shape", "shape (2, 3)", "shape (3, 2)", mistake="SHAPE")),
    (np.ones((2, 3)), 2 * np.ones((3, 2)), found("`x` has the wrong shape", "shape (2, 3)", "shape (3, 2)")),
    (np.zeros((2, 3)), 1e-9 * np.ones((3, 2)), found("`x` has the wrong shape", "shape (2, 3)", "shape (3, 2)")),
    (np.ones((2, 3)), np.ones(3), found("`x` has the wrong shape", "shape (2, 3)", "shape (3,)")),
    (1.0, float("nan"), found("`x` is not finite", "1", "nan")),
    (1.0, float("-inf"), found("`x` is not finite", "1", "-inf")),
    (np.ones(2), np.array([1.0, np.inf]), found("`x` is not finite", "f64[2] [1., 1.]", "inf")),
    (2.0, 2 + 3e-7, found("`x` is wrong", "2", "2.0000003")),
    (np.zeros((2, 3)), np.array([[0, 1.0, 0], [0, 0, -2.0]]), found("`x` is wrong", "0", "-2", where="x[1, 2], 2 of 6 wrong; h = 3")),
]


@pytest.mark.parametrize(("expected", "actual", "finding"), DIFFERENCES)
def test_the_whole_finding_on_a_value_that_differs(expected, actual, finding):
    assert difference("x", expected, actual, where="h = 3") == finding


def test_a_value_without_a_place():
    assert difference("x", 1.0, 2.0) == found("`x` is wrong", "1", "2", where="")
    assert difference("x", np.zeros(2), np.ones(2)).where == "x[0], 2 of 2 wrong"


@pytest.mark.parametrize("dress", [lambda v: v, lambda v: [v], lambda v: {"a": v}, lambda v: [{"a": (v,)}], lambda v: np.array([v])])
def test_tolerances_hold_at_every_depth(dress):
    plain = to_plain(dress(2.0 + 1e-3))
    assert difference("x", dress(2.0), plain) is not None
    assert difference("x", dress(2.0), plain, rtol=4e-4) is not None and difference("x", dress(2.0), plain, rtol=6e-4) is None
    assert difference("x", dress(2.0), plain, atol=9e-4) is not None and difference("x", dress(2.0), plain, atol=1.1e-3) is None


def test_infinity_where_infinity_is_due():
    assert difference("x", np.array([np.inf, 1.0]), np.array([np.inf, 1.0])) is None
    assert difference("x", np.array([np.inf, 1.0]), np.array([1.0, 1.0])) == found("`x` is wrong", "inf", "1", where="x[0], 1 of 2 wrong")
    assert difference("x", np.inf, -np.inf) == found("`x` is wrong", "inf", "-inf", where="")


# ---------------------------------------------------------------- what a backward pass returned


def gradient_finding(value, shape=(2,), **arguments):
    x = np.ones(shape)
    return form_finding(to_plain(value), {"x": x, **arguments}, ["x"], "h = 3")


def test_the_whole_finding_on_the_form_of_a_gradient():
    nowhere = found("backward returned None", "dx", "None", next="is there a `return` on every path?")
    assert gradient_finding(None) == nowhere
    number = {"next": "return one gradient for each float input, in the order of the inputs"}
    assert gradient_finding([np.ones(2), np.ones(2)]) == found("the number of gradients is wrong", "dx", "2 values", **number)
    assert gradient_finding(np.ones((2, 2))) == found(
        "`dx` has the wrong shape", "shape (2,)", "shape (2, 2)", next="a gradient has the shape of what it is the gradient of: `x`"
    )
    two = {"x": np.ones(2), "w": np.ones(3)}
    assert form_finding([np.ones(2)] * 3, two, ["x", "w"], "h = 3") == found("the number of gradients is wrong", "2: dx, dw", "3 values", **number)
    assert form_finding(np.ones(2), two, ["x", "w"], "h = 3") == found("the number of gradients is wrong", "2: dx, dw", "one array of shape (2,)", **number)
    assert form_finding(1.0, two, ["x", "w"], "h = 3") == found("the number of gradients is wrong", "2: dx, dw", "one float", **number)
    nothing = found("`dw` is None", "an array of shape (3,)", "None", next="`w` is a float, so it has a gradient, if only zeros")
    assert form_finding([np.ones(2), None], two, ["x", "w"], "h = 3") == nothing
    assert form_finding(Other("module"), {"x": np.ones(2)}, ["x"], "h = 3") == found(
        "`dx` is not an array of numbers", "an array of shape (2,)", "a module", next="return a NumPy array of float64"
    )
    assert gradient_finding("up") == found("`dx` is not an array of numbers", "an array of shape (2,)", "'up'", next="return a NumPy array of float64")
    assert gradient_finding(True) == found("`dx` is not an array of numbers", "an array of shape (2,)", "True", next="return a NumPy array of float64")
    shape = {"next": "a gradient has the shape of what it is the gradient of: `x`"}
    assert gradient_finding(np.ones((2, 1))) == found("`dx` has the wrong shape", "shape (2,)", "shape (2, 1)", **shape)
    assert gradient_finding(1.0) == found("`dx` has the wrong shape", "shape (2,)", "shape ()", **shape)
    assert gradient_finding(np.ones(2, dtype=int)) == found("`dx` is not of a float dtype", "float64", "int64", mistake="DTYPE")
    half = found("`dx` is float16, which keeps three digits", "float64", "float16", mistake="DTYPE")
    assert gradient_finding(np.ones(2, dtype=np.float16)) == half
    reach = {"next": "look for a division by 0, or for exp or log of a number that is out of their reach"}
    assert gradient_finding(np.array([1.0, np.nan])) == found("`dx` is not finite", "a number", "nan", where="dx[1]; h = 3", **reach)
    assert gradient_finding(np.array([[1.0, 1.0], [-np.inf, np.nan]]), (2, 2)) == found(
        "`dx` is not finite", "a number", "-inf", where="dx[1, 0]; h = 3", **reach
    )
    assert gradient_finding(np.inf, ()) == found("`dx` is not finite", "a number", "inf", where="dx; h = 3", **reach)
    assert form_finding(np.nan, {"x": np.float64(1)}, ["x"]).where == "dx"
    assert gradient_finding(np.array([1.0, 2.0])) is None and gradient_finding(np.ones(2, dtype=np.float32)) is None


def test_whole_numbers_in_lists_are_numbers_and_in_arrays_an_int_buffer():
    assert gradient_finding([1, 2]) is None and gradient_finding(3, ()) is None
    assert gradient_finding(np.array([1, 2])).mistake == "DTYPE"


def test_lists_are_read_with_care():
    assert gradient_finding([1.0, 10**400]).what == "`dx` is not an array of numbers"
    assert gradient_finding([1.0, "2"]).what == "`dx` is not an array of numbers"
    assert gradient_finding([[1.0], ["2"]], (2, 1)).what == "`dx` is not an array of numbers"
    assert gradient_finding([[1.0], [2.0]], (2, 1)) is None
    assert gradient_finding([np.ones(2), np.ones(2)], (2, 2)) is None  # one gradient, as a list of its rows


def test_one_gradient_in_a_list_of_one():
    assert gradient_finding([np.ones(2)]) is None and gradient_finding([[1.0, 2.0]]) is None
    assert gradient_finding([1.0], (1,)) is None and gradient_finding([2.0], ()) is None
    assert gradient_finding([np.ones((1, 2))], (1, 2)) is None


def test_a_gradient_for_every_argument_needs_none_at_the_others():
    assert gradient_finding([np.ones(2), None], n=3) is None
    for one_too_many in ([np.ones(2), np.ones(2)], [None, np.ones(2)]):
        finding = gradient_finding(one_too_many, n=3)
        assert finding.what == "the number of gradients is wrong"
        assert finding.next == "`n` is no float, so it has no gradient here: leave it out, or return None for it"
    assert gradient_finding([np.ones(2), np.ones(2)], shape=(2, 2)) is None  # its rows
    two = {"x": np.ones(2), "n": 3, "w": np.ones(3)}
    assert form_finding([np.ones(2), None, np.ones(3)], two, ["x", "w"]) is None
    assert form_finding([np.ones(2), np.ones(3), None], two, ["x", "w"]).what == "the number of gradients is wrong"


def test_an_observation_is_three_calls():
    calls = []

    def backward(dout, x, n):
        calls.append((dout, x, n))
        return dout * x

    x, dout = np.array([1.0, 2.0]), np.array([0.5, -0.25])
    seen = observe_backward(backward, dout, {"x": x, "n": 3})
    assert set(seen) == {"value", "again", "other", "changed"} and seen["changed"] == [] and len(calls) == 3
    assert all(np.array_equal(seen[key], dout * x) for key in ("value", "again")) and np.array_equal(seen["other"], other_upstream(dout) * x)
    assert all(c[0] is not dout and c[1] is not x and c[2] == 3 for c in calls)
    assert not ignores_upstream(seen) and ignores_upstream(observe_backward(lambda d, x: x, dout, {"x": x}))


def test_writing_is_seen_in_any_of_the_calls():
    def second(dout, x, calls=[]):  # noqa: B006
        calls.append(1)
        if len(calls) == 3:
            x *= 2
        return dout * 1.0

    assert observe_backward(second, TALL, {"x": TALL})["changed"] == ["x"]


def test_another_upstream_gradient_is_no_multiple():
    d = np.array([[1.0, -2.0, 3.0], [4.0, 0.0, -6.0]])
    other = other_upstream(d)
    ratio = (other / np.where(d == 0, 1, d))[d != 0]
    assert (ratio > 0.29).all() and (ratio < 2.31).all() and len(np.unique(ratio.round(6))) == 5 and other.shape == d.shape
    assert isinstance(other_upstream((d, 2.0)), tuple) and np.array_equal(other_upstream((d, 2.0))[0], other)
    assert type(other_upstream(2.0)) is float and 0.6 < other_upstream(2.0) < 4.6


def test_scalars_of_numpy_keep_their_dtype():
    found = judge_backward(lambda x: x * x, 2.0, {"x": 3.0}, observe_backward(lambda d, x: np.float32(2 * d * x), 2.0, {"x": 3.0}))
    assert found == []
    half = observe_backward(lambda d, x: np.float16(2 * d * x), 2.0, {"x": 3.0})
    assert judge_backward(lambda x: x * x, 2.0, {"x": 3.0}, half)[0].mistake == "DTYPE"
    pair = observe_backward(lambda d, x, y: (np.float16(d * y), np.float16(d * x)), 2.0, {"x": 3.0, "y": 5.0})
    assert judge_backward(lambda x, y: x * y, 2.0, {"x": 3.0, "y": 5.0}, pair)[0].mistake == "DTYPE"


# ---------------------------------------------------------------- a call, watched


def test_observe_calls_twice():
    count = []
    seen = observe(lambda a: count.append(1) or len(count), {"a": 1.0})
    assert (seen["value"], seen["again"], seen["changed"]) == (1, 2, [])


def test_lists_and_dicts_that_are_arguments_are_copied_and_watched():
    numbers, settings = [1.0, 2.0], {"stride": [2]}

    def writes(a, b):
        b["stride"].append(3)
        return len(a)

    assert observe(writes, {"a": numbers, "b": settings})["changed"] == ["b"]
    assert observe(lambda a, b: a.append(1.0), {"a": numbers, "b": settings})["changed"] == ["a"]
    assert (numbers, settings) == ([1.0, 2.0], {"stride": [2]})


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1.0, 1.0, True),
        (1.0, 1, False),
        (1, True, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
        (1.0, float("nan"), False),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1.0, np.nan]), np.array([2.0, np.nan]), False),
        (np.ones(2), np.ones(2, dtype=np.float32), False),
        (np.ones(2), np.ones((2, 1)), False),
        (np.ones(2), [1.0, 1.0], False),
        ([1.0], np.ones(1), False),
        ([1.0, [np.ones(2)]], [1.0, [np.ones(2)]], True),
        ([1.0, 2.0], [1.0], False),
        ([1.0, 2.0], [1.0, 3.0], False),
        ([1.0], (1.0,), True),
        ([1.0], 1.0, False),
        ({"a": 1.0}, {"a": 1.0}, True),
        ({"a": 1.0}, {"a": 2.0}, False),
        ({"a": 1.0}, {"b": 1.0}, False),
        ({"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}, False),
        ({"a": 1.0}, 1.0, False),
        ("up", "up", True),
        (None, None, True),
    ],
)
def test_the_same_byte_for_byte(a, b, equal):
    assert same(a, b) is equal and same(b, a) is equal


def test_whole_findings_of_the_protocol():
    work = "work on a copy; never write into an argument"
    changed = {"value": 1.0, "again": 1.0, "changed": ["w", "x"]}
    assert protocol_findings(changed, "h = 3", ["x", "b", "w"]) == [Finding("`x` and `w` was changed by the call", where="h = 3", mistake="MUTATES", next=work)]
    assert protocol_findings(changed)[0].what == "an argument was changed by the call"
    another = {"value": 1.0, "again": 2.0, "changed": []}
    said = Finding("a second call with the same input gives another answer", where="h = 3", mistake="STATE_LEAK")
    assert protocol_findings(another, "h = 3") == [said]
    assert protocol_findings({"value": 1.0, "again": 1.0, "changed": []}) == []


# ---------------------------------------------------------------- the forward pass


def test_arguments_as_the_functions_get_them():
    x = np.ones(3)
    x.flags.writeable = False
    got = as_argument("x", x)
    assert got is not x and got.flags.writeable and np.array_equal(got, x)
    assert as_argument("x", [1.0, 2.0]).dtype == np.float64 and as_argument("x", (1, 2)) == (1, 2)
    assert as_argument("x", []) == [] and as_argument("x", ["a"]) == ["a"] and as_argument("x", None) is None and as_argument("x", "up") == "up"
    assert type(as_argument("x", 2.0)) is np.float64 and type(as_argument("x", 2)) is int and as_argument("x", True) is True
    mask = np.array([True, False])
    assert np.array_equal(as_argument("x", mask), mask) and as_argument("x", mask).dtype == bool
    with pytest.raises(CannotCheck, match=r"^`x` holds -inf at `x\[1, 0\]`; every input must be finite$"):
        as_argument("x", np.array([[1.0, 2.0], [-np.inf, np.nan]]))
    with pytest.raises(CannotCheck, match=r"^`x` is float16; slopes are measured in float64, because a float16 forward cannot tell"):
        as_argument("x", np.float16(1.0))


OUTPUTS = {
    "a float": (2.5, [2.5]),
    "an int": (2, [2.0]),
    "a NumPy scalar": (np.float64(2.5), [2.5]),
    "an array": (np.array([1.0, 2.0]), [[1.0, 2.0]]),
    "several": ((np.array([1.0]), 2.0), [[1.0], 2.0]),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_are_float64_arrays(name):
    returned, expected = OUTPUTS[name]
    out = Forward(lambda x: returned, {"x": 1.0}).start
    assert [o.tolist() for o in out] == expected and all(isinstance(o, np.ndarray) and o.dtype == np.float64 for o in out)


NO_OUTPUTS = {
    "None": (None, "forward returned None; is there a `return` on every path?"),
    "a bool": (True, "forward returned a bool; it must return a float64 array or a float"),
    "bools": (np.array([True]), "forward returned bool; it must return float64"),
    "complex numbers": (np.array([1j]), "forward returned complex128; it must return float64"),
    "a list": ([1.0], "forward returned a list; return one float64 array, or a tuple of arrays for several outputs"),
    "None among several": ((1.0, None), "forward returned a NoneType; it must return a float64 array or a float"),
    "half": (
        np.ones(2, dtype=np.float16),
        "forward computes in float16: its rounding hides every error below 1e-4 of a slope; give it float64 inputs, and let it keep float64",
    ),
    "objects": (
        np.array([None]),
        "forward returned an array of objects (rows of different lengths, or numbers NumPy does not know); it must be float64",
    ),
    "NaN": (np.array([1.0, np.nan]), "forward gives NaN or infinity on these inputs; there is no slope to measure here"),
    "NaN among several": ((1.0, np.array(np.inf)), "forward gives NaN or infinity on these inputs; there is no slope to measure here"),
}


@pytest.mark.parametrize("name", NO_OUTPUTS)
def test_the_whole_sentence_on_an_output(name):
    returned, sentence = NO_OUTPUTS[name]
    with pytest.raises(CannotCheck) as caught:
        Forward(lambda x: returned, {"x": 1.0})
    assert str(caught.value) == sentence


def test_the_whole_sentence_on_a_forward_pass():
    def loud(x):
        raise ValueError("x" * 300)

    with pytest.raises(CannotCheck) as caught:
        Forward(loud, {"x": 1.0})
    assert str(caught.value) == f"forward raised ValueError: {'x' * 200}; a forward pass must run before its gradient can be checked"

    def refuses(x):
        raise CannotCheck("no")

    with pytest.raises(CannotCheck, match=r"^no$"):
        Forward(refuses, {"x": 1.0})
    with pytest.raises(CannotCheck, match=r"^forward takes 2 arguments, but is called as forward\(x\): 1$"):
        Forward(lambda a, b: a, {"x": 1.0})
    with pytest.raises(CannotCheck, match=r"^forward takes 1 argument, but is called as forward\(x, n\): 2$"):
        Forward(lambda a: a, {"x": 1.0, "n": 2})
    with pytest.raises(CannotCheck, match=r"^backward takes 1 argument, but is called as backward\(dout, x\): 2$"):
        check_backward_count(lambda d: d, ["x"])
    calls = iter(range(9))
    with pytest.raises(CannotCheck, match=r"^forward is not deterministic"):
        Forward(lambda x: x + next(calls), {"x": 1.0}).check_repeatable()


@pytest.mark.parametrize(
    ("arguments", "whole"),
    [
        ({"n": 3}, "n"),
        ({"way": "up", "ids": np.array([1, 2]), "n": 3}, "ids"),
        ({"one": np.int64(1)}, "one"),
        ({"sizes": ("a", [2])}, "sizes"),
        ({"way": "up"}, ""),
        ({"names": ["a", "b"], "mask": np.array([True])}, ""),
    ],
)
def test_whole_numbers_where_floats_are_due_are_pointed_at(arguments, whole):
    with pytest.raises(CannotCheck) as caught:
        checked_names(arguments, None)
    hint = f"; `{whole}` holds whole numbers: write 3.0 for 3, and x.astype(float) for an array x"
    assert str(caught.value) == "no input is a float or a float64 array, so there is no gradient to check" + (hint if whole else "")


def test_a_forward_pass_that_breaks_beside_the_inputs():
    def forward(x):
        if x != 1.0:
            raise ValueError("only 1")
        return x

    at_one = Forward(forward, {"x": 1.0})
    with pytest.raises(CannotCheck, match=r"^forward raised ValueError there$"):
        at_one.moved_to({"x": 2.0})
    edge = "forward runs on these inputs, but a tiny step beside them {}; give it inputs further from the edge of what it accepts"
    seen = observe_backward(lambda d, x: d * x, 1.5, {"x": 1.0})
    with pytest.raises(CannotCheck) as caught:
        judge_backward(forward, 1.5, {"x": 1.0}, seen)
    assert str(caught.value) == edge.format("it raised ValueError: only 1")
    nan = lambda x: np.where(x == 1.0, 2.0, np.nan) * x  # noqa: E731
    with pytest.raises(CannotCheck) as caught:
        judge_backward(nan, 1.5, {"x": 1.0}, seen)
    assert str(caught.value) == edge.format("gives NaN or infinity")
    slope = ray(nan, 1.0).slope(ONE, most=1)
    assert (slope.value, slope.error, slope.left, slope.right, slope.size) == (0, np.inf, 0, 0, 2) and not is_kink(slope)


def test_any_function_that_can_be_called_so_will_do():
    for function in (lambda x, w=2.0: x * w, lambda *rest: rest[0], lambda x, /: x, lambda x, *, scale=1: x):
        check_backward_count(function, [])
        assert Forward(function, {"x": 1.0}).start[0].shape == ()
    check_backward_count(lambda d, x, extra=None: d, ["x"])


def test_names_of_arguments():
    assert argument_names(lambda x, w: x, 2) == ["x", "w"]
    assert argument_names(lambda x, /, w, *rest, scale=1: x, 4) == ["x", "w", "input2", "input3"]
    assert argument_names(lambda x, w=1: x, 1) == ["x"]
    assert argument_names(dict.fromkeys, 0) == [] and argument_names(min, 2) == ["input0", "input1"]


def test_the_arguments_to_differentiate_keep_the_order_asked_for():
    arguments = {"x": TALL, "n": 3, "w": W, "mask": TALL > 0}
    assert Forward(lambda x, n, w, mask: x @ w, arguments).names == ["x", "w"]
    assert Forward(lambda x, n, w, mask: x @ w, arguments, ["w"]).names == ["w"]
    assert Forward(lambda x, n, w, mask: x @ w, arguments, ("w", "x")).names == ["w", "x"]


def test_evaluations_are_counted_wherever_the_function_stands():
    forward = Forward(lambda x, n: x**n, {"x": np.array([2.0, 3.0]), "n": 2})
    assert forward.evaluations == 1
    assert forward.at(x=np.array([5.0, 1.0]))[0].tolist() == [25.0, 1.0] and forward.evaluations == 2
    assert forward.along(["x"], np.array([1.0, 0.0]), 0.5)[0].tolist() == [6.25, 9.0] and forward.evaluations == 3
    imaginary = forward.along(["x"], np.array([1.0, 0.0]), 1j)[0]
    assert np.iscomplexobj(imaginary) and np.allclose(imaginary, [(2 + 1j) ** 2, 9.0])
    moved = forward.moved_to({"x": np.array([7.0, 1.0]), "n": 2})
    assert moved.start[0].tolist() == [49.0, 1.0] and forward.start[0].tolist() == [4.0, 9.0]
    assert moved.evaluations == forward.evaluations == 5 and forward.arguments["x"].tolist() == [2.0, 3.0]


def test_a_point_outside_the_domain_is_no_place_to_move_to():
    forward = Forward(np.log, {"x": np.array([2.0])})
    with pytest.raises(CannotCheck, match=r"^forward gives NaN or infinity there$"):
        forward.moved_to({"x": np.array([-2.0])})


def test_time_is_taken_and_floating_point_is_quiet(monkeypatch):
    from zerohero.gradcheck import forward as module

    clock = iter([100.0, 107.0])
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    with np.errstate(all="raise"):
        forward = Forward(lambda x: np.exp(-x), {"x": np.array([745.0])})  # underflows
        forward.at(x=np.array([746.0]))
    assert forward.seconds == 7.0


# ---------------------------------------------------------------- slopes


def ray(function, x, u=1.0):
    return Ray(Forward(function, {"x": np.asarray(x, dtype=np.float64)}), {"x": u * np.ones(np.shape(x))})


ONE = (np.float64(1.0),)


def test_a_slope_with_its_two_sides():
    slope = ray(np.abs, 0.0).slope(ONE, most=1)
    assert np.allclose((slope.left, slope.right, slope.value), (-1, 1, 0)) and is_kink(slope)
    slope = ray(lambda x: np.maximum(x, 0) * 3, 0.0, -2.0).slope((np.float64(-0.5),), most=1)
    assert np.allclose((slope.left, slope.right), (3, 0)) and is_kink(slope)
    slope = ray(np.exp, 0.5).slope(ONE)
    assert np.allclose((slope.left, slope.right, slope.value), np.exp(0.5), rtol=1e-6) and not is_kink(slope)
    assert slope.size == pytest.approx(np.exp(0.5))
    assert ray(lambda x: (x, 2 * x), 3.0).slope((np.float64(2.0), np.float64(4.0))).size == pytest.approx(np.sqrt(6**2 + 24**2))


@pytest.mark.parametrize(
    ("function", "x", "true"),
    [
        (lambda x: np.sin(1e4 * x), 0.3, 1e4 * np.cos(3e3)),
        (lambda x: np.sin(1e3 * x), 0.3, 1e3 * np.cos(300)),
        (lambda x: 1e6 + np.sin(x), 0.3, np.cos(0.3)),
        (lambda x: 1e9 + np.sin(x), 0.3, np.cos(0.3)),
        (lambda x: 1e12 * np.sin(x), 0.3, 1e12 * np.cos(0.3)),
        (lambda x: 1e-12 * np.sin(x), 0.3, 1e-12 * np.cos(0.3)),
        (lambda x: x**2, 0.0, 0.0),
    ],
)
def test_the_error_of_a_slope_is_known(function, x, true):
    """Bends that are narrow ask for a smaller step, rounding for a larger one; either way the estimate holds and is of use."""
    slope = ray(function, x).slope(ONE)
    size = abs(float(function(np.float64(x))))
    assert abs(slope.value - true) <= 5 * slope.error + 1e-300
    assert slope.error <= 1e-6 * abs(true) + 1e-11 * size
    assert not is_kink(slope)


def test_each_point_is_evaluated_once():
    line = ray(np.sin, TALL)
    before = line.forward.evaluations
    first = line.slope((TALL,), most=1)
    assert line.forward.evaluations - before == 4
    second = line.slope((TALL[::-1],), most=1)
    line.bends()
    assert line.forward.evaluations - before == 4 and first.step == second.step == START
    assert first.value == pytest.approx(np.sum(TALL * np.cos(TALL)), rel=1e-9)
    assert second.value == pytest.approx(np.sum(TALL[::-1] * np.cos(TALL)), rel=1e-9)


def test_no_more_steps_than_allowed_and_none_when_it_is_good_enough():
    for most in (1, 2, 3):
        line = ray(lambda x: np.sin(1e5 * x), 0.3)
        line.slope(ONE, most=most)
        assert line.forward.evaluations == 1 + 4 * most
    line = ray(lambda x: np.sin(1e5 * x), 0.3)
    line.slope(ONE, enough=np.inf)
    assert line.forward.evaluations == 5
    rough = line.slope(ONE, most=1)
    assert ray(lambda x: np.sin(1e5 * x), 0.3).slope(ONE, start=1e-6, best=rough).error < rough.error
    good = ray(np.exp, 0.3).slope(ONE)
    assert ray(np.exp, 0.3).slope(ONE, start=1e-7, most=1, best=good) is good


def test_a_slope_of_nothing_is_known_at_once():
    line = ray(lambda x: 0 * x, 1.0)
    slope = line.slope(ONE)
    assert (slope.value, slope.error, slope.size) == (0, 0, 0) and line.forward.evaluations <= 6


@pytest.mark.parametrize("size", [1.0, 1e200, 1e-200])
def test_a_norm_neither_overflows_nor_vanishes(size):
    with np.errstate(over="ignore"):
        assert norm([size * np.array([3.0]), size * np.array([[0.0], [4.0]])]) == pytest.approx(5 * size, rel=1e-12)
    assert norm([size * np.zeros(3)]) == 0 and norm([]) == 0 and norm([np.zeros((0, 3))]) == 0


def test_the_signs_in_which_outputs_bend():
    relu = lambda x: np.maximum(x, 0)  # noqa: E731
    assert ray(relu, [0.0, 1.0]).bends() == {1.0}
    assert ray(lambda x: -relu(x), [0.0, 1.0]).bends() == {-1.0}
    assert ray(lambda x: (relu(x), -relu(x)), [0.0, 1.0]).bends() == {1.0, -1.0}
    assert ray(lambda x: relu(x) * [1, -1], [0.0, 0.0]).bends() == {1.0, -1.0}
    assert ray(lambda x: 2 * x, [0.5, 1.0]).bends() == set()


def test_slopes_of_elements_hold_both_sides_of_a_kink():
    forward = Forward(lambda x: np.maximum(x, 0), {"x": np.array([0.0, 2.0, -2.0])})
    up, down = element_slopes(forward, "x", [(np.ones(3),), (-2 * np.ones(3),)])
    assert np.allclose(up.low, [0, 1, 0], atol=1e-7) and np.allclose(up.high, [1, 1, 0], atol=1e-7)
    assert np.allclose(down.low, [-2, -2, 0], atol=1e-7) and np.allclose(down.high, [0, -2, 0], atol=1e-7)
    assert np.allclose(up.value[1:], [1, 0]) and up.value.shape == (3,)


def test_slopes_along_a_direction_over_several_arguments():
    value, error = directional_derivative(lambda a, b: float((a * b).sum()), [[1, 2], [3, 4]], [[1, 0], [0, -2]])
    assert value == pytest.approx(1 * 3 + 2 * -2, abs=1e-9) and error < 1e-8
    a, b = numerical_gradient(lambda a, b: float((a * b).sum()), [[1, 2], [[3], [4]]])
    assert np.allclose(a, 7) and np.allclose(b, 3) and (a.shape, b.shape) == ((2,), (2, 1))


def test_the_complex_step_gives_a_whole_slope():
    forward = Forward(lambda x: np.exp(x), {"x": TALL}, complex_safe=True)
    line = Ray(forward, {"x": B + 0 * TALL})
    slope = line.slope((2 * TALL,))
    true = float(np.sum(2 * TALL * np.exp(TALL) * line.u["x"]))
    assert abs(slope.value - true) <= slope.error < 1e-12 and slope.left == slope.right == slope.value and slope.step == 0 and not is_kink(slope)
    assert slope.size == pytest.approx(np.linalg.norm(2 * TALL * np.exp(TALL)))
    wrong = gradcheck(lambda x: np.exp(x), lambda d, x: 1.01 * d * np.exp(x), [TALL], complex_safe=True).findings[0]
    assert wrong.what == "the gradient of `x` is wrong" and wrong.where.startswith("dx[")


# ---------------------------------------------------------------- verdicts


def test_a_large_argument_is_named_without_an_element(monkeypatch):
    x = normal(2001)
    finding = gradcheck(np.tanh, lambda d, x: 2 * d * slope(x), [x]).findings[0]
    assert (finding.what, finding.where) == ("the gradient of `x` is wrong", "along a random direction; x = f64[2001]")
    assert float(finding.actual) == pytest.approx(2 * float(finding.expected), rel=1e-6) and finding.error_map is None
    monkeypatch.setattr(verdict, "LOCALISE", 10)
    assert gradcheck(np.tanh, lambda d, x: 2 * d * slope(x), [normal(10)]).findings[0].where.startswith("dx[")


def test_the_point_is_said_shortly():
    assert described(Forward(lambda x, b, n, way: x @ b * n, {"x": TALL, "b": B, "n": 3, "way": "up"})) == (
        f"x = f64[5,3], b = f64[3] {np.array2string(B, precision=6, separator=', ')}, n = 3, way = 'up'"
    )
    long = described(Forward(lambda x, way: x, {"x": 1.0, "way": "up" * 100}))
    assert long == f"x = 1, way = {repr('up' * 100)[:57]}..."
    finding = gradcheck(lambda x: x**2, lambda d, x: d * x, [3.0], dout=5.0).findings[0]
    assert (finding.where, finding.expected, finding.actual, finding.error_map) == ("dx; x = 3", "30", "15", None)


def test_the_seed_draws_the_directions():
    x = normal(2001)
    seen = observe_backward(lambda d, x: 2 * d * slope(x), x, {"x": x})
    said = [judge_backward(np.tanh, x, {"x": x}, seen, seed=seed)[0].expected for seed in (5, 5, 6)]
    assert said[0] == said[1] != said[2]


def test_elements_that_are_right_at_zero_are_not_counted_as_wrong():
    backward = lambda d, x: d * (x > 0) * np.where(x > 1.5, 1.01, 1.0)  # noqa: E731
    finding = gradcheck(lambda x: np.maximum(x, 0), backward, [np.array([-1.0, -2.0, 1.0, 2.0])]).findings[0]
    assert finding.where.startswith("dx[3], 1 of 4 wrong; ")


def test_a_huge_gradient_is_wrong_without_a_warning():
    seen = observe_backward(lambda d, x: 1e300 * d * x, TALL, {"x": TALL})
    with np.errstate(over="raise", invalid="raise"):
        assert judge_backward(lambda x: x**2, TALL, {"x": TALL}, seen)[0].what == "the gradient of `x` is wrong"


def test_a_place_that_was_handed_in_is_kept():
    for backward in (lambda d, x: -2 * d * x, lambda d, x: None, lambda d, x: x.__imul__(2)):
        seen = observe_backward(backward, TALL, {"x": TALL})
        assert "right here" in judge_backward(lambda x: x**2, TALL, {"x": TALL}, seen, where="right here")[0].where
        assert "x = f64[5,3]" in judge_backward(lambda x: x**2, TALL, {"x": TALL}, seen)[0].where


def test_only_the_arguments_asked_for_are_judged():
    seen = observe_backward(lambda d, x, w: x.T @ d, dout := normal(5, 2), {"x": TALL, "w": W})
    assert judge_backward(np.matmul, dout, {"x": TALL, "w": W}, seen, differentiable=["w"]) == []
    assert judge_backward(np.matmul, dout, {"x": TALL, "w": W}, seen)[0].what == "the number of gradients is wrong"


@pytest.mark.parametrize(("dtype", "passes", "fails"), [(np.float64, 1e-9, 1e-6), (np.float32, 5e-7, 5e-5)])
def test_precision_by_the_dtype_that_came_back(dtype, passes, fails):
    for seed in range(5):
        assert gradcheck(np.tanh, lambda d, x: ((1 + passes) * d * slope(x)).astype(dtype), [TALL], seed=seed).passed
        assert not gradcheck(np.tanh, lambda d, x: ((1 + fails) * d * slope(x)).astype(dtype), [TALL], seed=seed).passed


def test_one_gradient_in_float32_among_others():
    right = lambda d, x, w: (d @ w.T, (x.T @ d).astype(np.float32))  # noqa: E731
    assert gradcheck(np.matmul, right, [TALL, W]).passed
    assert not gradcheck(np.matmul, lambda d, x, w: (1.0001 * d @ w.T, (x.T @ d).astype(np.float32)), [TALL, W]).passed


@pytest.mark.parametrize("wrong", ["a", "b", "c"])
def test_arguments_of_three_sizes_each_count(wrong):
    weights = {"a": 1e4, "b": 1.0, "c": 1e-4}

    def forward(a, b, c):
        return 1e4 * np.sin(a).sum() + np.sin(b).sum() + 1e-4 * np.sin(c).sum()

    def backward(d, a, b, c, wrong=""):
        return tuple(d * weights[n] * np.cos(v) * (1.01 if n == wrong else 1) for n, v in (("a", a), ("b", b), ("c", c)))

    inputs = [TALL, TALL + 1, TALL - 1]
    assert gradcheck(forward, backward, inputs).passed
    finding = gradcheck(forward, lambda d, a, b, c: backward(d, a, b, c, wrong), inputs).findings[0]
    assert finding.what == f"the gradient of `{wrong}` is wrong"


@pytest.mark.parametrize("sign", [1, -1])
def test_at_a_kink_the_range_of_right_slopes_is_said(sign):
    """An answer that is wrong only for all elements together has no worst element: every tie gets everything."""
    x = np.array([[2.0, 2.0, 2.0]])
    dout = np.array([1.5]) * sign
    seen = observe_backward(lambda d, x: d[:, None] * (x == x.max(1, keepdims=True)), dout, {"x": x})
    finding = judge_backward(lambda x: x.max(1), dout, {"x": x}, seen)[0]
    assert finding.what == "the gradient of `x` is wrong" and finding.where == "along one direction; x = f64[1,3] [[2., 2., 2.]]"
    low, high = map(float, finding.expected.removesuffix(": at a kink every slope between is right").split(" to "))
    assert low < high and not low <= float(finding.actual) <= high


def test_both_signs_at_a_kink_need_the_backward_pass_again():
    x, dout = np.array([0.0, 1.0, 0.0]), np.array([1.0, 1.0, -1.0])
    relu = lambda x: np.maximum(x, 0)  # noqa: E731
    asked = []

    def again(d, arguments):
        asked.append(np.array(d))
        return observe_backward(lambda d, x: d * (x > 0), d, arguments)

    seen = observe_backward(lambda d, x: d * (x > 0), dout, {"x": x})
    assert judge_backward(relu, dout, {"x": x}, seen, observe=again) == [] and asked


def test_what_is_wrong_beside_a_kink_does_not_hide_in_the_range_of_slopes_at_it():
    """Judged without asking the backward pass again, as in grading: along a random direction the range at three kinks is wide."""
    x = np.array([[0.0, 1.0, -1.0], [2.0, 0.0, 0.0]])
    relu = lambda x: np.maximum(x, 0)  # noqa: E731
    for seed in range(100):
        dout = np.abs(normal(2, 3, seed=seed))
        for backward, right in ((lambda d, x: d * (x > 0), True), (lambda d, x: d * (x <= 0), False), (lambda d, x: d * (x >= 0) * (1 + 1e-3 * x), False)):
            found = judge_backward(relu, dout, {"x": x}, observe_backward(backward, dout, {"x": x}), seed=seed)
            assert (found == []) == right, seed


def test_a_backward_pass_that_breaks_beside_a_kink_is_wrong():
    relu = lambda x: np.maximum(x, 0)  # noqa: E731

    def breaks(d, x):
        return d * (x > 0) if (x == 0).any() and (d > 0).any() and (d < 0).any() else None

    assert not gradcheck(relu, breaks, [np.array([0.0, 1.0, 0.0])], dout=np.array([1.0, 1.0, -1.0])).passed


# ---------------------------------------------------------------- names of plain numbers


def test_names_of_numbers_need_numbers_enough():
    assert name_numbers([([1.0, 2.0, 4.0], [-1.0, -2.0, -4.0])]) == ("SIGN_FLIP", "a sign is wrong: your values are the right ones negated")
    assert name_numbers([([1.0, 2.0, 2.0], [-1.0, -2.0, -2.0])]) is None
    assert name_numbers([([1.0, 2.0, 0.0], [-1.0, -2.0, 0.0])]) is None
    assert name_numbers([([1.0, 2.0, -2.0], [-1.0, -2.0, 2.0])]) is None
    assert name_numbers([]) is None and name_numbers([([1.0, 2.0, 4.0], [-1.0, -2.0])]) is None
    assert name_numbers([([1.0, 2.0, 4.0], [-1.0, -2.0, np.nan])]) is None and name_numbers([([1.0, 2.0, 4.0], [-1.0, -2.0, "4"])]) is None
    assert name_numbers([([1.0, 2.0, 4.0], [-1.0, -2.0, True])]) is None and name_numbers([([1.0, 2.0, 4.0], None)]) is None
    assert name_numbers([([1.0, 2.0, 4.0], [0.0, 0.0, 0.0])]) is None
    assert name_numbers([(np.array([1.0, 2.0, 4.0]), np.array([-1, -2, -4]))])[0] == "SIGN_FLIP"
    assert name_numbers([({"a": 1.0, "b": 2.0, "c": 4.0}, {"c": -4.0, "b": -2.0, "a": -1.0})])[0] == "SIGN_FLIP"
    assert name_numbers([([1.0, [2.0, (4.0,)]], [-1.0, [-2.0, (-4.0,)]])])[0] == "SIGN_FLIP"


@pytest.mark.parametrize(("c", "said"), [(2.0, "2"), (-3.0, "-3"), (0.5, "1/2"), (-2 / 3, "-2/3"), (12.0, "12"), (13.0, "a constant"), (1 / 12, "1/12"), (1 / 13, "a constant"), (0.501, "a constant")])  # fmt: skip
def test_constants_that_are_said(c, said):
    true = [1.0, 2.0, 4.0]
    assert name_numbers([(true, [c * t for t in true])]) == ("WRONG_CONSTANT", f"your values are the right ones times {said}")


def test_two_numbers_in_each_other_s_place():
    said = "SWAPPED", "two of the results are in each other's place"
    assert name_numbers([([1.0, 2.0, 4.0], [4.0, 2.0, 1.0])]) == said
    assert name_numbers([([1.0, 2.0, 4.0], [2.0, 1.0, 4.0]), ([3.0, 5.0, 7.0], [5.0, 3.0, 7.0])]) == said
    assert name_numbers([([1.0, 2.0, 4.0], [2.0, 1.0, 4.0]), ([3.0, 5.0, 7.0], [3.0, 7.0, 5.0])]) is None
    assert name_numbers([([1.0, 2.0, 4.0], [2.0, 4.0, 1.0])]) is None  # three of them
    assert name_numbers([([1.0, 2.0], [2.0, 1.0]), ([3.0, 5.0, 7.0], [5.0, 3.0, 7.0])]) is None  # of two sizes
    twelve = [float(i * i + 1) for i in range(13)]
    assert name_numbers([(twelve[:12], [twelve[11], *twelve[1:11], twelve[0]])]) == said
    assert name_numbers([(twelve, [twelve[12], *twelve[1:12], twelve[0]])]) is None  # too many pairs to prove one


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("r", [*np.arange(0.02, 1.0, 0.02), 0.09, 0.1, 0.11])
def test_a_kink_within_the_step_does_not_pass_for_a_wrong_gradient(r, side):
    """Of many ReLUs one bends at r of the first step, and one further away hides it at larger steps; 3 is the slope at x."""
    near, far = r * verdict.FIRST, 4 * verdict.FIRST

    def function(x):
        moved = side * (x - 1.0)
        return 3 * x + 1e-4 * np.maximum(moved - near, 0) - 1e-4 * np.maximum(-moved - far, 0)

    forward = Forward(function, {"x": np.float64(1.0)})
    found = verdict._compare(Ray(forward, {"x": np.float64(1.0)}), [verdict.Claim((np.float64(1.0),), {"x": np.array(3.0)})], verdict.FIRST, 2)
    assert not isinstance(found, tuple) or found[1]
