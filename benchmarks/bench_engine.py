"""The lesson's reference engine against a closure-based one: MLP(2, [16, 16, 1]) on 100 points, forward and backward.

    python benchmarks/bench_engine.py [LESSON.py]

Same weights, points and max-margin loss with L2; gradients must agree to 1e-9. Rounds are interleaved; CPU time; medians.
With the collector on, reference cycles cost the closure engine most of its time, so both cases are measured.
"""

import gc
import random
import sys
from pathlib import Path

import closure_engine
from reference import cpu_ms, lesson_file, median, print_machine, run_lesson, verdict

POINTS = 100
ROUNDS = 7
SIZES = (2, [16, 16, 1])
BAR = {"off": 3.0, "on": 8.0}


def moons(rng):
    """POINTS points on two interleaved half circles and their labels -1 and 1, as [(x, y), ...] and [int, ...]."""
    import math

    points, labels = [], []
    for i in range(POINTS):
        angle, label = math.pi * rng.random(), 1 if i % 2 else -1
        x, y = (1 - math.cos(angle), 0.5 - math.sin(angle)) if label > 0 else (math.cos(angle), math.sin(angle))
        points.append((x + rng.gauss(0, 0.1), y + rng.gauss(0, 0.1)))
        labels.append(label)
    return points, labels


def step(model, value, points, labels):
    """One forward and backward pass, written once for both engines. Returns the loss; gradients are left on the model."""
    for p in model.parameters():
        p.grad = 0.0
    scores = [model([value(x) for x in point]) for point in points]
    losses = [(1 + -label * score).relu() for label, score in zip(labels, scores, strict=True)]
    loss = sum(losses) * (1.0 / len(losses)) + 1e-4 * sum(p * p for p in model.parameters())
    loss.backward()
    return loss


class NodeForNode:
    """The network of ``model`` written out in + and * as the closure engine has it, whatever the lesson's neuron does."""

    def __init__(self, model):
        self.parameters = model.parameters
        waiting, (n_in, widths) = iter(model.parameters()), SIZES
        self.layers = []
        for width in widths:
            self.layers.append([([next(waiting) for _ in range(n_in)], next(waiting)) for _ in range(width)])
            n_in = width

    def __call__(self, x):
        for layer in self.layers:
            x = [sum((wi * xi for wi, xi in zip(w, x, strict=True)), b) for w, b in layer]
            x = [one.relu() for one in x] if layer is not self.layers[-1] else x
        return x[0]


def count(loss):
    """How many nodes the graph has."""
    seen, stack = {id(loss)}, [loss]
    while stack:
        for one in stack.pop()._prev:
            if id(one) not in seen:
                seen.add(id(one))
                stack.append(one)
    return len(seen)


def main():
    print_machine()
    sys.setrecursionlimit(10_000)  # the closure engine's backward() recurses as deep as the graph
    names = run_lesson(Path(sys.argv[1]) if len(sys.argv) > 1 else lesson_file("m02_micrograd"), until="MLP")
    random.seed(1337)
    ours, theirs = names["MLP"](*SIZES, "relu"), closure_engine.MLP(*SIZES)
    for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
        p.data = q.data
    engines = {"closures": (theirs, closure_engine.Scalar), "lesson": (ours, names["Value"]), "node for node": (NodeForNode(ours), names["Value"])}
    points, labels = moons(random.Random(0))

    results = {}
    for name, engine in engines.items():
        loss = step(*engine, points, labels)
        results[name] = [loss.data, *(p.grad for p in engine[0].parameters())]
        print(f"{name:<14} {count(loss):7,} nodes, {len(results[name]) - 1} parameters, loss {loss.data:.6f}")
        del loss
    worst = max(abs(a - b) for name in results for a, b in zip(results["closures"], results[name], strict=True))
    print(f"largest difference of a gradient or the loss {worst:.1e}")
    if not worst <= 1e-9:
        sys.exit("the engines disagree: nothing to compare")

    for collector in ("off", "on"):
        times = {name: [] for name in engines}
        for _ in range(ROUNDS):
            for name, engine in engines.items():
                gc.collect()
                gc.enable() if collector == "on" else gc.disable()
                ms, _loss = cpu_ms(lambda engine=engine: step(*engine, points, labels))
                gc.enable()
                del _loss
                times[name].append(ms)
        base = median(times["closures"])
        print(f"collector {collector:<4} closures {base:7.1f} ms")
        for name in ("lesson", "node for node"):
            ratio = base / median(times[name])
            bar = "   " + verdict(ratio, BAR[collector], "x", at_least=True) if name == "lesson" else ""
            print(f"    {name:<14} {median(times[name]):7.1f} ms   ratio {ratio:5.1f}x{bar}")


if __name__ == "__main__":
    main()
