"""gradcheck() on torch: Functions whose backward is called raw, functions, and modules; torch.autograd.gradcheck beside it."""

import doctest

import pytest

import zerohero.gradcheck.door
from zerohero.errors import CannotCheck
from zerohero.gradcheck import gradcheck

torch = pytest.importorskip("torch")
F = torch.nn.functional
f64 = torch.float64


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=f64, generator=torch.Generator().manual_seed(seed + sum(shape)))


def function(forward, backward, name="Op"):
    """A Function of forward(ctx, *args) and backward(ctx, *douts)."""
    return type(name, (torch.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def torch_passes(op, *inputs, **options):
    """Whether torch.autograd.gradcheck lets it pass."""
    inputs = [t.clone().requires_grad_() if isinstance(t, torch.Tensor) and t.is_floating_point() else t for t in inputs]
    return torch.autograd.gradcheck(op.apply, inputs, raise_exception=False, **options)


def saving(compute):
    def forward(ctx, *inputs):
        ctx.save_for_backward(*inputs)
        return compute(*inputs)

    return forward


def no_change(ctx, dout):
    return dout


# ---------------------------------------------------------------- Functions

matmul = saving(lambda x, w: x @ w)
affine = saving(lambda x, b: x + b)
tanh = saving(torch.tanh)


def matmul_backward(ctx, dout):
    x, w = ctx.saved_tensors
    return dout @ w.T, x.T @ dout


def softmax_forward(ctx, x):
    p = torch.softmax(x, -1)
    ctx.save_for_backward(p)
    return p


def softmax_backward(ctx, dout):
    (p,) = ctx.saved_tensors
    return p * (dout - (dout * p).sum(-1, keepdim=True))


def layernorm_forward(ctx, x, gamma, beta, eps):
    xc = x - x.mean(-1, keepdim=True)
    rstd = (xc.pow(2).mean(-1, keepdim=True) + eps).rsqrt()
    ctx.save_for_backward(xc * rstd, rstd, gamma)
    return xc * rstd * gamma + beta


def layernorm_backward(ctx, dout):
    xhat, rstd, gamma = ctx.saved_tensors
    d = dout * gamma
    dx = rstd * (d - d.mean(-1, keepdim=True) - xhat * (d * xhat).mean(-1, keepdim=True))
    return dx, (dout * xhat).sum(0), dout.sum(0), None


def layernorm_constant_statistics(ctx, dout):
    xhat, rstd, gamma = ctx.saved_tensors
    return rstd * dout * gamma, (dout * xhat).sum(0), dout.sum(0), None


def embedding_forward(ctx, ids, table):
    ctx.save_for_backward(ids, table)
    return table[ids]


def embedding_backward(ctx, dout):
    ids, table = ctx.saved_tensors
    return None, torch.zeros_like(table).index_add_(0, ids.flatten(), dout.reshape(-1, table.shape[1]))


def embedding_overwrites(ctx, dout):
    ids, table = ctx.saved_tensors
    dtable = torch.zeros_like(table)
    dtable[ids] = dout
    return None, dtable


def sincos_backward(ctx, dsin, dcos):
    (x,) = ctx.saved_tensors
    return dsin * x.cos() - dcos * x.sin()


def relu_backward(at_zero):
    def backward(ctx, dout):
        (x,) = ctx.saved_tensors
        return dout * torch.where(x == 0, at_zero, (x > 0).double())

    return backward


def needs_backward(ctx, dout):
    x, w = ctx.saved_tensors
    return dout @ w.T if ctx.needs_input_grad[0] else None, x.T @ dout if ctx.needs_input_grad[1] else None


class Cube(torch.autograd.Function):
    """With a context that is set up apart, and a value that is not saved as a tensor."""

    @staticmethod
    def forward(x, power):
        return x**power

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.power = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, dout):
        (x,) = ctx.saved_tensors
        return dout * ctx.power * x ** (ctx.power - 1), None


class TopTwo(torch.autograd.Function):
    """A float output beside one of integers."""

    @staticmethod
    def forward(ctx, x):
        values, places = x.topk(2, dim=-1)
        ctx.save_for_backward(places)
        ctx.mark_non_differentiable(places)
        ctx.shape = x.shape
        return places, values

    @staticmethod
    def backward(ctx, dplaces, dvalues):
        (places,) = ctx.saved_tensors
        assert dplaces.shape == places.shape and not dplaces.any()
        return dvalues.new_zeros(ctx.shape).scatter_(-1, places, dvalues)


@torch.autograd.function.once_differentiable
def once(ctx, dout):
    return matmul_backward(ctx, dout)


X, W, IDS = randn(5, 3), randn(3, 7), torch.tensor([[1, 4, 1], [0, 1, 4]])
RIGHT = {
    "matmul": (function(matmul, matmul_backward), [X, W]),
    "float32 inputs": (function(matmul, matmul_backward), [X.float(), W.float()]),
    "once differentiable": (function(matmul, once), [X, W]),
    "softmax": (function(softmax_forward, softmax_backward), [randn(5, 7)]),
    "layernorm": (function(layernorm_forward, layernorm_backward), [randn(5, 7), randn(7), randn(7, seed=1), 1e-5]),
    "embedding": (function(embedding_forward, embedding_backward), [IDS, randn(6, 3)]),
    "an integer input gets zeros": (function(embedding_forward, lambda ctx, d: (torch.zeros(2, 3), embedding_backward(ctx, d)[1])), [IDS, randn(6, 3)]),
    "two outputs": (function(saving(lambda x: (x.sin(), x.cos())), sincos_backward), [X]),
    "relu with ties, 0 there": (function(saving(F.relu), relu_backward(0.0)), [X.round()]),
    "relu with ties, 1/2 there": (function(saving(F.relu), relu_backward(0.5)), [X.round()]),
    "a number comes out": (function(saving(lambda x: (x**2).sum()), lambda ctx, d: 2 * d * ctx.saved_tensors[0]), [X]),
    "a number goes in": (function(saving(torch.exp), lambda ctx, d: d * ctx.saved_tensors[0].exp()), [randn()]),
    "one axis of size 1": (function(tanh, lambda ctx, d: d * (1 - ctx.saved_tensors[0].tanh() ** 2)), [randn(1)]),
    "the input itself comes out": (function(lambda ctx, x: x, no_change), [X]),
    "a view comes out": (function(lambda ctx, x: x.view(-1), lambda ctx, d: d.view(5, 3)), [X]),
    "a stretched view comes back": (function(lambda ctx, x: x.sum(), lambda ctx, d: d.expand(5, 3)), [X]),
    "setup_context": (Cube, [X, 3]),
    "apply is handed in": (Cube.apply, [X, 3]),
    "integers come out as well": (TopTwo, [X]),
    "more Nones than arguments": (function(tanh, lambda ctx, d: (d * (1 - ctx.saved_tensors[0].tanh() ** 2), None)), [X]),
    "zero gradient as None": (function(saving(lambda x, y: x + 0 * y.sum()), lambda ctx, d: (d, None)), [X, W]),
    "float32 gradients of float32 inputs": (function(tanh, lambda ctx, d: (d * (1 - ctx.saved_tensors[0].tanh() ** 2)).float()), [X.float()]),
    "a sparse gradient": (function(embedding_forward, lambda ctx, d: (None, embedding_backward(ctx, d)[1].to_sparse())), [IDS, randn(6, 3)]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_pass(name):
    op, inputs = RIGHT[name]
    for seed in range(3):
        report = gradcheck(op, inputs=inputs, seed=seed)
        assert report.passed, report.findings


def scale_dout(ctx, dout):
    dout *= 1 - ctx.saved_tensors[0].tanh() ** 2
    return dout


def scale_input(ctx, dout):
    (x,) = ctx.saved_tensors
    return dout * x.mul_(2)


def scale_output(ctx, dout):
    (p,) = ctx.saved_tensors
    dx = softmax_backward(ctx, dout)
    p.zero_()
    return dx


calls = []


def remembers(ctx, dout):
    calls.append(1)
    return dout * (1 - ctx.saved_tensors[0].tanh() ** 2) * len(calls)


# name: (Function, inputs, the mistake that is named, words of the finding)
WRONG = {
    "sign": (function(tanh, lambda ctx, d: -d * (1 - ctx.saved_tensors[0].tanh() ** 2)), [X], "SIGN_FLIP", "gradient of `input0` is wrong"),
    "no upstream": (function(tanh, lambda ctx, d: 1 - ctx.saved_tensors[0].tanh() ** 2), [X], "NO_UPSTREAM", "gradient of `input0` is wrong"),
    "transposed": (function(saving(lambda x, w: x @ w), lambda ctx, d: (d @ ctx.saved_tensors[1].T, d.T @ ctx.saved_tensors[0])), [randn(5, 3), randn(3, 3)], "TRANSPOSED", "gradient of `input1` is wrong"),
    "statistics constant": (function(layernorm_forward, layernorm_constant_statistics), [randn(5, 7), randn(7), randn(7, seed=1), 1e-5], "", "gradient of `x` is wrong"),
    "repeated ids overwrite": (function(embedding_forward, embedding_overwrites), [IDS, randn(6, 3)], "", "gradient of `table` is wrong"),
    "softmax as if elementwise": (function(softmax_forward, lambda ctx, d: d * ctx.saved_tensors[0] * (1 - ctx.saved_tensors[0])), [randn(5, 7)], "DIAG_JACOBIAN", "gradient of `x` is wrong"),
    "one of two outputs forgotten": (function(saving(lambda x: (x.sin(), x.cos())), lambda ctx, s, c: s * ctx.saved_tensors[0].cos()), [X], "", "gradient of `input0` is wrong"),
    "relu passes everything": (function(saving(F.relu), no_change), [X], "DROPPED_LOCAL", "gradient of `input0` is wrong"),
    "relu, 2 at the tie": (function(saving(F.relu), relu_backward(2.0)), [X.round()], "", "gradient of `input0` is wrong"),
    "None for a float": (function(matmul, lambda ctx, d: (d @ ctx.saved_tensors[1].T, None)), [X, W], "MISSING_PATH", "gradient of `input1` is wrong"),
    "a tie of a name": (function(affine, lambda ctx, d: (d, d)), [X, randn(3)], "MISSING_BROADCAST_SUM", "`dinput1` has the wrong shape"),
    "keepdims": (function(affine, lambda ctx, d: (d, d.sum(0, keepdim=True))), [X, randn(3)], "SHAPE", "`dinput1` has the wrong shape"),
    "float32 gradient": (function(tanh, lambda ctx, d: (d * (1 - ctx.saved_tensors[0].tanh() ** 2)).float()), [X], "DTYPE", "`dinput0` is float32, but `input0` is float64"),
    "mutates dout": (function(tanh, scale_dout), [X], "MUTATES", "`dout` was changed by the call"),
    "mutates a dout without axes": (function(saving(lambda x: x.tanh().sum()), lambda ctx, d: d.mul_(2) / 2 * (1 - ctx.saved_tensors[0].tanh() ** 2)), [X], "MUTATES", "`d` was changed by the call"),
    "mutates its input": (function(tanh, scale_input), [X], "MUTATES", "`input0` was changed by the call"),
    "mutates the output": (function(softmax_forward, scale_output), [X], "MUTATES", "the output was changed by the call"),
    "state": (function(tanh, remembers), [X], "STATE_LEAK", "a second call"),
    "one gradient for two": (function(matmul, lambda ctx, d: d @ ctx.saved_tensors[1].T), [X, W], "", "the number of gradients is wrong"),
    "no None for a number": (function(lambda ctx, x, power: (ctx.save_for_backward(x), x**power)[1], lambda ctx, d: 3 * d * ctx.saved_tensors[0] ** 2), [X, 3], "", "the number of gradients is wrong"),
    "a gradient for a number": (function(lambda ctx, x, k: x * k, lambda ctx, d: (3 * d, d.sum())), [X, 3], "", "a gradient for `k`, which is no tensor"),
    "a list": (function(tanh, lambda ctx, d: [d]), [X], "", "backward returned a list"),
    "an array": (function(tanh, lambda ctx, d: d.numpy()), [X], "", "`dinput0` is not a tensor"),
    "integers": (function(tanh, lambda ctx, d: d.long()), [X], "DTYPE", "`dinput0` is not of a float dtype"),
    "nan": (function(tanh, lambda ctx, d: d * float("nan")), [X], "", "`dinput0` is not finite"),
    "raises": (function(tanh, lambda ctx, d: d @ ctx.saved_tensors[0]), [X], "", "backward raised RuntimeError"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_functions_are_rejected_and_named(name):
    op, inputs, mistake, what = WRONG[name]
    for seed in range(3):
        report = gradcheck(op, inputs=inputs, seed=seed)
        finding = report.findings[0]
        assert not report.passed and what in finding.what and finding.mistake == mistake, finding


@pytest.mark.parametrize("name", ["a tie of a name", "keepdims", "float32 gradient", "mutates dout", "more digits"])
def test_what_the_autograd_engine_hides_is_named_here(name):
    """torch.autograd.gradcheck sees the gradient after the engine has summed and cast it, and so lets these pass."""
    if name == "more digits":
        op, inputs = function(affine, lambda ctx, d: (d, d.sum(0).reshape(1, 3))), [X, randn(3)]
    else:
        op, inputs, *_ = WRONG[name]
    assert torch_passes(op, *inputs)
    report = gradcheck(op, inputs=inputs)
    assert not report.passed and report.findings[0].mistake


def test_none_for_a_float_is_explained():
    finding = gradcheck(WRONG["None for a float"][0], inputs=[X, W]).findings[0]
    assert "None for zeros" in finding.next and "no gradient comes back to `input1` at all" in finding.because


def test_only_what_requires_grad_needs_one():
    op = function(matmul, needs_backward)
    assert gradcheck(op, inputs=[X, W]).passed
    assert gradcheck(op, inputs=[X, W.clone().requires_grad_()]).passed
    assert gradcheck(op, inputs=[X, W], differentiable=["input1"]).passed
    only_w = function(matmul, lambda ctx, d: (None, ctx.saved_tensors[0].T @ d))
    assert gradcheck(only_w, inputs=[X, W.clone().requires_grad_()]).passed
    assert gradcheck(only_w, inputs=[X, W], differentiable=["input1"]).passed
    assert not gradcheck(only_w, inputs=[X, W]).passed


def test_the_arguments_have_the_names_of_forward():
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    finding = gradcheck(function(forward, lambda ctx, d: (matmul_backward(ctx, d)[0], 2 * matmul_backward(ctx, d)[1])), inputs=[X, W]).findings[0]
    assert finding.what == "the gradient of `weight` is wrong" and finding.where.startswith("dweight[") and finding.error_map.shape == (3, 7)


def test_the_callers_tensors_are_left_alone():
    x, w = X.clone().requires_grad_(), W.clone()
    gradcheck(function(matmul, matmul_backward), inputs=[x, w])
    assert torch.equal(x, X) and torch.equal(w, W) and x.grad is None and torch.get_default_dtype() == torch.float32


def test_an_upstream_gradient_may_be_handed_in():
    ones = torch.ones(5, 3)
    assert gradcheck(function(softmax_forward, softmax_backward), inputs=[X], dout=ones).passed
    assert not gradcheck(function(softmax_forward, lambda ctx, d: -softmax_backward(ctx, d)), inputs=[X], dout=ones).passed  # right for these ones
    assert gradcheck(function(saving(lambda x: (x.sin(), x.cos())), sincos_backward), inputs=[X], dout=(ones, 2 * ones)).passed
    with pytest.raises(CannotCheck, match="shape"):
        gradcheck(torch.tanh, inputs=[X], dout=torch.ones(3))


# ---------------------------------------------------------------- functions


class Tied(torch.nn.Module):
    """Two layers that share their weight, and one parameter that is never used."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.second.weight = self.first.weight
        self.unused = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


class MakesZeros(torch.nn.Module):
    def forward(self, x):
        total = torch.zeros(x.shape[1])  # float32 by default
        for row in x:
            total = total + row**2
        return total


FUNCTIONS = {
    "tanh": (torch.tanh, [X]),
    "a Python function": (lambda x, w: torch.tanh(x @ w).sum(0), [X, W]),
    "cross entropy with targets": (F.cross_entropy, [X, torch.tensor([0, 2, 1, 1, 0])]),
    "float32": (torch.sigmoid, [X.float()]),
    "places beside values": (lambda x: x.max(dim=1), [X]),
    "relu at ties": (torch.relu, [X.round()]),
    "a seeded dropout": (lambda x: (torch.manual_seed(0), F.dropout(x, 0.3))[1], [X]),
    "an unused input": (lambda x, y: x * 2, [X, W]),
    "a dict and None": (lambda x, options, mask=None: x * options["scale"], [X, {"scale": randn(3), "name": "a"}, None]),
    "a stride": (lambda x, w, stride: F.conv2d(x, w, stride=stride), [randn(2, 3, 5, 7), randn(2, 3, 2, 3), (2, 1)]),
}
torch.manual_seed(0)  # how modules draw their parameters
MODULES = {
    "Linear": (torch.nn.Linear(3, 2), [X]),
    "MLP": (torch.nn.Sequential(torch.nn.Linear(3, 11), torch.nn.ReLU(), torch.nn.Linear(11, 2)), [X]),
    "BatchNorm1d in training": (torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.BatchNorm1d(5)), [X]),
    "Conv2d": (torch.nn.Conv2d(3, 2, (2, 3), stride=2, padding=1), [randn(2, 3, 5, 7)]),
    "Embedding": (torch.nn.Embedding(6, 3), [IDS]),
    "LSTMCell": (torch.nn.LSTMCell(3, 2), [X, (randn(5, 2), randn(5, 2, seed=1))]),
    "LSTM": (torch.nn.LSTM(3, 2), [randn(4, 5, 3)]),
    "attention": (torch.nn.MultiheadAttention(4, 2), [randn(3, 2, 4), randn(3, 2, 4, seed=1), randn(3, 2, 4, seed=2)]),
    "LayerNorm": (torch.nn.LayerNorm(7), [randn(5, 7)]),
    "dropout in eval": (torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Dropout()).eval(), [X]),
    "spectral norm, its vectors at rest": (torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 2)).eval(), [X]),
    "tied and unused parameters": (Tied(), [X]),
    "new tensors inside": (MakesZeros(), [X.float()]),
    "a loss": (torch.nn.CrossEntropyLoss(), [X, torch.tensor([0, 2, 1, 1, 0])]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_pass(name):
    f, inputs = FUNCTIONS[name]
    report = gradcheck(f, inputs=inputs)
    assert report.passed, report.findings


@pytest.mark.parametrize("name", MODULES)
def test_modules_pass_and_are_left_as_they_were(name):
    module, inputs = MODULES[name]
    before = {key: value.clone() for key, value in module.state_dict().items()}
    report = gradcheck(module, inputs=inputs)
    assert report.passed, report.findings
    after = module.state_dict()
    assert all(value.dtype == after[key].dtype and torch.equal(value, after[key]) for key, value in before.items())
    assert all(p.grad is None for p in module.parameters())


class Detaches(torch.nn.Module):
    def __init__(self, how):
        super().__init__()
        self.layer, self.how = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh()), how

    def forward(self, x):
        hidden = self.layer(x)
        if self.how == "detach":
            return hidden.detach() * x.sum()
        if self.how == "data":
            return hidden.data.sum(1)
        if self.how == "item":
            return float(hidden.sum().item())
        if self.how == "partly":
            return hidden * hidden.detach()
        with torch.no_grad():
            hidden = hidden.exp()
        return hidden + x.sum()


@pytest.mark.parametrize("how", ["detach", "data", "item", "no_grad"])
def test_a_graph_that_ends_in_the_middle_is_explained(how):
    finding = next(f for f in gradcheck(Detaches(how), inputs=[X]).findings)
    assert finding.what in ("the gradient of `layer.0.weight` is wrong", "the gradient of `x` is wrong")
    if how in ("data", "item"):
        assert finding.mistake == "MISSING_PATH" and ".detach()" in finding.next


def test_a_parameter_behind_a_detach_gets_its_sentence():
    module = Detaches("detach")
    report = gradcheck(module, inputs=[X], differentiable=["layer.0.weight"])
    assert report.findings[0].what == "the gradient of `layer.0.weight` is wrong" and "torch.no_grad()" in report.findings[0].next
    assert report.findings[0].mistake == "MISSING_PATH"


def test_half_a_graph_is_wrong():
    finding = gradcheck(Detaches("partly"), inputs=[X]).findings[0]
    assert finding.what == "the gradient of `x` is wrong"


def test_a_custom_function_inside_a_module_is_found_by_the_parameter():
    wrong = function(tanh, lambda ctx, d: d * (1 - ctx.saved_tensors[0] ** 2))

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Sequential(torch.nn.Linear(3, 5))

        def forward(self, x):
            return wrong.apply(self.layer(x))

    finding = gradcheck(Net(), inputs=[IDS[:, :3].double()], differentiable=["layer.0.bias"]).findings[0]
    assert finding.what == "the gradient of `layer.0.bias` is wrong" and finding.where.startswith("dlayer.0.bias[")


def test_a_parameter_of_the_name_of_an_input_keeps_apart():
    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.x = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            return x * self.x.detach()

    finding = gradcheck(Scale(), inputs=[X]).findings[0]
    assert finding.what == "the gradient of `self.x` is wrong"


def test_nested_inputs_have_a_name_each():
    finding = gradcheck(lambda x, state: x * state[0] * state[1].detach(), inputs=[X, (X + 1, X + 2)]).findings[0]
    assert finding.what == "the gradient of `state[1]` is wrong"


# ---------------------------------------------------------------- what cannot be checked, each in one sentence


class WritesIntoItsInput(torch.nn.Module):
    def forward(self, x):
        return x.mul_(2)


REFUSED = {
    "dropout": (lambda: gradcheck(torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Dropout()), inputs=[X]), "not deterministic"),
    "dropout in a function": (lambda: gradcheck(lambda x: F.dropout(x), inputs=[X]), "not deterministic"),
    "no float": (lambda: gradcheck(lambda ids: ids * 2, inputs=[IDS]), "no input is a float"),
    "None": (lambda: gradcheck(lambda x: None, inputs=[X]), "forward returned None"),
    "a list": (lambda: gradcheck(lambda x: [x, x], inputs=[X]), "forward returned a list"),
    "a dict": (lambda: gradcheck(lambda x: {"out": x}, inputs=[X]), "forward returned a dict"),
    "integers": (lambda: gradcheck(lambda x: x.argmax(), inputs=[X]), "forward returned int64"),
    "float32 inside": (lambda: gradcheck(lambda x: x.float() * 2, inputs=[X]), "forward computes in float32"),
    "raises": (lambda: gradcheck(lambda x: x @ x, inputs=[X]), "forward raised RuntimeError"),
    "NaN": (lambda: gradcheck(torch.tanh, inputs=[X / 0 * 0]), "holds nan"),
    "NaN comes out": (lambda: gradcheck(lambda x: x.log(), inputs=[X]), "NaN or infinity"),
    "complex": (lambda: gradcheck(torch.abs, inputs=[X.to(torch.complex128)]), "complex"),
    "writes into its input": (lambda: gradcheck(WritesIntoItsInput(), inputs=[X]), "writes into its argument `x`"),
    "too many inputs": (lambda: gradcheck(torch.nn.Linear(3, 2), inputs=[X, X]), "forward takes 1 argument, but is called as forward(input, input1): 2"),
    "too few inputs": (lambda: gradcheck(Cube, inputs=[X]), "forward takes 2 arguments"),
    "inputs without a name": (lambda: gradcheck(torch.tanh, [X]), "hand the inputs in by name"),
    "inputs without a list": (lambda: gradcheck(torch.tanh, inputs=X), "inputs=[x]"),
    "arrays and no backward": (lambda: gradcheck(torch.tanh, inputs=[X.numpy()]), "backward is missing"),
    "an unknown name": (lambda: gradcheck(torch.tanh, inputs=[X], differentiable=["w"]), "there is no argument `w`"),
    "a Function without gradient": (lambda: gradcheck(function(lambda ctx, x: x.argmax(), no_change), inputs=[X]), "no output of the Function has a gradient"),
    "a Function of floats32 inside": (lambda: gradcheck(function(lambda ctx, x: x.float(), no_change), inputs=[X]), "forward computes in float32"),
    "a Function that draws": (lambda: gradcheck(function(lambda ctx, x: x * torch.rand(3), no_change), inputs=[X]), "not deterministic"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_checked_has_its_sentence(name):
    call, words = REFUSED[name]
    with pytest.raises(CannotCheck) as error:
        call()
    assert words in str(error.value) and "CannotCheck" not in str(error.value)


def test_the_examples_in_the_docstring_hold():
    result = doctest.testmod(zerohero.gradcheck.door)
    assert result.attempted >= 9 and not result.failed
