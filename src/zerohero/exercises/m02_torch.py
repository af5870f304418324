"""m02, the two exercises in torch: the neuron with its gradients, and P3 as a torch.autograd.Function.

Truth is a vectorised forward pass in NumPy and its slopes.
"""

import numpy as np

from ..exercise import Case, Exercise, describe
from ..gradcheck import difference
from ..gradcheck.arguments import numbers
from ..gradcheck.naming import name_numbers
from ..report import Finding
from .kinds import function_exercise, tidy
from .m02_stand_ins import ATOL, RTOL, STEP


def _torch_neuron_truth(inputs):
    n = len(inputs["x"])
    start = np.array([*inputs["x"], *inputs["w"], inputs["b"]])

    def forward(v):
        return np.tanh(v[:n] @ v[n : 2 * n] + v[-1])

    gradient = [forward(start + 1j * STEP * e).imag / STEP for e in np.eye(start.size)]
    return [float(forward(start)), gradient[:n], gradient[n : 2 * n], gradient[-1]]


def _name_torch_neuron(cases, outputs):
    pairs = [(_torch_neuron_truth(c.inputs), o["value"]["value"]) for c, o in zip(cases, outputs, strict=True)]
    if all(difference("result", true, given, rtol=1e-5, atol=1e-6) is None for true, given in pairs):
        return "DTYPE", "right to about 7 digits: somewhere the numbers go through float32"
    return None


def _torch_neuron_cases(rng):
    def case(group, x, w, b):
        return Case(group, {"x": x, "w": w, "b": b})

    return [
        case("output", [2.0, 0.0], [-3.0, 1.0], 6.8813735870195432),
        case("output", tidy(rng.uniform(-1, 1, 3)), tidy(rng.uniform(-1, 1, 3)), 0.3),
        case("other sizes", tidy(rng.uniform(-1, 1, 5)), tidy(rng.uniform(-1, 1, 5)), -0.2),
        case("other sizes", [0.7], [-1.1], 0.4),
    ]


torch_neuron = function_exercise(
    "m02-torch-neuron", "The same neuron in torch", "torch_neuron(x, w, b)", _torch_neuron_cases,
    (
        "torch does with arrays what your engine does with numbers: tensors remember what they were made of, and backward() fills .grad.",
        "A tensor collects a gradient only if requires_grad=True. torch makes float32 out of Python floats unless you ask for dtype=torch.float64.",
        "Three tensors made with torch.tensor(..., dtype=torch.float64, requires_grad=True), one line for o with @ and torch.tanh, o.backward(), then .item() and .grad.tolist().",
    ),
    truth=_torch_neuron_truth, result="(o, dx, dw, db)", name=_name_torch_neuron, rtol=1e-9, atol=1e-11, allows=frozenset({"torch"}),
)  # fmt: skip


def legendre(x: np.ndarray) -> np.ndarray:
    """P3, the third Legendre polynomial, by the recurrence (n + 1) P(n+1) = (2n + 1) x P(n) - n P(n-1)."""
    before, now = np.ones_like(x), x
    for n in (1, 2):
        before, now = now, ((2 * n + 1) * x * now - n * before) / (n + 1)
    return now


def legendre_gradient(x: np.ndarray, upstream: np.ndarray) -> np.ndarray:
    """upstream times the measured slope of P3, elementwise."""
    return upstream * legendre(x + 1j * STEP).imag / STEP


def legendre_case(group: str, x: np.ndarray, upstream: np.ndarray) -> Case:
    return Case(group, {"x": np.asarray(x, dtype=np.float64), "upstream": np.asarray(upstream, dtype=np.float64)})


