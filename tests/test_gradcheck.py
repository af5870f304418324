"""The gradient checker against known right and wrong backward passes, measured slopes, and torch."""

import numpy as np
import pytest

from zerohero.errors import CannotCheck
from zerohero.gradcheck import directional_derivative, gradcheck, judge_backward, numerical_gradient, observe, observe_backward, protocol_findings
from zerohero.gradcheck.backward import gradient_parts, other_upstream
from zerohero.gradcheck.compare import difference
from zerohero.gradcheck.forward import Forward
from zerohero.gradcheck.naming import name_numbers

rng = np.random.RandomState(7)
X, W = rng.randn(5, 3), rng.randn(3, 7)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_backward(dout, x):
    p = softmax(x)
    return p * (dout - (dout * p).sum(-1, keepdims=True))


RIGHT = {
    "tanh": (np.tanh, lambda d, x: d * (1 - np.tanh(x) ** 2), [X]),
    "matmul": (np.matmul, lambda d, x, w: (d @ w.T, x.T @ d), [X, W]),
    "softmax": (softmax, softmax_backward, [X]),
    "a list instead of a tuple": (np.matmul, lambda d, x, w: [d @ w.T, x.T @ d], [X, W]),
    "nested lists of numbers": (np.tanh, lambda d, x: (d * (1 - np.tanh(x) ** 2)).tolist(), [X]),
    "nested lists, one row": (np.tanh, lambda d, x: (d * (1 - np.tanh(x) ** 2)).tolist(), [X[:1]]),
    "nested lists, one row, in a tuple of one": (np.tanh, lambda d, x: ((d * (1 - np.tanh(x) ** 2)).tolist(),), [X[:1]]),
    "a tuple of one": (np.tanh, lambda d, x: (d * (1 - np.tanh(x) ** 2),), [X]),
    "float32 gradient": (np.tanh, lambda d, x: (d * (1 - np.tanh(x) ** 2)).astype(np.float32), [X]),
    "scalar": (lambda a, b: a * b, lambda d, a, b: (d * b, d * a), [np.float64(3.0), np.float64(-2.0)]),
    "zero gradient": (lambda x: 0 * x, lambda d, x: 0 * x, [X]),
    "large values": (lambda x: x**3, lambda d, x: 3 * d * x**2, [1e4 * X]),
    "tiny values": (lambda x: np.sin(x), lambda d, x: d * np.cos(x), [1e-6 * X]),
    "empty": (np.tanh, lambda d, x: d * (1 - np.tanh(x) ** 2), [np.zeros((0, 3))]),
    "broadcast": (lambda x, b: x + b, lambda d, x, b: (d, d.sum(0)), [X, rng.randn(3)]),
}
WRONG = {
    "no upstream": (np.tanh, lambda d, x: 1 - np.tanh(x) ** 2, [X]),
    "sign": (np.tanh, lambda d, x: -d * (1 - np.tanh(x) ** 2), [X]),
    "transposed": (np.matmul, lambda d, x, w: (d @ w.T, (d.T @ x).T + 1e-5), [X, W]),
    "swapped": (np.multiply, lambda d, x, y: (d * x, d * y), [X, rng.randn(5, 3)]),
    "softmax as if elementwise": (softmax, lambda d, x: d * softmax(x) * (1 - softmax(x)), [X]),
    "one element": (np.tanh, lambda d, x: d * (1 - np.tanh(x) ** 2) + 1e-4 * (np.arange(15).reshape(5, 3) == 7), [X]),
    "broadcast not summed": (lambda x, b: x + b, lambda d, x, b: (d, d), [X, rng.randn(3)]),
    "wrong only in the second input": (np.matmul, lambda d, x, w: (d @ w.T, 1.001 * x.T @ d), [X, W]),
    "int gradient": (np.tanh, lambda d, x: (d * (1 - np.tanh(x) ** 2)).astype(int), [X]),
    "nan": (np.tanh, lambda d, x: d * np.nan, [X]),
    "none": (np.tanh, lambda d, x: None, [X]),
    "strings": (np.tanh, lambda d, x: "up", [X]),
    "ragged lists": (np.tanh, lambda d, x: [[1.0], [1.0, 2.0]], [X]),
    "complex": (np.tanh, lambda d, x: d * (1 - np.tanh(x) ** 2) + 0j, [X]),
    "one gradient for two": (np.matmul, lambda d, x, w: d @ w.T, [X, W]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_backward_passes_pass(name):
    forward, backward, inputs = RIGHT[name]
    for seed in range(5):
        assert gradcheck(forward, backward, inputs, seed=seed).passed


@pytest.mark.parametrize("name", WRONG)
def test_wrong_backward_passes_are_rejected(name):
    forward, backward, inputs = WRONG[name]
    for seed in range(5):
        assert not gradcheck(forward, backward, inputs, seed=seed).passed


def test_the_worst_element_is_named_with_its_map():
    finding = gradcheck(*WRONG["one element"]).findings[0]
    assert finding.where == "dx[2, 1], 1 of 15 wrong; x = f64[5,3]"
    assert finding.what == "the gradient of `x` is wrong"
    drawn = finding.error_map
    assert (drawn.of, drawn.shape, drawn.block) == ("dx", (5, 3), (1, 1))
    assert [(r, c) for r in range(5) for c in range(3) if drawn.cells[r][c]] == [(2, 1)]


def test_expected_and_actual_are_those_of_the_worst_element():
    x = np.array([0.5, -1.0, 2.0])
    report = gradcheck(lambda x: x**2, lambda dout, x: np.array([1.0, 1.5, 1.0]) * 2 * x * dout, [x], dout=np.array([3.0, 4.0, 5.0]))
    finding = report.findings[0]
    assert (finding.expected, finding.actual) == ("-8", "-12") and finding.where.startswith("dx[1], 1 of 3 wrong; x = f64[3] [ 0.5, -1. ,  2. ]")


def test_the_argument_that_is_wrong_is_named_and_no_other():
    report = gradcheck(lambda x, w, b: x @ w + b, lambda dout, x, w, b: (dout @ w.T, 1.01 * x.T @ dout, dout.sum(0)), [X, W, rng.randn(7)])
    assert [f.what for f in report.findings] == ["the gradient of `w` is wrong"]


def test_writing_into_an_input_is_named():
    def backward(dout, x):
        dout *= 1 - np.tanh(x) ** 2
        return dout

    report = gradcheck(np.tanh, backward, [X])
    assert report.findings[0].mistake == "MUTATES" and "`dout`" in report.findings[0].what


def test_a_second_call_that_differs_is_named():
    total = np.zeros_like(X)

    def backward(dout, x):
        total[:] += dout * (1 - np.tanh(x) ** 2)
        return total.copy()

    assert gradcheck(np.tanh, backward, [X]).findings[0].mistake == "STATE_LEAK"


# ---------------------------------------------------------------- what there is no verdict on

noise = np.random.RandomState(0)


def dropout(x):
    return x * (noise.rand(*x.shape) > 0.3)


def writes_into_its_input(x):
    x *= 2
    return x


def forgets_to_return(x):
    x @ x.T


NO_VERDICT = {
    "float32 input": (np.tanh, [X.astype(np.float32)], "`x` is float32; slopes are measured in float64, because a float32 forward cannot tell a gradient better than 1e-4"),
    "float32 forward": (lambda x: np.tanh(x).astype(np.float32), [X], "forward computes in float32: its rounding hides every error below 1e-4 of a slope"),
    "float32 inside": (lambda x: np.tanh(x.astype(np.float32)).astype(np.float64), [X], "forward is too rough to measure a slope on"),
    "not deterministic": (dropout, [X], "forward is not deterministic: two calls with the same inputs differ (dropout without a seed?)"),
    "returns None": (forgets_to_return, [X], "forward returned None; is there a `return` on every path?"),
    "returns a list": (lambda x: [x, x], [X], "forward returned a list; return one float64 array"),
    "returns objects": (lambda x: np.array([x, None], dtype=object), [X], "forward returned an array of objects"),
    "returns text": (lambda x: "up", [X], "forward returned a str"),
    "returns integers": (lambda x: (x > 0).astype(int), [X], "forward returned int64; it must return float64"),
    "raises": (lambda x: x @ np.ones(99), [X], "forward raised ValueError: matmul"),
    "writes into its input": (writes_into_its_input, [X], "forward writes into its argument `x`; let it work on a copy"),
    "NaN in an input": (np.tanh, [np.array([1.0, np.nan])], "`x` holds nan at `x[1]`; every input must be finite"),
    "infinite input": (np.tanh, [np.float64(np.inf)], "`x` holds inf at `x`"),
    "NaN in the output": (lambda x: np.log(x), [-np.ones(3)], "forward gives NaN or infinity on these inputs"),
    "too few inputs": (lambda x, w: x @ w, [X], "forward takes 2 arguments, but is called as forward(x): 1"),
    "too many inputs": (lambda x: x, [X, W], "forward takes 1 argument, but is called as forward(x, input1): 2"),
    "only integers": (lambda n: n * 1.0, [3], "no input is a float or a float64 array"),
    "complex input": (lambda x: x, [X + 0j], "`x` is complex; only real inputs are checked"),
    "objects as input": (lambda x: x, [np.array([1.0, None], dtype=object)], "`x` is an array of objects; make it a float64 array"),
    "a jump": (lambda x: np.floor(x), [np.array([1.0, 0.5])], "forward is too rough"),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_VERDICT)
def test_what_cannot_be_checked_is_said_in_one_sentence(name):
    forward, inputs, sentence = NO_VERDICT[name]
    with pytest.raises(CannotCheck) as caught:
        gradcheck(forward, lambda dout, *inputs: [np.zeros(np.shape(x)) for x in inputs], inputs)
    assert sentence in str(caught.value)


def test_a_backward_that_takes_another_number_of_arguments():
    with pytest.raises(CannotCheck, match=r"backward takes 2 arguments, but is called as backward\(dout, x, w\): 3"):
        gradcheck(lambda x, w: x @ w, lambda dout, x: dout, [X, W])


def test_the_names_to_differentiate_are_looked_up():
    with pytest.raises(CannotCheck, match="there is no argument `z`; there are x, n"):
        gradcheck(lambda x, n: x * n, lambda d, x, n: d * n, [X, 3], differentiable=["z"])
    with pytest.raises(CannotCheck, match="`n` cannot be differentiated"):
        gradcheck(lambda x, n: x * n, lambda d, x, n: d * n, [X, 3], differentiable=["n"])


def test_a_forward_that_prints_prints_once(capsys):
    def forward(x):
        print("here")
        return x**2

    assert gradcheck(forward, lambda d, x: 2 * d * x, [X]).passed and capsys.readouterr().out == "here\n"


def test_a_slow_forward_is_told_before_it_is_called_ten_times(monkeypatch):
    from zerohero.gradcheck import forward as module

    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    with pytest.warns(UserWarning, match="one forward pass takes 10 s"):
        gradcheck(lambda x: x**2, lambda d, x: 2 * d * x, [X])


# ---------------------------------------------------------------- what backward returned


FORMS = {
    "None": (lambda d, x, w: None, "backward returned None", "2: dx, dw"),
    "None for one": (lambda d, x, w: (d @ w.T, None), "`dw` is None", "an array of shape (3, 7)"),
    "one too few": (lambda d, x, w: (d @ w.T,), "the number of gradients is wrong", "2: dx, dw"),
    "one array": (lambda d, x, w: d @ w.T, "the number of gradients is wrong", "2: dx, dw"),
    "a dict": (lambda d, x, w: {"x": d @ w.T}, "the number of gradients is wrong", "2: dx, dw"),
    "text": (lambda d, x, w: (d @ w.T, "up"), "`dw` is not an array of numbers", "an array of shape (3, 7)"),
    "objects": (lambda d, x, w: (d @ w.T, np.array([None, 1.0])), "`dw` is not an array of numbers", "an array of shape (3, 7)"),
    "another shape": (lambda d, x, w: (d @ w.T, d), "`dw` has the wrong shape", "shape (3, 7)"),
    "one number for all": (lambda d, x, w: (d @ w.T, np.float64(1.0)), "`dw` has the wrong shape", "shape (3, 7)"),
    "integers": (lambda d, x, w: (d @ w.T, (x.T @ d).astype(int)), "`dw` is not of a float dtype", "float64"),
    "half": (lambda d, x, w: (d @ w.T, (x.T @ d).astype(np.float16)), "`dw` is float16, which keeps three digits", "float64"),
    "infinity": (lambda d, x, w: (d @ w.T, x.T @ d / 0), "`dw` is not finite", "a number"),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_each_form_of_a_result_has_its_sentence(name):
    backward, what, expected = FORMS[name]
    finding = gradcheck(lambda x, w: x @ w, backward, [X, W]).findings[0]
    assert (finding.what, finding.expected) == (what, expected)


def test_an_exception_in_backward_is_a_finding_with_its_line():
    def backward(dout, x):
        return dout @ x

    finding = gradcheck(np.tanh, backward, [X]).findings[0]
    assert finding.what == "backward raised ValueError" and "in: return dout @ x" in finding.actual


def test_gradients_for_every_argument_with_none_at_the_others_are_accepted():
    ids = np.array([0, 2, 2, 1])

    def scatter(dout, table, ids):
        dtable = np.zeros_like(table)
        np.add.at(dtable, ids, dout)
        return dtable

    assert gradcheck(lambda table, ids: table[ids], scatter, [X, ids]).passed
    assert gradcheck(lambda table, ids: table[ids], lambda d, t, i: (scatter(d, t, i), None), [X, ids]).passed
    assert not gradcheck(lambda table, ids: table[ids], lambda d, t, i: (None, scatter(d, t, i)), [X, ids]).passed


def test_read_only_inputs_and_views_are_no_trouble():
    x = X.copy()
    x.flags.writeable = False
    assert gradcheck(lambda x: x.T, lambda dout, x: dout.T, [x]).passed
    assert gradcheck(lambda x: x[::2], lambda dout, x: np.repeat(dout, 2, axis=0)[:5] * (np.arange(5) % 2 == 0)[:, None], [x]).passed


def test_several_outputs():
    def forward(x, w):
        return np.tanh(x @ w), (x * x).sum()

    def backward(dout, x, w):
        d, dsum = dout
        dz = d * (1 - np.tanh(x @ w) ** 2)
        return dz @ w.T + 2 * dsum * x, x.T @ dz

    assert gradcheck(forward, backward, [X, W]).passed
    forgotten = gradcheck(forward, lambda dout, x, w: (backward((dout[0], 0.0), x, w)[0], backward(dout, x, w)[1]), [X, W])
    assert forgotten.findings[0].what == "the gradient of `x` is wrong"


def test_overflow_is_named_when_small_inputs_show_the_formula_right():
    def naive(x):
        e = np.exp(x)
        return e / e.sum(-1, keepdims=True)

    def backward(dout, x, sign=1):
        p = naive(x)
        return sign * p * (dout - (dout * p).sum(-1, keepdims=True))

    large = 1000 * X
    with np.errstate(all="ignore"):
        assert gradcheck(softmax, backward, [large]).findings[0].mistake == "UNSTABLE"
        assert gradcheck(softmax, lambda d, x: backward(d, x, -1), [large]).findings[0].mistake == ""


def test_writing_into_one_of_several_upstream_gradients_is_seen():
    def backward(dout, x):
        dout[1][...] *= 2
        return dout[0] + dout[1] * x

    assert gradcheck(lambda x: (x, x**2), backward, [X]).findings[0].mistake == "MUTATES"


def test_an_integer_argument_is_left_as_it_is():
    def forward(x, n):
        assert type(n) is int
        return x**n

    assert gradcheck(forward, lambda d, x, n: d * n * x ** (n - 1), [X, 3]).passed


def test_the_complex_step_is_exact_and_only_taken_where_declared():
    def forward(x):
        assert np.iscomplexobj(x) or forward.real
        return np.exp(x) / (1 + x * x)

    def backward(dout, x, off=0.0):
        return dout * (1 + off) * np.exp(x) * (1 / (1 + x * x) - 2 * x / (1 + x * x) ** 2)

    forward.real = True
    assert gradcheck(forward, backward, [X], complex_safe=True).passed
    assert not gradcheck(forward, lambda d, x: backward(d, x, 1e-6), [X], complex_safe=True).passed
    measured = Forward(forward, {"x": X}, complex_safe=True)
    before = measured.evaluations
    gradcheck(forward, backward, [X], complex_safe=True)
    assert before == 1


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize(
    "forward, slope",
    [
        (np.abs, np.sign),
        (lambda x: np.exp(x).astype(np.float64), np.exp),
        (lambda x: x.var() * np.ones(3), lambda x: 0 * x),
        (lambda x: np.vdot(x, x) * np.ones(3), lambda x: 0 * x),
    ],
)
def test_a_forward_that_loses_the_imaginary_part_is_told(forward, slope):
    with pytest.raises(CannotCheck, match="not fit for the complex step"):
        gradcheck(forward, lambda d, x: d * slope(x), [np.array([-1.5, 0.5, 2.0])], complex_safe=True)


# ---------------------------------------------------------------- precision and cost


@pytest.mark.parametrize("error", [1e-3, 1e-4, 1e-5, 1e-6])
def test_a_small_relative_error_is_caught(error):
    for seed in range(20):
        assert not gradcheck(np.matmul, lambda d, x, w: (d @ w.T * (1 + error), x.T @ d), [X, W], seed=seed).passed


def test_an_error_in_an_argument_of_small_gradient_is_not_drowned():
    def forward(big, small):
        return 1e4 * np.sin(big).sum() + 1e-4 * np.sin(small).sum()

    def backward(dout, big, small, factor=1.0):
        return dout * 1e4 * np.cos(big), dout * 1e-4 * np.cos(small) * factor

    assert gradcheck(forward, backward, [X, X + 1]).passed
    report = gradcheck(forward, lambda d, a, b: backward(d, a, b, 1.01), [X, X + 1])
    assert report.findings[0].what == "the gradient of `small` is wrong"


@pytest.mark.parametrize("huge", [1e10, 1e155, 1e200, 1e307])
def test_a_huge_gradient_allows_itself_no_huge_error(huge):
    for seed in range(10):
        assert not gradcheck(np.tanh, lambda d, x: np.full_like(x, huge), [X], seed=seed).passed
        assert not gradcheck(np.matmul, lambda d, x, w: (d @ w.T, np.sign(w) * huge), [X, W], seed=seed).passed
        assert not gradcheck(relu, lambda d, x: d * np.where(x == 0, huge, x > 0), [ZEROS], seed=seed).passed


def test_rows_of_very_small_variance():
    """Where the function bends within 1e-3 the step must shrink with it."""
    x = X * 1e-3
    forward, right = (lambda x: np.sin(1e3 * x)), (lambda d, x: d * 1e3 * np.cos(1e3 * x))
    assert gradcheck(forward, right, [x]).passed
    assert not gradcheck(forward, lambda d, x: right(d, x) * (1 + 1e-4), [x]).passed


def test_a_true_gradient_of_zero_is_judged_by_the_rounding_of_the_forward_pass():
    """The bias before a batch normalisation: its gradient is exactly 0 and comes out as 1e-17."""

    def normalise(z):
        return (z - z.mean(0)) / z.std(0)

    def forward(x, b):
        return np.tanh(normalise(x + b))

    def backward(dout, x, b, rubbish=0.0):
        z = x + b
        n = normalise(z)
        dn = dout * (1 - np.tanh(n) ** 2)
        dz = (dn - dn.mean(0) - n * (dn * n).mean(0)) / z.std(0)
        return dz, dz.sum(0) + rubbish

    for seed in range(10):
        assert gradcheck(forward, backward, [X, rng.randn(3)], seed=seed).passed
        assert not gradcheck(forward, lambda d, x, b: backward(d, x, b, 1e-6), [X, rng.randn(3)], seed=seed).passed


@pytest.mark.parametrize("size", [1, 30, 3000])
def test_the_number_of_forward_passes_does_not_depend_on_size(size):
    calls = []

    def forward(x):
        calls.append(1)
        return np.tanh(x)

    assert gradcheck(forward, lambda d, x: d * (1 - np.tanh(x) ** 2), [np.linspace(-1, 1, size)]).passed
    assert len(calls) == 3


def test_the_upstream_gradient_is_never_ones():
    seen = []
    gradcheck(lambda x: x.sum(), lambda d, x: seen.append(float(d)) or d * np.ones_like(x), [X])
    gradcheck(lambda x: x, lambda d, x: seen.extend(np.ravel(d).tolist()) or d, [X])
    assert 1.0 not in seen and len(set(np.round(seen, 6))) > 10
    assert other_upstream(2.0) != 2.0 and (np.sign(other_upstream(X)) == np.sign(X)).all()


# ---------------------------------------------------------------- kinks


def relu(x):
    return np.maximum(x, 0)


ZEROS = np.array([[0.0, 1.0, -1.0], [2.0, 0.0, 0.0]])
SUBGRADIENTS = {
    "0 at 0": lambda d, x: d * (x > 0),
    "1 at 0": lambda d, x: d * (x >= 0),
    "a half at 0": lambda d, x: d * (0.5 + 0.5 * np.sign(x)),
    "by luck": lambda d, x: d * np.where(x == 0, 0.123, x > 0),
}
NO_SUBGRADIENTS = {
    "2 at 0": lambda d, x: d * np.where(x == 0, 2.0, x > 0),
    "minus 1 at 0": lambda d, x: d * np.where(x == 0, -1.0, x > 0),
    "inverted": lambda d, x: d * (x <= 0),
    "wrong beside the kink": lambda d, x: d * (x >= 0) * np.where(x > 1.5, 1.001, 1.0),
}


@pytest.mark.parametrize("name", SUBGRADIENTS)
def test_every_valid_subgradient_is_accepted(name):
    for seed in range(20):
        assert gradcheck(relu, SUBGRADIENTS[name], [ZEROS], seed=seed).passed
        assert gradcheck(lambda x: -relu(x), lambda d, x: -SUBGRADIENTS[name](d, x), [ZEROS], seed=seed).passed  # concave
        assert gradcheck(relu, SUBGRADIENTS[name], [np.zeros((4, 3))], seed=seed).passed


@pytest.mark.parametrize("name", NO_SUBGRADIENTS)
def test_what_is_no_subgradient_is_rejected(name):
    for seed in range(20):
        assert not gradcheck(relu, NO_SUBGRADIENTS[name], [ZEROS], seed=seed).passed


def test_ties_of_a_maximum():
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, 1.0, 5.0]])

    def first(dout, x):
        return dout[:, None] * np.eye(3)[x.argmax(1)]

    def all_of_them(dout, x):
        return dout[:, None] * (x == x.max(1, keepdims=True))

    def shared(dout, x):
        return all_of_them(dout, x) / (x == x.max(1, keepdims=True)).sum(1, keepdims=True)

    for seed in range(20):
        assert gradcheck(lambda x: x.max(1), first, [x], seed=seed).passed
        assert gradcheck(lambda x: x.max(1), shared, [x], seed=seed).passed
        report = gradcheck(lambda x: x.max(1), all_of_them, [x], seed=seed)
        assert report.findings[0].mistake == "WRONG_MASK"


