"""m02, what is built of the engine: the neuron in torch, a torch.autograd.Function, neurons, layers, losses and training.

Truth is a vectorised forward pass in NumPy and its slopes. Each of the student's parts is run twice: with the parts
written before it, and with stand-ins for them (m02_stand_ins); being right in one of the two is being right.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise, repeat, starmap
from itertools import count as count_up
from typing import Any

import numpy as np

from ..exercise import Case, Exercise, describe
from ..gradcheck import difference
from ..gradcheck.naming import name_numbers
from ..report import Finding
from .kinds import function_exercise
from .m02_stand_ins import STEP, globals_of, number_class, patched, raised, refuse_ours

RTOL, ATOL = 1e-9, 1e-11  # the truth is exact; what went through float32 is off by 3e-8
ACTIVATIONS = {"tanh": np.tanh, "relu": lambda z: np.where(np.real(z) > 0, z, 0.0 * z), "linear": lambda z: z}


def tidy(numbers: np.ndarray) -> list[Any]:
    """Three digits are enough for an input, and read better in a report."""
    return np.round(numbers, 3).tolist()


# ---------------------------------------------------------------- torch


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


def _legendre_cases(rng):
    return [
        legendre_case("values", [0.5, -0.5, 1.0, -1.0, 0.0], [1.0] * 5),
        legendre_case("values", np.round(rng.uniform(-2, 2, 7), 3), [1.0] * 7),
        legendre_case("gradients", np.round(rng.uniform(-2, 2, 7), 3), np.round(rng.standard_normal(7), 3)),
        legendre_case("gradients", [0.0, 0.45, -0.45, 3.0], [1.5, -0.7, 0.3, 2.2]),
        legendre_case("shapes", np.round(rng.uniform(-2, 2, (2, 3)), 3), np.round(rng.standard_normal((2, 3)), 3)),
        legendre_case("shapes", 0.8, -1.7),
    ]


legendre_function = Exercise(
    "m02-legendre-function", "A new operation for torch", "class LegendreP3", _legendre_cases, _probe_legendre, _judge_legendre,
    (
        "torch asks of a new operation what your engine asks: the value, and the slope times the gradient that arrives.",
        "forward(ctx, x) saves what backward will need with ctx.save_for_backward; backward(ctx, grad_output) gets it from ctx.saved_tensors, a tuple.",
        "Differentiate (5x^3 - 3x) / 2 term by term with the power rule, on paper. Then backward returns grad_output times that.",
    ),
    _name_legendre, allows=frozenset({"torch"}),
)  # fmt: skip


# ---------------------------------------------------------------- neuron, layer, multi-layer perceptron


def forward(sizes: Sequence[int], acts: Sequence[str], parameters: np.ndarray, x: np.ndarray) -> np.ndarray:
    """All outputs of the last layer. sizes = [inputs, neurons of each layer ...]; parameters neuron by neuron, weights then bias."""
    place = 0
    for n_in, n_out, act in zip(sizes, sizes[1:], acts, strict=False):
        block = parameters[place : place + n_out * (n_in + 1)].reshape(n_out, n_in + 1)
        x = ACTIVATIONS[act](block[:, :-1] @ x + block[:, -1])
        place += block.size
    return x


def count(sizes: Sequence[int]) -> int:
    return sum(n_out * (n_in + 1) for n_in, n_out in pairwise(sizes))


def network_case(group: str, rng: np.random.RandomState, made_with: Sequence[Any], *, as_values: bool = False) -> Case:
    """made_with: the arguments of the class; the parameters, the input and one upstream gradient per output are drawn."""
    sizes, acts = shape_of(made_with)
    for _ in range(100):
        parameters, x = np.round(rng.uniform(-1.2, 1.2, count(sizes)), 3), np.round(rng.uniform(-1.5, 1.5, sizes[0]), 3)
        if _far_from_corners(sizes, acts, parameters, x):
            break
    upstream = np.round(rng.uniform(0.4, 2.0, sizes[-1]) * rng.choice([-1, 1], sizes[-1]), 3)
    return Case(
        group, {"made with": list(made_with), "parameters": parameters.tolist(), "x": x.tolist(), "upstream": upstream.tolist(), "x as Values": as_values}
    )


def shape_of(made_with: Sequence[Any]) -> tuple[list[int], list[str]]:
    """(sizes, activation of each layer) of Neuron(n, act), Layer(n_in, n_out, act) or MLP(n_in, [sizes], act)."""
    *numbers, act = made_with
    if len(numbers) == 1:
        return [numbers[0], 1], [act]
    if isinstance(numbers[1], list):
        return [numbers[0], *numbers[1]], [act] * (len(numbers[1]) - 1) + ["linear"]
    return numbers, [act]


def _far_from_corners(sizes, acts, parameters, x):
    """No relu input near 0, and at least one unit alive in each layer."""
    place = 0
    for n_in, n_out, act in zip(sizes, sizes[1:], acts, strict=False):
        block = parameters[place : place + n_out * (n_in + 1)].reshape(n_out, n_in + 1)
        z = block[:, :-1] @ x + block[:, -1]
        if act == "relu" and (np.abs(z).min() < 0.02 or z.max() < 0):
            return False
        x, place = ACTIVATIONS[act](z), place + block.size
    return True


def _stand_in_classes(numbers, *, one_bare=False):
    """Neuron and Layer that are right whatever the student's are; each neuron is one operation, computed by NumPy.

    one_bare : a layer of one neuron gives its Value, not a list of one, as in a well-known engine
    """

    drawn = count_up(1)

    class Neuron:
        def __init__(self, n_inputs, act="relu"):
            self.w = [numbers(next(drawn) * 1.236068 % 2 - 1) for _ in range(n_inputs)]  # no two alike, between -1 and 1
            self.b = numbers(0.0)
            self.act = act

        def __call__(self, x):
            n = len(self.w)

            def make(*v):
                return ACTIVATIONS[self.act](np.dot(v[:n], v[n : 2 * n]) + v[-1])

            return numbers._made(make, *x, *self.w, self.b)

        def parameters(self):
            return list(chain(self.w, (self.b,)))

    class Layer:
        def __init__(self, n_inputs, n_outputs, act="relu"):
            self.neurons = list(starmap(Neuron, repeat((n_inputs, act), n_outputs)))

        def __call__(self, x):
            outs = [neuron(x) for neuron in self.neurons]
            return outs[0] if one_bare and len(outs) == 1 else outs

        def parameters(self):
            return list(chain.from_iterable(neuron.parameters() for neuron in self.neurons))

    return {"Neuron": Neuron, "Layer": Layer}


def _network_probe(*parts):
    """A probe of a network class; ``parts`` are the classes of the student's that it is made of."""

    def probe(cls, inputs):
        refuse_ours(cls)
        ways = {"stand-ins": False}
        if "Layer" in parts and not _layer_of_one_gives_a_list(globals_of(cls).get("Layer")):
            ways["stand-ins, one bare"] = True
        seen = {}
        for way, one_bare in ways.items():
            numbers = number_class()
            classes = _stand_in_classes(numbers, one_bare=one_bare)
            with patched(cls, Value=numbers, **{name: classes[name] for name in parts}):
                seen[way] = _attempt(lambda numbers=numbers: _network_reading(cls, numbers, inputs))
        if seen["stand-ins"].get("raised") == "NotImplementedError":
            raise NotImplementedError
        seen["own"] = _attempt(lambda: _network_reading(cls, globals_of(cls).get("Value"), inputs))
        return seen

    return probe


