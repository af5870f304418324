"""Acceptance figures of m03; `make figures` prints them. Training figures are bands over five seeds."""

import time

import numpy as np
from reference import lesson_file, run_lesson

from zerohero.exercises import m03_digits
from zerohero.gradcheck import gradcheck

SEEDS = (1, 2, 3, 4, 5)


def figures():
    lesson = run_lesson(lesson_file("m03_layers"))
    yield from layers(lesson)
    yield from digits(lesson)
    yield from leaks(lesson)


def layers(lesson):
    """Exact: gradients against measured slopes, and large logits."""
    loss, gradient = lesson["softmax_ce_forward"], lesson["softmax_ce_backward"]
    yield "loss at logits 1000 and 0, label 1", loss(np.array([[1000.0, 0.0]]), np.array([1])), 1000, 1000
    yield "its largest gradient", np.abs(gradient(1.0, np.array([[1000.0, 0.0]]), np.array([1]))).max(), 1, 1
    rng = np.random.RandomState(0)
    for rows, wrong in ((1, 0), (5, 1)):  # the planted bug hides in a batch of one
        inputs = [rng.randn(rows, 3), rng.randn(3, 4), rng.randn(4)]
        report = gradcheck(lesson["affine_forward"], lesson["borrowed_affine_backward"], inputs)
        yield f"borrowed backward pass, rows {rows}: gradients found wrong", len(report.findings), wrong, wrong


def digits(lesson):
    """The network on digits, from its loss at the start to images it has not seen."""
    train, test = (lesson["X_train"], lesson["y_train"]), (lesson["X_test"], lesson["y_test"])
    starts = [lesson["two_layer_loss"](lesson["init_parameters"](64, 32, 10, seed), *train)[0] for seed in SEEDS]
    yield "seeds 1 to 5: lowest loss at the start (ln 10 = 2.303)", min(starts), 2.25, 2.6
    yield "seeds 1 to 5: highest loss at the start", max(starts), 2.25, 2.6
    yield "ten images by heart: loss", lesson["by_heart"][-1], 0, 0.01
    began = time.process_time()
    trained = [lesson["train_digits"](*train, seed) for seed in SEEDS]
    seconds = (time.process_time() - began) / len(SEEDS)
    shares = [lesson["accuracy"](parameters, *test) for parameters in trained]
    yield "seeds 1 to 5: lowest test accuracy", min(shares), 0.95, 1
    yield "seeds 1 to 5: highest test accuracy", max(shares), 0.95, 1
    yield "processor seconds of one training", seconds, 0, 30
    yield "with the borrowed backward pass: test accuracy", lesson["accuracy"](lesson["with_borrowed"], *test), 0.95, 1
    unseen = []
    for seed in SEEDS:
        case = m03_digits.training_cases(np.random.RandomState(seed))[0].inputs
        (images, labels), new = m03_digits.split(case)
        unseen.append(lesson["accuracy"](lesson["train_digits"](images, labels, case["seed"]), *new))
    yield "600 images learnt, the other 1,197 asked: lowest accuracy of five", min(unseen), 0.94, 1


def leaks(lesson):
    """Where gradients get lost, and how exact one must be; training figures are bands over three seeds."""
    yield "weights of size 1: share of saturated sigmoids", lesson["shares"][0], 0.94, 0.95
    x, dout = np.random.RandomState(1).randn(50, 4, 32), np.random.RandomState(2).randn(4, 32)
    for radius, low, high in ((0.5, 0.47, 0.52), (1.0, 0.95, 1.05), (1.5, 1.42, 1.55)):
        norms = np.sqrt((lesson["rnn_backward"](dout, x, lesson["with_radius"](radius))[0] ** 2).sum(axis=(1, 2)))
        yield f"spectral radius {radius}: growth of the gradient per step", (norms[0] / norms[-1]) ** (1 / 49), low, high
    slope_of, targets = lesson["slope_of"], lesson["targets"]
    for kind, low, high in (("square", 7.39, 7.41), ("clip", 0, 0), ("huber", 4.4, 4.5), ("root", 4.4, 4.5)):
        w = 0.0
        for _ in range(60):
            w -= 0.2 * slope_of(w - targets, kind).mean()
        yield f"one number near 20 targets, {kind}: ends at", w, low, high
    (shortened,), norm = lesson["clip_by_norm"]([np.full(4, 1e200)], 5.0)
    yield "four gradients of 1e200: norm, over 1e200", norm / 1e200, 2, 2
    yield "their norm when clipped to 5", np.sqrt(np.sum(shortened**2)), 5, 5
    for rate, low, high in ((0.3, 0, 0.1), (3.0, 0.7, 1), (10.0, 0.85, 1)):
        dead = [lesson["dead_while_training"](rate, seed)[0][-1] for seed in range(3)]
        yield f"rate {rate}, seeds 0 to 2: lowest share of dead units after 40 steps", min(dead), low, high
        yield f"rate {rate}, seeds 0 to 2: highest share", max(dead), low, high
    for name, change in lesson["changes"].items():
        ends = [lesson["train_with"](change, 0.01 if name == "sign" else 0.5, seed)[-1] / 100 for seed in range(3)]
        low, high = (0, 0.9) if name == "same flips" else (0.93, 1)
        yield f"gradient {name}, seeds 0 to 2: lowest test accuracy", min(ends), low, high
        yield f"gradient {name}, seeds 0 to 2: highest test accuracy", max(ends), low, high
