"""What mutants of the gradient checker asked for (``make mutation``): every generic name with its near misses, whole findings, edges of tolerances."""

import numpy as np
import pytest

from zerohero.gradcheck import difference, judge_backward, observe, protocol_findings
from zerohero.gradcheck.backward import form_finding, ignores_upstream, observe_backward, other_upstream
from zerohero.gradcheck.forward import Forward
from zerohero.gradcheck.hypotheses import Trial, name_gradients
from zerohero.gradcheck.protocol import same
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


def test_large_arguments_are_not_measured_element_by_element():
    assert named(np.tanh, lambda d, x: -d * slope(x), [normal(2000)])[0] == "SIGN_FLIP"
    assert named(np.tanh, lambda d, x: -d * slope(x), [normal(2001)]) is None


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
    (1.0, {"a": 1.0}, found("`x` is of the wrong kind", "a number", "a dict")),
    (1.0, [1.0], found("`x` is of the wrong kind", "a number", "a list")),
    (np.ones(2), [1.0, "1"], found("`x` is of the wrong kind", "an array of shape (2,)", "a list")),
    (np.ones(2), [1.0, [1.0]], found("`x` is of the wrong kind", "an array of shape (2,)", "a list")),
    (np.ones(2), [1.0, 10**400], found("`x` is of the wrong kind", "an array of shape (2,)", "a list")),
    (1.0, 1j, found("`x` is a complex number", "1", "a complex")),
    (np.ones((2, 3)), np.ones((3, 2)), found("`x` has the right values in the wrong shape", "shape (2, 3)", "shape (3, 2)", mistake="SHAPE")),
    (np.ones((2, 3)), 2 * np.ones((3, 2)), found("`x` has the wrong shape", "shape (2, 3)", "shape (3, 2)")),
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
    number = {"next": "return one gradient for each input, in the order of the inputs"}
    assert gradient_finding([np.ones(2), np.ones(2)]) == found(
        "`dx` has the wrong shape", "shape (2,)", "shape (2, 2)", next="a gradient has the shape of what it is the gradient of: `x`"
    )
    two = {"x": np.ones(2), "w": np.ones(3)}
    assert form_finding([np.ones(2)] * 3, two, ["x", "w"], "h = 3") == found("the number of gradients is wrong", "2: dx, dw", "3 values", **number)
    assert form_finding(np.ones(2), two, ["x", "w"], "h = 3") == found("the number of gradients is wrong", "2: dx, dw", "one array of shape (2,)", **number)
    assert form_finding(1.0, two, ["x", "w"], "h = 3") == found("the number of gradients is wrong", "2: dx, dw", "one float", **number)
    nothing = found("`dw` is None", "an array of shape (3,)", "None", next="`w` is a float, so it has a gradient, if only zeros")
    assert form_finding([np.ones(2), None], two, ["x", "w"], "h = 3") == nothing
    assert form_finding(Other("module"), {"x": np.ones(2)}, ["x"], "h = 3") == found("`dx` is not an array of numbers", "an array of shape (2,)", "a module")
    assert gradient_finding("up") == found("`dx` is not an array of numbers", "an array of shape (2,)", "'up'")
    assert gradient_finding(True) == found("`dx` is not an array of numbers", "an array of shape (2,)", "True")
    shape = {"next": "a gradient has the shape of what it is the gradient of: `x`"}
    assert gradient_finding(np.ones((2, 1))) == found("`dx` has the wrong shape", "shape (2,)", "shape (2, 1)", **shape)
    assert gradient_finding(1.0) == found("`dx` has the wrong shape", "shape (2,)", "shape ()", **shape)
    assert gradient_finding(np.ones(2, dtype=int)) == found("`dx` is not of a float dtype", "float64", "int64", mistake="DTYPE")
    half = found("`dx` is float16, which keeps three digits", "float64", "float16", mistake="DTYPE")
    assert gradient_finding(np.ones(2, dtype=np.float16)) == half
    assert gradient_finding(np.array([1.0, np.nan])) == found("`dx` is not finite", "a number", "nan", where="dx[1]; h = 3")
    assert gradient_finding(np.array([[1.0, 1.0], [-np.inf, np.nan]]), (2, 2)) == found("`dx` is not finite", "a number", "-inf", where="dx[1, 0]; h = 3")
    assert gradient_finding(np.inf, ()) == found("`dx` is not finite", "a number", "inf", where="dx; h = 3")
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
    assert gradient_finding([np.ones(2), np.ones(2)], n=3).what == "`dx` has the wrong shape"  # (2, 2): its rows
    assert gradient_finding([None, np.ones(2)], n=3).what == "`dx` is not an array of numbers"
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