def _probe_legendre(cls, inputs):
    import torch

    x = torch.tensor(inputs["x"], requires_grad=True)
    upstream = torch.tensor(inputs["upstream"])
    out = cls.apply(x)
    seen, kept = {"value": out.detach().numpy(), "connected": bool(out.requires_grad), "grads": []}, True
    if out.requires_grad:
        try:
            for factor in (1.0, 2.0):  # twice: what a first call leaves behind would show in the second
                x.grad, out, arriving = None, cls.apply(x), factor * upstream
                cls.apply(1.5 - x)  # another use before the way back: what belongs to one call has to stay with it
                out.backward(arriving)
                seen["grads"].append(x.grad.numpy().copy() if x.grad is not None else None)
                kept = kept and bool(np.array_equal(arriving.numpy(), factor * inputs["upstream"]))
        except Exception as error:
            seen["problem"] = "not written" if isinstance(error, NotImplementedError) else f"{type(error).__name__}: {error}"[:200]
    seen["unchanged"] = bool(np.array_equal(x.detach().numpy(), inputs["x"]) and kept)
    return seen


def _judge_legendre(case, seen):
    x, upstream = np.asarray(case.inputs["x"]), np.asarray(case.inputs["upstream"])
    where = f"x = {describe(x)}"
    if seen["unchanged"] is not True:
        return [
            Finding(
                "x or grad_output was changed", where=where, mistake="MUTATES", next="make a new tensor; no operation with a trailing underscore, no x[...] ="
            )
        ]
    found = difference("P3(x)", legendre(x), seen["value"], where=where, rtol=RTOL, atol=ATOL)
    if found or case.group == "values":
        return [found] if found else []
    where = f"{where}, grad_output = {describe(upstream)}"
    if "problem" in seen:
        return [
            Finding(
                "backward could not be run",
                where=where,
                actual=str(seen["problem"]),
                next="backward(ctx, grad_output) returns one tensor; ctx.saved_tensors is what forward saved",
            )
        ]
    if len(seen["grads"]) != 2:
        return [Finding("the result is not connected to x", where=where, next="apply a torch.autograd.Function with static forward and backward")]
    true = legendre_gradient(x, upstream)
    for factor, given in zip((1.0, 2.0), seen["grads"], strict=True):
        found = found or difference("x.grad", factor * true, given, where=where, rtol=RTOL, atol=ATOL)
    return [found] if found else []


def _name_legendre(cases, outputs):
    rows = [(c.inputs, o["value"]) for c, o in zip(cases, outputs, strict=True)]
    pairs = [(legendre(np.asarray(i["x"])), seen["value"]) for i, seen in rows]
    if any(difference("value", true, given, rtol=RTOL, atol=ATOL) for true, given in pairs):
        return name_numbers(pairs)
    if all(
        difference("grad", legendre_gradient(np.asarray(i["x"]), np.ones_like(i["x"])), g, rtol=RTOL, atol=ATOL) is None
        for i, seen in rows
        for g in seen["grads"]
    ):
        return "NO_UPSTREAM", "x.grad does not change when grad_output does"
    return name_numbers([(legendre_gradient(np.asarray(i["x"]), np.asarray(i["upstream"])), seen["grads"][0]) for i, seen in rows])


def designed_legendre(rng: np.random.RandomState) -> list[Case]:
    """Designed cases: from no axes to three, one of size one, none at all; a random upstream gradient."""
    shapes = {"values": [(5,)], "gradients": [(7,), (11,)], "shapes": [(2, 3, 5), (1, 1), (0,), ()]}
    return [legendre_case(group, numbers(rng, shape), numbers(rng, shape)) for group, several in shapes.items() for shape in several]


LEGENDRE_BY_HAND = [
    legendre_case("values", [0.5, -0.5, 1.0, -1.0, 0.0], [1.0] * 5),
    legendre_case("gradients", [0.0, 0.45, -0.45, 3.0], [1.5, -0.7, 0.3, 2.2]),
]


legendre_function = Exercise(
    "m02-legendre-function", "A new operation for torch", "class LegendreP3", lambda rng: [*LEGENDRE_BY_HAND, *designed_legendre(rng)], _probe_legendre, _judge_legendre,
    (
        "torch asks of a new operation what your engine asks: the value, and the slope times the gradient that arrives.",
        "forward(ctx, x) saves what backward will need with ctx.save_for_backward; backward(ctx, grad_output) gets it from ctx.saved_tensors, a tuple.",
        "Differentiate (5x^3 - 3x) / 2 term by term with the power rule, on paper. Then backward returns grad_output times that.",
    ),
    _name_legendre, allows=frozenset({"torch"}), by_formula=True,
)  # fmt: skip
