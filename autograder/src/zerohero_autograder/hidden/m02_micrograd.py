"""Hidden cases of m02. The truth is measured by the judge; what is drawn here are other numbers, graphs and sizes."""

import numpy as np

from zerohero.exercise import Case
from zerohero.exercises.kinds import tidy
from zerohero.exercises.m02_engine import operation_case
from zerohero.exercises.m02_graph import program_case, random_graph
from zerohero.exercises.m02_network import network_case
from zerohero.exercises.m02_torch import legendre_case
from zerohero.exercises.m02_training import loss_case, moons_loss_case, moons_train_case, train_case


def _signed(rng, low=0.3, high=3.0):
    return round(float(rng.uniform(low, high) * rng.choice([-1.0, 1.0])), 3)


def _upstream(rng):
    """Between 1.2 and 3.5 in size, of either sign: never one, never zero."""
    return _signed(rng, 1.2, 3.5)


def _two_operands(sign):
    def cases(rng):
        drawn = []
        for group in ("values", "values", "derivatives", "derivatives", "derivatives"):
            drawn.append(operation_case(group, f"a {sign} b", _signed(rng), b=_signed(rng), upstream=_upstream(rng)))
        drawn.append(operation_case("values", f"a {sign} b", 0.0, b=int(rng.randint(2, 50))))
        drawn.append(operation_case("derivatives", f"a {sign} b", 0.0, b=_signed(rng), upstream=_upstream(rng)))
        for k in (int(rng.randint(2, 9)), -int(rng.randint(2, 9)), _signed(rng)):
            drawn.append(operation_case("a plain number", f"a {sign} k", _signed(rng), k=k, upstream=_upstream(rng)))
        return drawn

    return cases


def _topo_sort(rng):
    cases = [Case("diamonds", {"inputs of each node": graph, "root": len(graph) - 1}) for graph in (random_graph(rng, int(n)) for n in rng.randint(7, 40, 6))]
    ladder = [[], [], *[[n - 1, n - 2] for n in range(2, int(rng.randint(8, 12)))]]
    cases.append(Case("diamonds", {"inputs of each node": ladder, "root": len(ladder) - 1}))
    part = random_graph(rng, 23)  # a root in the middle: what is made of it does not belong to the order
    cases.append(Case("diamonds", {"inputs of each node": part, "root": int(rng.randint(12, 20))}))
    twice = [[], [0, 0], *[[n - 1] * int(rng.randint(1, 4)) for n in range(2, 9)]]
    cases.append(Case("a node used twice", {"inputs of each node": twice, "root": len(twice) - 1}))
    chain = [[], *[[n] for n in range(int(rng.randint(20, 60)))]]
    cases.append(Case("chains and trees", {"inputs of each node": chain, "root": len(chain) - 1}))
    return [*cases, Case("deep graph", {"length of the chain": int(rng.randint(15_000, 25_000))})]


def _tree(rng, n_leaves):
    """A program in which every leaf and every result is used once."""
    leaves, steps, open_ = [_signed(rng, 0.5, 1.6) for _ in range(n_leaves)], [], list(range(n_leaves))
    while len(open_) > 1:
        left, right = (open_.pop(int(rng.randint(len(open_)))) for _ in range(2))
        steps.append([str(rng.choice(["+", "*"])), left, right])
        open_.append(n_leaves + len(steps) - 1)
    return leaves, steps


def _dag(rng, n_leaves, n_steps):
    """A program in which results are used again, some of them twice in one operation; the last uses what is left over."""
    leaves, steps = [_signed(rng, 0.5, 1.4) for _ in range(n_leaves)], []
    for count in range(n_leaves, n_leaves + n_steps):
        near = count - 1 - int(min(count - 1, rng.geometric(0.5) - 1))
        steps.append([str(rng.choice(["+", "*"])), near, near if rng.rand() < 0.2 else int(rng.randint(count))])
    used = {place for _, left, right in steps for place in (left, right)}
    for place in range(n_leaves + n_steps - 1):
        if place not in used:
            steps.append(["+", n_leaves + len(steps) - 1, place])
    return leaves, steps