def _layer_of_one_gives_a_list(layer):
    try:
        return isinstance(layer(2, 1, "linear")([0.5, -1.0]), (list, tuple))
    except Exception:  # not written, or wrong: its own exercise says so
        return False


def _with_both_engines(read):
    """A probe that calls read(function, value class, inputs) with stand-ins for Value, then with the student's own."""

    def probe(function, inputs):
        numbers = number_class()
        with patched(function, Value=numbers):
            seen = {"stand-ins": _attempt(lambda: read(function, numbers, inputs))}
        if seen["stand-ins"].get("raised") == "NotImplementedError":
            raise NotImplementedError
        if isinstance(globals_of(function).get("Value"), type):
            seen["own"] = _attempt(lambda: read(function, globals_of(function)["Value"], inputs))
        return seen

    return probe


def _attempt(read):
    try:
        return read()
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)[:200]}


def _network_reading(cls, value_class, inputs):
    model = cls(*inputs["made with"])
    parameters = list(model.parameters())
    sizes, _ = shape_of(inputs["made with"])
    seen = {"count": len(parameters), "distinct": len({id(p) for p in parameters})}
    if "x" not in inputs and len(parameters) == count(sizes):
        seen["start"] = _start(*([p.data for p in one.parameters()] for one in (model, cls(*inputs["made with"]))), sizes)
    if "x" not in inputs or len(parameters) != len(inputs["parameters"]):
        return seen
    value_class = value_class if isinstance(value_class, type) else type(parameters[0])
    for p, data in zip(parameters, inputs["parameters"], strict=True):
        p.data = data
    for _ in range(2):  # a first call must leave nothing behind
        out = model([value_class(x) for x in inputs["x"]] if inputs["x as Values"] else list(inputs["x"]))
    outs = list(out) if isinstance(out, (list, tuple)) else [out]
    seen["in a list"] = isinstance(out, (list, tuple))
    seen["kinds"] = ["Value" if isinstance(one, value_class) else type(one).__name__ for one in outs]
    if set(seen["kinds"]) != {"Value"} or len(outs) != len(inputs["upstream"]):
        return seen
    seen["outs"] = [one.data for one in outs]
    try:
        for p in parameters:
            p.grad = 0.0
        total = outs[0] * value_class(inputs["upstream"][0])
        for one, upstream in zip(outs[1:], inputs["upstream"][1:], strict=True):
            total = total + one * value_class(upstream)
        total.backward()
        seen["grads"] = [p.grad for p in parameters]
    except Exception as error:  # the engine's matter
        seen["problem"] = f"{type(error).__name__}: {error}"[:200]
    return seen


