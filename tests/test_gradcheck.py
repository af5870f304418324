"""The gradient checker against known right and wrong backward passes, measured slopes, and torch."""

import numpy as np
import pytest

from zerohero.gradcheck import directional_derivative, gradcheck, numerical_gradient, observe, protocol_findings
from zerohero.gradcheck.compare import difference
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


def test_the_worst_element_is_named():
    finding = gradcheck(*WRONG["one element"]).findings[0]
    assert finding.where.startswith("gradient[2, 1], 1 of 15 wrong")


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


def test_float32_input_is_refused_with_the_reason():
    with pytest.raises(TypeError, match="float64"):
        gradcheck(np.tanh, lambda d, x: d, [X.astype(np.float32)])


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