def _backward(rng):
    cases = []
    for n in (3, 5, 7):
        cases.append(program_case("trees", *_tree(rng, n)))
        cases.append(program_case("values used more than once", *_dag(rng, 2, n)))
        cases.append(program_case("values in between", *_dag(rng, 3, n)))
    deep = {"length of the chain": int(rng.randint(15_000, 25_000)), "a": _signed(rng), "c": round(float(rng.uniform(1e-4, 1e-3)), 6), "k": _upstream(rng)}
    return [*cases, Case("deep graph", deep)]


def _accumulate(rng):
    cases = [
        program_case("added to itself", [_signed(rng)], [["+", 0, 0], ["+", 1, 0]]),
        program_case("added to itself", [_signed(rng), _signed(rng)], [["+", 0, 0], ["*", 2, 1]]),
        program_case("multiplied by itself", [_signed(rng)], [["*", 0, 0]]),
        program_case("multiplied by itself", [_signed(rng)], [["*", 0, 0], ["*", 1, 1]]),
    ]
    return cases + [program_case("used in two places", *_dag(rng, 2, n)) for n in (2, 4, 6)]


def _value_ops(rng):
    cases = [operation_case("powers", "a ** k", _signed(rng), k=k, upstream=_upstream(rng)) for k in (2, 3, -1, -3, 5)]
    cases += [operation_case("powers", "a ** k", round(float(rng.uniform(0.5, 3)), 3), k=k, upstream=_upstream(rng)) for k in (1.5, -0.5, 2.0)]
    cases += [operation_case("exp", "a.exp()", _signed(rng, 0.2, 2.5), upstream=_upstream(rng)) for _ in range(4)]
    for group, texts in {
        "division": ("a / b", "a / b", "a / k"),
        "subtraction and negation": ("a - b", "a - b", "a - k", "-a"),
        "a number on the left": ("k + a", "k * a", "k - a", "k - a", "k / a", "k / a"),
    }.items():
        for text in texts:
            operands = {"b": _signed(rng)} if "b" in text else {"k": int(rng.randint(2, 9))} if "k" in text else {}
            cases.append(operation_case(group, text, _signed(rng), **operands, upstream=_upstream(rng)))
    return cases


def _value_tanh(rng):
    cases = [operation_case(group, "a.tanh()", _signed(rng, 0.1, 2.0), upstream=_upstream(rng)) for group in ("values", "derivatives") for _ in range(3)]
    return cases + [operation_case("large values", "a.tanh()", _signed(rng, 400.0, 5000.0), upstream=_upstream(rng)) for _ in range(3)]


def _value_relu(rng):
    cases = [operation_case("values", "a.relu()", _signed(rng)) for _ in range(4)]
    cases += [operation_case("derivatives", "a.relu()", sign * round(float(rng.uniform(0.1, 9)), 3), upstream=_upstream(rng)) for sign in (1, -1, 1, -1)]
    cases.append(operation_case("derivatives", "a.relu()", round(float(rng.uniform(0.01, 0.1)), 3), upstream=_upstream(rng)))
    return [*cases, operation_case("at zero", "a.relu()", 0.0, upstream=_upstream(rng))]


def _tanh_from_parts(rng):
    return [Case(group, {"x": _signed(rng, 0.1, 3.0), "upstream": _upstream(rng)}) for group in ("values", "gradients") for _ in range(4)]


def _torch_neuron(rng):
    sizes = [("output", 2), ("output", 3), ("other sizes", 1), ("other sizes", int(rng.randint(4, 12)))]
    return [Case(group, {"x": tidy(rng.uniform(-1, 1, n)), "w": tidy(rng.uniform(-1, 1, n)), "b": _signed(rng, 0.1, 0.6)}) for group, n in sizes]


def _legendre(rng):
    shapes = [("values", (5,)), ("gradients", (7,)), ("gradients", (11,)), ("shapes", (2, 3, 5)), ("shapes", (1, 1)), ("shapes", (0,)), ("shapes", ())]
    return [legendre_case(group, np.round(rng.uniform(-3, 3, shape), 3), np.round(rng.standard_normal(shape), 3)) for group, shape in shapes]