def test_a_kink_in_a_composite_network_is_judged_beside_it():
    """A bend of both signs, as a second layer gives: all weights zero, so that every relu stands exactly at its kink."""
    w, v = np.zeros((3, 7)), rng.randn(7)

    def forward(x, w):
        return relu(x @ w) @ v

    def backward(dout, x, w, factor=1.0):
        dh = dout[:, None] * v * (x @ w > 0)
        return factor * dh @ w.T, x.T @ dh

    def wrong(dout, x, w):
        dh = dout[:, None] * v * (x @ w > 0)
        return dh @ w.T, 1.01 * x.T @ dh

    for seed in range(10):
        assert gradcheck(forward, backward, [X, w], seed=seed).passed
        assert not gradcheck(forward, wrong, [X, w], seed=seed).passed


@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
def test_a_kink_close_by_fails_no_right_answer_and_hides_no_wrong_one(distance):
    x = np.concatenate([X.ravel(), [distance, -distance]])
    for seed in range(20):
        assert gradcheck(relu, lambda d, x: d * (x > 0), [x], seed=seed).passed
        assert not gradcheck(relu, lambda d, x: d * (x > 0) * 1.0001, [x], seed=seed).passed


def test_ten_thousand_relus():
    """More draws are in benchmarks/bench_gradcheck.py."""
    for seed in range(30):
        x = np.random.RandomState(seed).standard_normal(10_000)
        assert gradcheck(relu, lambda d, x: d * (x > 0), [x], seed=seed).passed
        assert not gradcheck(relu, lambda d, x: d * (x > 0) * (1 + 1e-4 * (np.arange(10_000) < 5_000)), [x], seed=seed).passed


