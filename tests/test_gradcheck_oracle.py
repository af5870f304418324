"""Right gradients at every scale pass, wrong ones do not, and a forward pass that fails beside its inputs is not blamed on backward.

Oracles: torch's autograd in float64, and derivatives written by hand.
"""

import math

import numpy as np
import pytest

from zerohero.errors import CannotCheck
from zerohero.gradcheck import gradcheck

torch = pytest.importorskip("torch")
F = torch.nn.functional
TARGETS = torch.tensor([1, 0, 3])
SCALES = [1e-8, 1e-4, 1.0, 1e4, 1e8]


def pair(function):
    """A function of tensors as a NumPy pair whose gradient is autograd's."""

    def forward(*arrays):
        return function(*map(torch.tensor, arrays)).numpy()

    def backward(dout, *arrays):
        leaves = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]
        out = function(*leaves)
        return tuple(g.numpy() for g in torch.autograd.grad(out, leaves, torch.tensor(np.asarray(dout)).reshape(out.shape)))

    return forward, backward


def normal(*shape):
    return lambda rng, scale: scale * rng.standard_normal(shape)


def positive(rng, scale):
    return scale * (np.abs(rng.standard_normal(7)) + 1e-3)


def near_identity(rng, scale):
    return scale * (rng.standard_normal((4, 4)) + 3 * np.eye(4))


SCALED = {
    "tanh": (torch.tanh, normal(5, 3)),
    "abs": (torch.abs, normal(5, 3)),
    "relu": (torch.relu, normal(5, 3)),
    "cube": (lambda x: x**3, normal(5, 3)),
    "log": (torch.log, positive),
    "sqrt": (torch.sqrt, positive),
    "reciprocal": (torch.reciprocal, normal(7)),
    "softmax": (lambda x: x.softmax(-1), normal(3, 7)),
    "cross entropy": (lambda x: F.cross_entropy(x, TARGETS), normal(3, 7)),
    "layer norm": (lambda x: F.layer_norm(x, x.shape[-1:], eps=0.0), normal(3, 7)),
    "layer norm with eps": (lambda x: F.layer_norm(x, x.shape[-1:], eps=1e-5), normal(3, 7)),
    "norm": (lambda x: x.norm(dim=-1), normal(3, 7)),
    "standard deviation": (lambda x: x.std(0), normal(5, 3)),
    "sort": (lambda x: x.sort(-1)[0], normal(3, 7)),
    "cumulative product": (lambda x: x.cumprod(-1), normal(3, 4)),
    "inverse": (torch.linalg.inv, near_identity),
    "log determinant": (lambda x: torch.linalg.slogdet(x)[1], near_identity),
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", SCALED)
def test_right_at_every_scale_of_the_inputs(name, scale):
    function, make = SCALED[name]
    forward, backward = pair(function)
    for seed in range(2):
        assert gradcheck(forward, backward, [make(np.random.default_rng(seed), scale)], seed=seed).passed


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", [name for name in SCALED if name != "tanh"])
def test_wrong_at_every_scale_of_the_inputs(name, scale):
    """Not tanh: at 1e4 it is saturated, and every gradient is 0."""
    function, make = SCALED[name]
    forward, backward = pair(function)
    x = make(np.random.default_rng(0), scale)
    if not np.any(backward(np.ones(np.shape(forward(x))), x)[0]):
        return
    assert not gradcheck(forward, lambda d, x: 1.001 * backward(d, x)[0], [x]).passed


HARD = {
    "log near 0, beside 1": (torch.log, [np.array([1e-12, 1.0, 0.5, 3.0])]),
    "entropy near 0 and 1": (lambda p: -(p.log() * 0.3 + (1 - p).log() * 0.7), [np.array([1e-9, 1 - 1e-6, 0.5])]),
    "division by small and large": (torch.div, [np.array([1.0, 2.0, 3.0]), np.array([1e-6, 1.0, 1e6])]),
    "tan near its pole": (torch.tan, [np.array([1.57, 0.3, -1.5707])]),
    "logits around a million": (lambda x: x.softmax(-1), [1e6 + np.random.RandomState(0).randn(4, 6)]),
    "rows around a million": (lambda x: F.layer_norm(x, x.shape[-1:]), [1e6 + np.random.RandomState(0).randn(4, 6)]),
    "an input of 1e15": (lambda x: 3 * x, [1e15 * np.array([1.0, -0.3, 0.7])]),
    "an output of 1e200": (lambda x: 1e200 * torch.sin(x), [np.array([1.0, 2.0])]),
    "an output of 1e-300": (lambda x: 1e-300 * torch.sin(x), [np.array([1.0, 2.0])]),
    "exp close to overflow": (torch.exp, [np.array([700.0, -700.0, 1.0])]),
    "a product of zeros": (lambda x: x.prod(-1), [np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 0.0]])]),
    "one number in a list": (torch.tanh, [np.array([0.3])]),
    "no number at all": (lambda x, b: torch.sin(x + b), [np.zeros((0, 3)), np.ones(3)]),
    "a loss of a million": (lambda x: 1e6 + 1e-3 * torch.sin(x).sum(), [np.array([1.0, 2.0])]),
    "2,000 numbers sorted": (lambda x: x.sort()[0], [np.random.RandomState(1).randn(2000)]),
    "a matrix that is close to singular": (torch.linalg.inv, [np.ones((3, 3)) + 1e-4 * np.random.RandomState(0).randn(3, 3)]),
}