MANY = 30
"""So many random numbers are never all of one sign, and hardly ever alike."""


def _start(data, other, sizes):
    """What is said of the random start; not the numbers, or no two runs of a wrong answer would look the same.

    data, other : start values of two models, in the order of parameters()
    """
    if not all(isinstance(one, (int, float)) and np.isfinite(one) for one in data):
        return "not numbers"
    weights, biases, alike, place = [], [], False, 0
    for n_in, n_out in pairwise(sizes):
        rows = [data[place + i * (n_in + 1) : place + (i + 1) * (n_in + 1)] for i in range(n_out)]
        alike = alike or len({tuple(row[:-1]) for row in rows}) < n_out
        weights += [one for row in rows for one in row[:-1]]
        biases += [row[-1] for row in rows]
        place += n_out * (n_in + 1)
    many = len(weights) >= MANY
    if len(weights) > 1 and len(set(weights)) == 1:
        return "all equal"
    if alike:
        return "two neurons alike"
    if list(data) == list(other):
        return "the same each time"
    if any(biases):
        return "bias not 0"
    if max(map(abs, weights)) > 1:
        return "beyond 1"
    if many and (min(weights) >= 0 or max(weights) <= 0 or len(set(weights)) < len(weights) / 4):
        return "not spread"
    return "as asked"


def network_text(inputs: Mapping[str, Any]) -> str:
    return "(" + ", ".join(map(repr, inputs["made with"])) + ")"