# ---------------------------------------------------------------- run here, judged there


def test_an_observation_can_be_judged_without_the_student_s_function():
    from zerohero.plaindata import decode, encode

    arguments, dout = {"x": X, "w": W}, rng.randn(5, 7)
    right = decode(encode(observe_backward(lambda d, x, w: (d @ w.T, x.T @ d), dout, arguments)))
    wrong = decode(encode(observe_backward(lambda d, x, w: (d @ w.T, -x.T @ d), dout, arguments)))
    assert judge_backward(np.matmul, dout, arguments, right) == []
    assert judge_backward(np.matmul, dout, arguments, wrong)[0].what == "the gradient of `w` is wrong"


def test_at_ties_an_observation_is_judged_for_an_upstream_gradient_of_one_sign():
    dout = np.abs(rng.randn(2, 3))
    for sign in (1, -1):
        for name, backward in SUBGRADIENTS.items():
            assert judge_backward(relu, sign * dout, {"x": ZEROS}, observe_backward(backward, sign * dout, {"x": ZEROS})) == [], name
        for name, backward in NO_SUBGRADIENTS.items():
            assert judge_backward(relu, sign * dout, {"x": ZEROS}, observe_backward(backward, sign * dout, {"x": ZEROS})), name


def test_the_parts_of_an_observation_do_not_depend_on_its_dress():
    arguments, dout = {"x": X, "w": W}, rng.randn(5, 7)
    forms = [lambda d, x, w: (d @ w.T, x.T @ d), lambda d, x, w: [(d @ w.T).tolist(), x.T @ d]]
    parts = [gradient_parts(arguments, observe_backward(f, dout, arguments)) for f in forms]
    assert list(parts[0]) == ["dx", "dw"] and all(np.array_equal(parts[0][k], parts[1][k]) for k in parts[0])
    assert gradient_parts(arguments, observe_backward(lambda d, x, w: None, dout, arguments)) == {}


