"""Hidden cases of m02. The truth is measured by the judge; what is drawn here are other numbers, graphs and sizes."""

from zerohero.exercise import Case
from zerohero.exercises import m02_engine as engine
from zerohero.exercises import m02_graph as graph
from zerohero.exercises.kinds import tidy
from zerohero.exercises.m02_network import network_case
from zerohero.exercises.m02_torch import designed_legendre
from zerohero.exercises.m02_training import loss_case, moons_loss_case, moons_train_case, train_case
from zerohero.gradcheck.arguments import signed


def _deep(rng):
    return int(rng.randint(15_000, 25_000))


def _torch_neuron(rng):
    sizes = [("output", 2), ("output", 3), ("other sizes", 1), ("other sizes", int(rng.randint(4, 12)))]
    return [Case(group, {"x": tidy(rng.uniform(-1, 1, n)), "w": tidy(rng.uniform(-1, 1, n)), "b": signed(rng, 0.1, 0.6)}) for group, n in sizes]


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
    "m02-value-add": engine.two_operands("+"),
    "m02-value-mul": engine.two_operands("*"),
    "m02-topo-sort": lambda rng: graph.designed_graphs(rng, _deep(rng)),
    "m02-backward": lambda rng: graph.designed_programs(rng, _deep(rng)),
    "m02-accumulate": graph.designed_uses,
    "m02-value-ops": engine.other_operations,
    "m02-value-tanh": engine.tanh_operation,
    "m02-value-relu": engine.relu_operation,
    "m02-tanh-from-parts": engine.tanh_of_parts,
    "m02-torch-neuron": _torch_neuron,
    "m02-legendre-function": designed_legendre,
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