def _neuron(rng):
    cases = [Case("parameters", {"made with": [int(n), "tanh"]}) for n in rng.randint(2, 30, 2)]
    cases += [network_case("values", rng, [n, "tanh"], as_values=n == 7) for n in (1, 4, 7)]
    cases += [network_case("gradients", rng, [n, "tanh"], as_values=n == 3) for n in (1, 3, 5)]
    return cases + [network_case("relu and linear", rng, [int(rng.randint(2, 6)), act]) for act in ("relu", "relu", "relu", "linear", "linear")]


def _layer(rng):
    cases = [Case("parameters", {"made with": [int(rng.randint(1, 9)), int(rng.randint(2, 9)), "tanh"]}) for _ in range(3)]
    for group in ("values", "gradients"):
        for act in ("tanh", "relu", "linear"):
            cases.append(network_case(group, rng, [int(rng.randint(1, 5)), int(rng.randint(2, 4)), act], as_values=bool(rng.rand() < 0.4)))
    return cases


def _mlp(rng):
    def sizes():
        return [*(int(n) for n in rng.randint(2, 4, rng.randint(1, 3))), int(rng.randint(1, 3))]

    cases = [Case("parameters", {"made with": [int(rng.randint(2, 6)), [int(n) for n in rng.randint(2, 9, 3)], "relu"]}) for _ in range(2)]
    same = int(rng.randint(2, 6))  # layers of one size, which must be different layers all the same
    cases.append(Case("parameters", {"made with": [same, [same, same, 1], "tanh"]}))
    cases.append(network_case("values", rng, [int(rng.randint(2, 5)), [int(rng.randint(2, 4))], "tanh"]))
    cases.append(network_case("values", rng, [int(rng.randint(2, 4)), [1, int(rng.randint(2, 4))], "relu"]))
    for group in ("values", "gradients"):
        for act in ("tanh", "relu", "tanh"):
            cases.append(network_case(group, rng, [int(rng.randint(2, 4)), sizes(), act], as_values=bool(rng.rand() < 0.4)))
    return cases


CASES = {
    "m02-value-add": _two_operands("+"),
    "m02-value-mul": _two_operands("*"),
    "m02-topo-sort": _topo_sort,
    "m02-backward": _backward,
    "m02-accumulate": _accumulate,
    "m02-value-ops": _value_ops,
    "m02-value-tanh": _value_tanh,
    "m02-value-relu": _value_relu,
    "m02-tanh-from-parts": _tanh_from_parts,
    "m02-torch-neuron": _torch_neuron,
    "m02-legendre-function": _legendre,
    "m02-neuron": _neuron,
    "m02-layer": _layer,
    "m02-mlp": _mlp,
    "m02-squared-loss": lambda rng: [
        loss_case(group, rng, n) for group, n in (("values", 3), ("values", 11), ("one example", 1), ("gradients", 2), ("gradients", 5))
    ],
    "m02-train-loop": lambda rng: [
        train_case(group, rng, n, steps, round(float(rng.uniform(0.002, 0.02)), 4))
        for group, n, steps in (("one step", 2, 1), ("one step", 7, 1), ("several steps", 3, 5), ("several steps", 5, 2), ("losses", 3, 3))
    ],
    "m02-moons-loss": lambda rng: [
        moons_loss_case(group, rng, n, m, alpha)
        for group, n, m, alpha in (
            ("default alpha", 5, 3, None),
            ("values", 7, 2, 0.05),
            ("values", 1, 5, 0.2),
            ("gradients", 3, 7, 0.03),
            ("gradients", 13, 1, 0.4),
        )
    ],
    "m02-moons-train": lambda rng: [
        moons_train_case(group, rng, n, steps, size)
        for group, n, steps, size in (("one step", 5, 1, 2), ("several steps", 7, 3, 3), ("several steps", 13, 5, 5), ("losses", 5, 3, 2))
    ],
}