@pytest.mark.parametrize("f, slope", [(np.sin, np.cos), (np.exp, np.exp), (lambda x: x**3, lambda x: 3 * x * x), (np.tanh, lambda x: 1 - np.tanh(x) ** 2)])
@pytest.mark.parametrize("x", [-2.0, 0.0, 0.3, 5.0])
def test_slopes_against_closed_forms(f, slope, x):
    value, error = directional_derivative(lambda a: f(a[()]), [np.array(x)], [np.array(1.0)])
    assert abs(value - slope(x)) <= 20 * error + 1e-11 and error < 1e-6 * max(1, abs(slope(x)))


def test_the_numerical_gradient_agrees_with_torch():
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    w = torch.tensor(W, requires_grad=True)
    torch.tanh(x @ w).pow(2).sum().backward()
    dx, dw = numerical_gradient(lambda a, b: float((np.tanh(a @ b) ** 2).sum()), [X, W])
    assert np.allclose(dx, x.grad.numpy(), rtol=1e-8, atol=1e-9) and np.allclose(dw, w.grad.numpy(), rtol=1e-8, atol=1e-9)


def test_observe_sees_a_changed_argument_and_hands_out_copies():
    x = np.ones(3)
    seen = observe(lambda a: a.__imul__(2), {"a": x})
    assert seen["changed"] == ["a"] and x.tolist() == [1, 1, 1]
    assert protocol_findings(seen, arguments=["a"])[0].what == "`a` was changed by the call"


