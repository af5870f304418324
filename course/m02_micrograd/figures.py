"""Acceptance figures of m02; `make figures` prints them. Exact to the digits given, but for the training."""

import random

import numpy as np
from reference import lesson_file, run_lesson


def figures():
    lesson = run_lesson(lesson_file("m02_micrograd"))
    Value, MLP = lesson["Value"], lesson["MLP"]
    for what, name, expected in [("g", "g", 24.7041), ("gradient of a", "a", 138.8338), ("gradient of b", "b", 645.5773)]:
        value = lesson[name].data if name == "g" else lesson[name].grad
        yield f"long expression: {what}", round(value, 4), expected, expected
    yield "second expression: out", lesson["out"].data, -20, -20
    yield "second expression: gradient of x", lesson["x"].grad, 46, 46

    a = Value(3.0)
    (a + a).backward()
    yield "a + a: gradient of a", a.grad, 2, 2
    a, b = Value(-2.0), Value(3.0)
    ((a * b) * (a + b)).backward()
    yield "a*b*(a + b): gradient of a", a.grad, -3, -3
    yield "a*b*(a + b): gradient of b", b.grad, -8, -8
    yield "parameters of MLP(3, [4, 4, 1])", len(MLP(3, [4, 4, 1]).parameters()), 41, 41
    yield "parameters of MLP(2, [16, 16, 1])", len(MLP(2, [16, 16, 1]).parameters()), 337, 337

    X, y, X_dev, y_dev = (lesson[name] for name in ("X", "y", "X_dev", "y_dev"))
    shares = {seed: moons(lesson, seed) for seed in (1337, 1, 2)}
    yield "moons, seed 1337: train accuracy", lesson["accuracy"](shares[1337], X, y), 1, 1
    yield "moons, seeds 1337, 1, 2: lowest train accuracy", min(lesson["accuracy"](m, X, y) for m in shares.values()), 0.99, 1
    yield "moons, seeds 1337, 1, 2: lowest dev accuracy", min(lesson["accuracy"](m, X_dev, y_dev) for m in shares.values()), 0.99, 1


def moons(lesson, seed):
    """A network trained as in the lesson, from another random start; the seed also draws the minibatches."""
    random.seed(seed)
    model = lesson["MLP"](2, [16, 16, 1])
    rng = np.random.RandomState(0 if seed == 1337 else seed)  # 0 in the lesson
    batches = [rng.permutation(len(lesson["X"]))[:50] for _ in range(100)]
    lesson["moons_train"](model, lesson["X"], lesson["y"], batches, lesson["moons_loss"])
    return model
