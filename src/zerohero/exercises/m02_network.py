"""m02, what is built of the engine: neuron, layer, multi-layer perceptron.

Truth is a vectorised forward pass in NumPy and its slopes. Each of the student's parts is run twice: with the parts
written before it, and with stand-ins for them (m02_stand_ins); being right in one of the two is being right.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise, repeat, starmap
from itertools import count as count_up
from typing import Any

import numpy as np

from ..exercise import Case, Exercise, describe
from ..gradcheck import difference
from ..gradcheck.naming import name_numbers
from ..report import Finding
from .m02_stand_ins import ATOL, RTOL, STEP, attempt, globals_of, number_class, patched, raised, refuse_ours

ACTIVATIONS = {"tanh": np.tanh, "relu": lambda z: np.where(np.real(z) > 0, z, 0.0 * z), "linear": lambda z: z}


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
                seen[way] = attempt(lambda numbers=numbers: _network_reading(cls, numbers, inputs))
        if seen["stand-ins"].get("raised") == "NotImplementedError":
            raise NotImplementedError
        seen["own"] = attempt(lambda: _network_reading(cls, globals_of(cls).get("Value"), inputs))
        return seen

    return probe


def _layer_of_one_gives_a_list(layer):
    try:
        return isinstance(layer(2, 1, "linear")([0.5, -1.0]), (list, tuple))
    except Exception:  # not written, or wrong: its own exercise says so
        return False


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