def test_only_known_names_are_repeated_from_an_observation():
    forged = {"value": 1.0, "again": 1.0, "changed": ["x = 0.123 is a hidden input"]}
    assert protocol_findings(forged, arguments=["a", "b"])[0].what == "an argument was changed by the call"


@pytest.mark.parametrize(
    "expected, actual, what",
    [
        (1.0, None, "is missing"),
        (1.0, "1.0", "of the wrong kind"),
        (1.0, True, "of the wrong kind"),
        (1.0, [1.0], "of the wrong kind"),
        (1.0, np.array([1.0]), "right values in the wrong shape"),
        (np.ones((2, 3)), np.ones((3, 2)), "right values in the wrong shape"),
        (np.ones((2, 3)), np.zeros(4), "wrong shape"),
        (1.0, float("nan"), "not finite"),
        (1.0, 1 + 1e-6, "is wrong"),
        (1.0, 1j, "complex"),
        ([1.0, 2.0], [1.0], "wrong number of values"),
        ([1.0, 2.0], 1.0, "of the wrong kind"),
        ({"a": 1.0}, {"b": 1.0}, "has no key `a`"),
        ({"a": 1.0}, [1.0], "of the wrong kind"),
        ("up", "down", "is wrong"),
        (True, 1, "is wrong"),
    ],
)
def test_every_way_to_differ_has_its_sentence(expected, actual, what):
    assert what in difference("x", expected, actual).what