@pytest.mark.parametrize("name", HARD)
def test_right_where_a_slope_is_hard_to_measure(name):
    function, inputs = HARD[name]
    forward, backward = pair(function)
    for seed in range(5):
        assert gradcheck(forward, backward, inputs, seed=seed).passed
    if name not in ("no number at all", "a product of zeros", "2,000 numbers sorted"):  # no gradient to get wrong; too many to localise here
        assert not gradcheck(forward, lambda d, *a: tuple(1.01 * g for g in backward(d, *a)), inputs).passed


def test_a_small_output_is_not_hidden_by_a_large_one():
    def forward(x, y):
        return 1e8 * np.sin(x), 1e-8 * np.cos(y)

    def backward(dout, x, y, factor=1.0):
        return dout[0] * 1e8 * np.cos(x), -factor * dout[1] * 1e-8 * np.sin(y)

    inputs = [np.array([0.3, 0.7]), np.array([0.4, 0.9, 1.1])]
    assert gradcheck(forward, backward, inputs).passed
    assert gradcheck(forward, lambda d, x, y: backward(d, x, y, 1.01), inputs).findings[0].what == "the gradient of `y` is wrong"


def test_input_upstream_gradient_and_directions_are_drawn_apart():
    """x from default_rng(seed), as anyone would draw it: with the same numbers as dout a product with itself would hide mistakes."""
    x, seen = np.random.default_rng(0).standard_normal((5, 3)), []
    turn = np.triu(np.ones((5, 5))) - np.tril(np.ones((5, 5)))  # u @ turn @ u is 0, so that a direction equal to dout sees nothing

    def backward(dout, x):
        seen.append(dout)
        return dout + turn @ dout

    moved = []
    assert not gradcheck(lambda x: (moved.append(x.copy()), x * 1.0)[1], backward, [x], seed=0).passed
    steps = [m - x for m in moved if not np.array_equal(m, x)]
    alike = [abs(np.corrcoef(np.ravel(a), np.ravel(b))[0, 1]) for a, b in [(seen[0], x), *((seen[0], step) for step in steps[:8])]]
    assert max(alike) < 0.9


def test_float32_inside_does_not_make_zeros_right():
    """Steps so small that float32 does not move must not be taken for a slope of 0."""
    for seed in range(5):
        try:
            assert not gradcheck(lambda x: np.tanh(x.astype(np.float32)).astype(np.float64), lambda d, x: 0 * x, [np.array([0.3, -1.2, 0.7])], seed=seed).passed
        except CannotCheck as reason:
            assert "too rough" in str(reason)


# ---------------------------------------------------------------- what is said


def only_positive(x):
    assert (x >= 0).all(), "x must be positive"
    return x + 1