def network_truth(inputs: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """(outputs, gradient of sum(upstream * outputs) towards each parameter)."""
    sizes, acts = shape_of(inputs["made with"])
    parameters, x, upstream = (np.asarray(inputs[name]) for name in ("parameters", "x", "upstream"))
    gradients = [upstream @ forward(sizes, acts, parameters + 1j * STEP * e, x).imag / STEP for e in np.eye(parameters.size)]
    return forward(sizes, acts, parameters, x), np.array(gradients)


def _judge_network(case, seen):
    findings = [_judge_network_reading(case, seen[way]) for way in ("own", "stand-ins", "stand-ins, one bare") if way in seen]
    return [] if None in findings else [findings[0]]


def _judge_network_reading(case, seen):
    where = f"made with {network_text(case.inputs)}"
    if "raised" in seen:
        return raised(seen, "make one in a cell of its own and call it", where=where)
    sizes, _ = shape_of(case.inputs["made with"])
    if seen["count"] != count(sizes):
        return Finding("the number of parameters is wrong", where=where, expected=str(count(sizes)), actual=describe(seen["count"]),
                       next="every neuron has one weight per input, and one bias")  # fmt: skip
    if case.group == "parameters":
        return _judge_parameters(seen, where)
    if "kinds" in seen and set(seen["kinds"]) != {"Value"}:
        return Finding(
            "the output is not made of Values",
            where=where,
            expected="Values",
            actual=describe(seen["kinds"]),
            next="compute with Values throughout; .data cuts the graph",
        )
    if len(seen["kinds"]) != sizes[-1]:
        return Finding("the number of outputs is wrong", where=where, expected=str(sizes[-1]), actual=str(len(seen["kinds"])))
    if seen["in a list"] is not (sizes[-1] > 1) and not _is_layer_of_one(case.inputs["made with"]):
        expected = "a list of Values" if sizes[-1] > 1 else "one Value, in no list"
        return Finding("the output has the wrong form", where=where, expected=expected, next="read the docstring of __call__ again: when is it a list?")
    outs, grads = network_truth(case.inputs)
    where = f"{where}, x = {describe(case.inputs['x'])}, parameters set in the order of parameters()"
    if case.group != "gradients":
        found = difference("output", outs.tolist(), seen["outs"], where=where, rtol=RTOL, atol=ATOL)
        if found or case.group == "values":
            return found
    if "problem" in seen:
        return Finding("backward() of the output raised an exception", where=where, actual=str(seen["problem"]))
    return difference("parameter grads", grads.tolist(), seen["grads"], where=where, rtol=RTOL, atol=ATOL)


def _is_layer_of_one(made_with):
    """Its list of one may be the Value itself: an MLP can be written for either."""
    return len(made_with) == 3 and made_with[1] == 1


STARTS = {
    "not numbers": ("a start value is not a number", "start each weight with a plain number", "", ""),
    "all equal": ("all weights start at the same number", "draw each weight anew, with random.uniform(-1, 1)", "WRONG_CONSTANT",
                  "weights that start equal get equal gradients and stay equal for ever"),
    "two neurons alike": ("two neurons of one layer start with the same weights", "draw the weights of each neuron anew", "WRONG_CONSTANT",
                          "neurons that start equal get equal gradients and stay equal for ever"),
    "the same each time": ("two of them, made one after the other, start with the same numbers", "draw at random, and set no seed inside the class", "", ""),
    "bias not 0": ("a bias does not start at 0", "only the weights are random", "", ""),
    "beyond 1": ("a weight starts beyond -1 to 1", "random.uniform(-1, 1) draws between the two", "", ""),
    "not spread": ("the weights are not spread over -1 to 1", "random.uniform(-1, 1) draws numbers of both signs", "", ""),
}  # fmt: skip


def _judge_parameters(seen, where):
    if seen["distinct"] != seen["count"]:
        return Finding("the same Value stands for several parameters", where=where, expected=f"{seen['count']} different Values", actual=str(seen["distinct"]), mistake="DOUBLE_COUNT",
                       because="one Value is in the list several times, so changing one weight changes all", next="[Value(0)] * 3 holds one Value three times; make each in a loop")  # fmt: skip
    if seen["start"] == "as asked":
        return None
    what, step, mistake, because = STARTS.get(seen["start"], STARTS["not numbers"])
    return Finding(what, where=where, expected="weights at random between -1 and 1, biases 0", mistake=mistake, because=because, next=step)


def _name_network(cases, outputs):
    seen = [o["value"]["stand-ins" if "outs" in o["value"]["stand-ins"] else "own"] for o in outputs]  # where the engine is right, if it can be
    pairs = [(network_truth(c.inputs), one) for c, one in zip(cases, seen, strict=True) if c.group in ("values", "gradients")]
    if any(difference("outs", t[0].tolist(), seen["outs"], rtol=RTOL, atol=ATOL) for t, seen in pairs):
        return name_numbers([(t[0].tolist(), seen["outs"]) for t, seen in pairs])
    if all(set(seen["grads"]) == {0.0} for _, seen in pairs):
        return "MISSING_PATH", "no gradient reaches the parameters: the output was computed from .data, outside the graph"
    return name_numbers([(t[1].tolist(), seen["grads"]) for t, seen in pairs])


def _neuron_cases(rng):
    return [
        Case("parameters", {"made with": [3, "tanh"]}),
        Case("parameters", {"made with": [61, "relu"]}),
        network_case("values", rng, [2, "tanh"]),
        network_case("values", rng, [5, "tanh"], as_values=True),
        network_case("gradients", rng, [3, "tanh"]),
        network_case("gradients", rng, [5, "tanh"], as_values=True),
        *[network_case("relu and linear", rng, [3, act]) for act in ("relu", "relu", "linear")],
    ]


neuron = Exercise(
    "m02-neuron", "A neuron", "class Neuron", _neuron_cases, _network_probe(), _judge_network,
    (
        "A neuron weighs its inputs, adds them up with a bias, and bends the sum. Weights and bias are Values, so that gradients reach them.",
        "One weight per input, drawn anew for each; the sum starts at the bias. The name in act is the name of a method of Value, or \"linear\".",
        "Loop over zip(self.w, x), adding w * x to a total that starts as self.b. Then return total.tanh(), total.relu() or total itself. parameters() is the list of weights plus [bias].",
    ),
    _name_network,
)  # fmt: skip


def _layer_cases(rng):
    return [
        Case("parameters", {"made with": [3, 4, "tanh"]}),
        Case("parameters", {"made with": [2, 5, "relu"]}),
        network_case("values", rng, [2, 3, "tanh"]),
        network_case("values", rng, [5, 2, "relu"], as_values=True),
        network_case("gradients", rng, [3, 2, "tanh"]),
        network_case("gradients", rng, [2, 3, "linear"]),
    ]


layer = Exercise(
    "m02-layer", "A layer of neurons", "class Layer", _layer_cases, _network_probe("Neuron"), _judge_network,
    (
        "The neurons of a layer do not know each other: all of them see the same input, each gives one output.",
        "n_outputs neurons, each with n_inputs inputs. The output is a list, one Value per neuron, in order.",
        "Two list comprehensions over the neurons; for parameters() a list comprehension with two `for`, the neurons first.",
    ),
    _name_network,
)  # fmt: skip


def _mlp_cases(rng):
    return [
        Case("parameters", {"made with": [3, [4, 4, 1], "tanh"]}),
        Case("parameters", {"made with": [2, [16, 16, 1], "relu"]}),
        Case("parameters", {"made with": [3, [3, 3, 3, 2], "tanh"]}),
        network_case("values", rng, [2, [3, 1], "tanh"]),
        network_case("values", rng, [3, [2, 3, 2], "relu"]),
        network_case("values", rng, [3, [5, 1], "relu"], as_values=True),
        network_case("values", rng, [3, [2], "tanh"]),
        network_case("values", rng, [2, [1, 3], "tanh"]),
        network_case("gradients", rng, [2, [3, 1], "tanh"]),
        network_case("gradients", rng, [2, [3, 2, 1], "relu"]),
    ]


mlp = Exercise(
    "m02-mlp", "Layers in a row", "class MLP", _mlp_cases, _network_probe("Neuron", "Layer"), _judge_network,
    (
        "The output of one layer is the input of the next. So each layer has as many inputs as the layer before it has neurons.",
        "sizes = [n_inputs] + sizes lists all widths; layer i goes from sizes[i] to sizes[i + 1]. Only the last layer is linear.",
        "In __call__ one name is enough: x = layer(x) for each layer. At the end, a list of one Value becomes that Value.",
    ),
    _name_network,
)  # fmt: skip


# ---------------------------------------------------------------- losses


def _loss_probe(*values):
    """A probe of a function that makes one Value out of lists; ``values`` names the inputs that are Values."""

    def read(function, value_class, inputs):
        lists = {name: [value_class(one) for one in inputs[name]] if name in values else inputs[name] for name in inputs if name != "upstream"}
        out = function(*lists.values())
        if not isinstance(out, value_class):
            return {"kind": type(out).__name__}
        data = out.data
        (out * value_class(inputs["upstream"])).backward()
        return {"kind": "Value", "data": data, "grads": [[one.grad for one in lists[name]] for name in values]}

    return _with_both_engines(read)


def _loss_exercise(id, title, takes, values, truth, cases, hints, name):
    """truth : case inputs, with arrays in place of lists -> the loss; the gradients are its slopes."""

    def true(inputs):
        plain = {key: np.asarray(one, dtype=np.complex128) if isinstance(one, list) else one for key, one in inputs.items()}
        gradients = []
        for key in values:
            steps = [{**plain, key: plain[key] + 1j * STEP * e} for e in np.eye(len(inputs[key]))]
            gradients.append([inputs["upstream"] * float(np.imag(truth(step))) / STEP for step in steps])
        return float(np.real(truth(plain))), gradients

    def judge_reading(case, seen):
        where = describe({key: one for key, one in case.inputs.items() if key != "upstream"})
        if "raised" in seen:
            return raised(seen, "call it in a cell of its own and read the traceback", where=where)
        if seen["kind"] != "Value":
            return Finding(
                "the loss is not a Value",
                where=where,
                expected="a Value",
                actual=f"a {seen['kind']}",
                next="compute with Values throughout; .data cuts the graph",
            )
        data, gradients = true(case.inputs)
        if case.group == "gradients":
            for key, expected, given in zip(values, gradients, seen["grads"], strict=True):
                found = difference(f"grads of the {key}", expected, given, where=where, rtol=RTOL, atol=ATOL)
                if found:
                    return found
            return None
        return difference("loss", data, seen["data"], where=where, rtol=RTOL, atol=ATOL)

    def judge(case, seen):
        findings = [judge_reading(case, reading) for reading in (seen.get("own"), seen["stand-ins"]) if reading is not None]
        return [] if None in findings else [findings[0]]

    def proven(all_cases, outputs):
        rows = [(c.inputs, o["value"]["stand-ins"]) for c, o in zip(all_cases, outputs, strict=True)]
        own = name([(inputs, seen["data"]) for inputs, seen in rows])
        return own or name_numbers([(true(inputs)[0], seen["data"]) for inputs, seen in rows])

    return Exercise(id, title, takes, cases, _loss_probe(*values), judge, hints, proven)


def loss_case(group: str, rng: np.random.RandomState, n: int) -> Case:
    return Case(group, {"predictions": tidy(rng.uniform(-1.5, 1.5, n)), "targets": tidy(rng.uniform(-2, 2, n)), "upstream": 1.7})


def _name_squared(rows):
    if all(_near(given, np.mean((np.array(i["predictions"]) - i["targets"]) ** 2)) for i, given in rows):
        return "EXTRA_MEAN", "the squares are averaged; here they are only added up"
    return None


def _near(a, b):
    return abs(a - b) <= 1e-6 * abs(b) + 1e-9


squared_loss = _loss_exercise(
    "m02-squared-loss", "How far off, in one number", "squared_loss(predictions, targets)", ("predictions",),
    lambda i: np.sum(np.square(i["predictions"] - i["targets"])),
    lambda rng: [
        Case("values", {"predictions": [0.7, -0.6, 0.3], "targets": [1.0, -1.0, -1.0], "upstream": 1.7}),
        loss_case("values", rng, 5),
        loss_case("one example", rng, 1),
        Case("one example", {"predictions": [0.4], "targets": [-1.0], "upstream": 0.6}),
        loss_case("gradients", rng, 3),
        loss_case("gradients", rng, 7),
    ],
    (
        "Each example is off by prediction minus target. Squared, so that too high and too low both count, and large misses count most.",
        "Add the squares of all examples up. The result must be a Value, or no gradient can flow back.",
        "sum(...) over zip(predictions, targets) of a difference raised to the power 2; sum starts with 0 + first, which __radd__ handles.",
    ),
    _name_squared,
)  # fmt: skip


def moons_loss_case(group: str, rng: np.random.RandomState, n: int, n_parameters: int, alpha: float | None = None) -> Case:
    """Scores on both sides of the margin, never near its corner."""
    labels = rng.choice([-1.0, 1.0], n)
    margins = np.where(rng.rand(n) < 0.4, rng.uniform(1.1, 2.0, n), rng.uniform(-1.5, 0.9, n))
    margins[0] = -0.4  # at least one inside
    given = {"scores": tidy(margins * labels), "labels": labels.tolist(), "parameters": tidy(rng.uniform(-2, 2, n_parameters))}
    return Case(group, given | ({} if alpha is None else {"alpha": alpha}) | {"upstream": 1.3})


def _hinge(i):
    return 1 + -i["labels"] * i["scores"]


def _moons_loss_truth(i):
    return np.mean(ACTIVATIONS["relu"](_hinge(i))) + i.get("alpha", 1e-4) * np.sum(i["parameters"] ** 2)


def _name_moons_loss(rows):
    def plain(i):
        return {key: np.array(one) if isinstance(one, list) else one for key, one in i.items()}

    def penalty(i):
        return i.get("alpha", 1e-4) * np.sum(i["parameters"] ** 2)

    variants = {
        ("MISSING_MEAN", "the data losses are added up, not averaged"): lambda i: np.sum(np.maximum(_hinge(i), 0)) + penalty(i),
        ("MISSING_PATH", "the parameters' squares are not in the loss"): lambda i: np.mean(np.maximum(_hinge(i), 0)),
        ("WRONG_MASK", "a score beyond the margin lowers your loss; relu should stop it at 0"): lambda i: np.mean(_hinge(i)) + penalty(i),
        ("SIGN_FLIP", "the loss grows when the score has the sign of the label"): lambda i: np.mean(np.maximum(2 - _hinge(i), 0)) + penalty(i),
        ("EXTRA_MEAN", "the parameters' squares are averaged; here they are only added up"): lambda i: (
            np.mean(np.maximum(_hinge(i), 0)) + penalty(i) / len(i["parameters"])
        ),
    }
    for mistake, variant in variants.items():
        if all(_near(given, variant(plain(i))) for i, given in rows):
            return mistake
    return None


moons_loss = _loss_exercise(
    "m02-moons-loss", "Max-margin loss with L2", "moons_loss(scores, labels, parameters, alpha)", ("scores", "parameters"), _moons_loss_truth,
    lambda rng: [
        moons_loss_case("default alpha", rng, 3, 5),
        moons_loss_case("default alpha", rng, 7, 2),
        moons_loss_case("values", rng, 5, 3, 0.01),
        moons_loss_case("values", rng, 2, 7, 0.3),
        moons_loss_case("gradients", rng, 5, 3, 0.02),
        moons_loss_case("gradients", rng, 11, 2, 0.1),
    ],
    (
        "A score is right if it has the sign of its label, and safe if it does so by at least 1. Label times score says both at once.",
        "Per example: relu(1 - label * score), averaged over the examples. On top: alpha times the sum of all squared parameters.",
        "Two sums. The first is divided by len(scores), the second is multiplied by alpha; both are Values, and so is what you return.",
    ),
    _name_moons_loss,
)  # fmt: skip


# ---------------------------------------------------------------- training


class _Line:
    """A model to be trained in a check: w0 * x0 + w1 * x1 + b."""

    def __init__(self, value_class, start):
        self._all = [value_class(one) for one in start]

    def __call__(self, x):
        w0, w1, b = self._all
        return w0 * float(x[0]) + w1 * float(x[1]) + b

    def parameters(self):
        return list(self._all)


class _LineThatZeroes(_Line):
    """For a student whose own MLP has zero_grad() as well."""

    def zero_grad(self):
        for p in self._all:
            p.grad = 0.0


def _line(parameters, x):
    return x @ parameters[:2] + parameters[2]


def _fourth_powers(value_class):
    """A loss that no lesson uses: sum of (prediction - target)^4."""

    def loss(predictions, targets):
        total = value_class(0.0)
        for prediction, target in zip(predictions, targets, strict=True):
            off = prediction + -float(target)
            square = off * off
            total = total + square * square
        return total

    return loss


def _soft_margin(value_class):
    """Mean of (label * score - 1.5)^2, plus a penalty on the parameters; without a corner."""

    def loss(scores, labels, parameters):
        total = value_class(0.0)
        for score, label in zip(scores, labels, strict=True):
            off = score * float(label) + -1.5
            total = total + off * off * (1.0 / len(scores))
        for p in parameters:
            total = total + p * p * 0.01
        return total

    return loss


def _training_probe(call):
    """call(function, value_class, model, inputs) -> the losses that came back."""

    def read(function, value_class, inputs):
        kind = _LineThatZeroes if hasattr(globals_of(function).get("MLP"), "zero_grad") else _Line
        model = kind(value_class, inputs["start"])
        losses = call(function, value_class, model, inputs)
        values = isinstance(losses, (list, tuple)) and any(isinstance(one, value_class) for one in losses)
        return {"losses": "Values" if values else losses, "parameters": [p.data for p in model.parameters()]}

    return _with_both_engines(read)


def descend(start: np.ndarray, loss: Callable[[np.ndarray, int], Any], rates: Sequence[float], variant: str = "") -> dict[str, list[float]]:
    """Gradient descent in NumPy: {"losses": before each step, "parameters": at the end}; ``variant`` makes one known mistake."""
    p, held, losses = np.array(start, dtype=np.float64), np.zeros(len(start)), []
    for k, rate in enumerate(rates):
        losses.append(float(np.real(loss(p, k))))
        gradient = np.array([np.imag(loss(p + 1j * STEP * e, k)) / STEP for e in np.eye(p.size)])
        if variant == "not zeroed":
            held = held + gradient
            p = p - rate * held
        elif variant == "update first":
            p, held = p - rate * held, gradient
        elif variant == "uphill":
            p = p + rate * gradient
        elif variant == "zeroed too late":
            pass
        else:
            p = p - rate * gradient
    return {"losses": losses, "parameters": p.tolist()}


VARIANTS = {
    "not zeroed": ("STATE_LEAK", "the gradients of earlier steps are still in .grad: it is not set to zero in each step"),
    "uphill": ("SIGN_FLIP", "the step goes uphill: the gradient is added, not subtracted"),
    "update first": ("PRE_POST", "the step uses the gradient of the step before: the update stands before backward()"),
    "zeroed too late": ("MISSING_PATH", "the parameters do not move: the update is missing, or every gradient is 0 when it comes"),
}


def _engine_is_right(seen):
    """The reading with the stand-ins where there is one: what is wrong in it is the student's loop."""
    return seen["own"] if "raised" in seen["stand-ins"] and "own" in seen else seen["stand-ins"]


def _training_exercise(id, title, takes, cases, call, run, hints, variants):
    """run(inputs, variant) -> what descend() gives for these inputs."""

    def judge_reading(case, seen):
        where = describe({key: one for key, one in case.inputs.items() if key not in ("x", "y", "batches")})
        if "raised" in seen:
            return raised(seen, "call it in a cell of its own and read the traceback", where=where)
        true = run(case.inputs, "")
        if case.group == "losses":
            if isinstance(seen["losses"], str):
                return Finding("the losses are Values, not numbers", where=where, expected="a list of floats", next="append the loss's data, not the loss")
            return difference("losses", true["losses"], seen["losses"], where=where, rtol=RTOL, atol=ATOL)
        return difference("parameters after training", true["parameters"], seen["parameters"], where=where, rtol=RTOL, atol=ATOL)

    def judge(case, seen):
        findings = [judge_reading(case, reading) for reading in (seen.get("own"), seen["stand-ins"]) if reading is not None]
        return [] if None in findings else [findings[0]]

    def name(all_cases, outputs):
        readings = [(c.inputs, _engine_is_right(o["value"])["parameters"]) for c, o in zip(all_cases, outputs, strict=True)]
        for variant, mistake in variants.items():
            if all(difference("p", run(inputs, variant)["parameters"], given, rtol=1e-6, atol=ATOL) is None for inputs, given in readings):
                return mistake
        return None

    return Exercise(id, title, takes, cases, _training_probe(call), judge, hints, name)


def train_case(group: str, rng: np.random.RandomState, n: int, steps: int, rate: float) -> Case:
    given = {"start": tidy(rng.uniform(-0.6, 0.6, 3)), "x": [tidy(row) for row in rng.uniform(-1, 1, (n, 2))], "y": rng.choice([-1.0, 1.0], n).tolist()}
    return Case(group, given | {"steps": steps, "rate": rate})


def _run_train(inputs, variant):
    x, y = np.array(inputs["x"]), np.array(inputs["y"])
    return descend(inputs["start"], lambda p, _: np.sum((_line(p, x) - y) ** 4), [inputs["rate"]] * inputs["steps"], variant)


train_loop = _training_exercise(
    "m02-train-loop", "Gradient descent", "train_loop(model, xs, ys, loss, steps, rate)",
    lambda rng: [
        train_case("one step", rng, 3, 1, 0.01),
        train_case("one step", rng, 5, 1, 0.003),
        train_case("several steps", rng, 3, 4, 0.01),
        train_case("several steps", rng, 5, 3, 0.004),
        train_case("losses", rng, 3, 4, 0.008),
        train_case("losses", rng, 2, 1, 0.02),
    ],
    lambda function, value_class, model, i: function(model, i["x"], i["y"], _fourth_powers(value_class), i["steps"], i["rate"]),
    _run_train,
    (
        "Four things happen in each step, and their order matters: compute the loss, forget the old gradients, find the new ones, move.",
        "Moving means: each parameter's data goes down by rate times its grad. Down, because the gradient points to where the loss grows.",
        "for step in range(steps): loss of [model(x) for x in xs]; p.grad = 0.0 for each p in model.parameters(); backward(); then change each p.data. Append the loss's data.",
    ),
    VARIANTS,
)  # fmt: skip


def moons_train_case(group: str, rng: np.random.RandomState, n: int, steps: int, size: int) -> Case:
    given = {"start": tidy(rng.uniform(-0.4, 0.4, 3)), "x": np.round(rng.uniform(-1, 1, (n, 2)), 3), "y": rng.choice([-1.0, 1.0], n)}
    return Case(group, given | {"batches": [rng.permutation(n)[:size].tolist() for _ in range(steps)]})


def _moons_rates(steps):
    return [float(rate) for rate in 1.0 - 0.9 * np.arange(steps) / steps]


def _run_moons(inputs, variant):
    x, y, batches = np.asarray(inputs["x"]), np.asarray(inputs["y"]), inputs["batches"]
    rates = (
        [1.0] * len(batches)
        if variant == "no decay"
        else np.linspace(1.0, 0.1, len(batches)).tolist()
        if variant == "ends early"
        else _moons_rates(len(batches))
    )

    def loss(p, k):
        rows = list(range(len(y))) if variant == "whole set" else batches[k]
        return np.mean((_line(p, x[rows]) * y[rows] - 1.5) ** 2) + 0.01 * np.sum(p**2)

    return descend(inputs["start"], loss, rates, variant)


moons_train = _training_exercise(
    "m02-moons-train", "Minibatches and a falling rate", "moons_train(model, X, y, batches, loss)",
    lambda rng: [
        moons_train_case("one step", rng, 7, 1, 3),
        moons_train_case("one step", rng, 5, 1, 2),
        moons_train_case("several steps", rng, 7, 3, 3),
        moons_train_case("several steps", rng, 11, 4, 2),
        moons_train_case("losses", rng, 5, 3, 2),
    ],
    lambda function, value_class, model, i: function(model, np.array(i["x"]), np.array(i["y"]), [np.array(one) for one in i["batches"]], _soft_margin(value_class)),
    _run_moons,
    (
        "It is the training loop again. New are two things: each step sees a few points only, and the steps grow shorter.",
        "Step k uses the rows of X and y whose numbers are in batches[k], and the rate 1.0 - 0.9 * k / steps, where steps is the number of batches.",
        "for k, batch in enumerate(batches): scores = [model(x) for x in X[batch].tolist()]; loss(scores, y[batch].tolist(), model.parameters()); then as before.",
    ),
    {
        "no decay": ("WRONG_CONSTANT", "the rate stays at 1.0; it is to fall from step to step"),
        "ends early": ("INDEXING", "the rate reaches 0.1 at the last step: k is divided by steps - 1"),
        "whole set": ("INDEXING", "every step uses all points; it is to use those of its batch"),
        **VARIANTS,
    },
)  # fmt: skip