@pytest.mark.parametrize(
    "expected, actual",
    [
        (1.0, 1),
        (1.0, np.array(1.0)),
        (1.0, 1 + 1e-9),
        ([1.0, 2.0], np.array([1.0, 2.0])),
        (np.ones(2), [1.0, 1.0]),
        ({"a": 1.0}, {"b": 3.0, "a": 1.0}),
        (0.0, 1e-12),
    ],
)
def test_what_is_right_in_another_dress_passes(expected, actual):
    assert difference("x", expected, actual) is None


def test_generic_names_are_proven_by_all_pairs():
    true = [[1.0, 2.0], [3.0, 5.0], [-4.0, 7.0]]
    assert name_numbers([(t, [-v for v in t]) for t in true])[0] == "SIGN_FLIP"
    assert name_numbers([(t, [v * 0.25 for v in t]) for t in true])[0] == "WRONG_CONSTANT"
    assert name_numbers([(t, [v / 3 for v in t]) for t in true])[1] == "your values are the right ones times 1/3"
    assert name_numbers([(t, [v * 0.1234567 for v in t]) for t in true])[1] == "your values are the right ones times a constant"
    assert name_numbers([(t, t[::-1]) for t in true])[0] == "SWAPPED"
    assert name_numbers([(t, [-v for v in t]) for t in true[:1]]) is None  # two numbers prove nothing
    assert name_numbers([(true[0], [-1.0, -2.0]), (true[1], [3.0, 5.0]), (true[2], [4.0, -7.0])]) is None
    assert name_numbers([(t, t) for t in true]) is None


def test_a_list_in_place_of_a_dict_is_not_called_swapped():
    pairs = [({"a": x, "b": 2 * x, "c": 3.0}, [2 * x, x, 3.0]) for x in (1.5, 2.5, 7.0)]
    assert name_numbers(pairs) is None and name_numbers([(list(true.values()), given) for true, given in pairs])[0] == "SWAPPED"