NO_VERDICT = {
    "raises beside": (only_positive, [np.array([0.0, 1.0])], {}, "but a tiny step beside them it raised AssertionError: x must be positive"),
    "root of 0": (np.sqrt, [np.array([0.0, 1.0])], {}, "but a tiny step beside them gives NaN or infinity"),
    "domain of a scalar": (lambda x: math.sqrt(x), [0.0], {}, "it raised ValueError: math domain error"),
    "whole numbers": (lambda x: x**2, [3], {}, "`x` holds whole numbers: write 3.0 for 3"),
    "no function": (None, [np.ones(2)], {}, "forward is a NoneType; it must be a function"),
    "by name only": (lambda x, *, k: k * x, [np.ones(2)], {}, "forward takes `k` by name only"),
    "ragged": (lambda w: w[0].sum(), [[np.ones(2), np.ones(3)]], {}, "`w` holds arrays or lists of different shapes"),
    "masked": (lambda x: x, [np.ma.array(np.ones(2))], {}, "`x` is a masked array"),
    "dout of NaN": (lambda x: x, [np.ones(2)], {"dout": np.array([1.0, np.nan])}, "dout holds NaN or infinity"),
    "dout of zeros": (lambda x: x, [np.ones(2)], {"dout": np.zeros(2)}, "dout is all zeros, which hides every mistake"),
    "nothing to differentiate": (lambda x: x, [np.ones(2)], {"differentiable": []}, "differentiable is empty"),
}


@pytest.mark.parametrize("name", NO_VERDICT)
def test_why_there_is_no_verdict(name):
    forward, inputs, options, sentence = NO_VERDICT[name]
    with pytest.raises(CannotCheck) as caught:
        gradcheck(forward, lambda dout, *inputs: [np.zeros(np.shape(x)) for x in inputs], inputs, **options)
    assert sentence in str(caught.value)


def test_a_method_without_its_object_is_told():
    class Layer:
        def forward(self, x):
            return x

    with pytest.raises(CannotCheck, match=r"make an object first, and hand in object\.forward"):
        gradcheck(Layer.forward, lambda d, x: d, [np.ones(2)])


def test_a_step_that_leaves_the_domain_is_followed_by_a_smaller_one():
    assert gradcheck(lambda x: math.log(x), lambda d, x: d / x, [1e-9]).passed
    assert not gradcheck(lambda x: math.log(x), lambda d, x: 1.01 * d / x, [1e-9]).passed


def test_lists_of_whole_numbers_are_handed_on_as_they_are():
    def forward(x, axes, shape):
        assert axes == (0, 1) and shape == [2, 3, 1]
        return x.reshape(shape).sum(axis=axes)

    assert gradcheck(forward, lambda d, x, axes, shape: np.ones_like(x) * d, [np.arange(6.0), (0, 1), [2, 3, 1]]).passed


def test_an_input_called_dout_is_no_trouble():
    assert gradcheck(lambda dout: dout**2, lambda d, dout: 2 * d * dout, [np.array([1.0, 2.0])]).passed


@pytest.mark.parametrize("dress", [np.longdouble, ">f8"])
def test_other_floats_of_64_bits_and_more(dress):
    x = np.array([0.3, -1.2]).astype(dress)
    assert gradcheck(lambda x: x**2, lambda d, x: (2 * x * d).astype(dress), [x]).passed


def test_more_gradients_than_floats_are_counted():
    x = np.ones((2, 3))
    for backward in (lambda d, x: (d, d), lambda d, x: (d, None)):
        finding = gradcheck(lambda x: x, backward, [x]).findings[0]
        assert (finding.what, finding.actual) == ("the number of gradients is wrong", "2 values")


def test_leaving_the_notebook_is_a_finding():
    def backward(dout, x):
        raise SystemExit

    assert gradcheck(lambda x: x, backward, [np.ones(2)]).findings[0].what == "backward raised SystemExit"


def test_a_few_numbers_in_another_order_have_no_name():
    x = np.array([[0.3, -1.2, 0.7]])
    assert gradcheck(np.tanh, lambda d, x: np.roll(d * (1 - np.tanh(x) ** 2), 1, -1), [x]).findings[0].mistake == ""
    wide = np.arange(7.0)[None] / 5
    assert gradcheck(np.tanh, lambda d, x: np.roll(d * (1 - np.tanh(x) ** 2), 1, -1), [wide]).findings[0].mistake == "INDEXING"
