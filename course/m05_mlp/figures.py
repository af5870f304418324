"""Acceptance figures of m05; `make figures` prints them. Training figures are bands over three starts; the long run takes five minutes more, with LONG set."""

import os
import time

import numpy as np
from reference import lesson_file, run_lesson

from zerohero.exercises.m05_training import floor_of

SEEDS = (1, 2, 3)
LONG = bool(os.environ.get("ZEROHERO_LONG"))


def figures():
    lesson = run_lesson(lesson_file("m05_mlp"))
    sets = {name: (lesson[x], lesson[y]) for name, x, y in (("train", "X", "Y"), ("dev", "X_dev", "Y_dev"), ("test", "X_test", "Y_test"))}
    for name, count, rows in (("train", 23928, 171850), ("dev", 2991, 21528), ("test", 2991, 21386)):
        yield f"{name} names", len(lesson[f"{name}_names"]), count, count
        yield f"{name} windows of 3", len(sets[name][0]), rows, rows
    for letters, loss in ((1, 2.4533), (2, 2.2330), (3, 2.1168), (4, 2.1826), (5, 2.3720)):
        yield f"dev loss of counting windows of {letters}, counts + 0.1", round(lesson["count_loss"][letters - 1], 4), loss, loss
    yield "windows of 6 of the dev names that no train name has", round(lesson["unseen"][-1], 4), 0.18, 0.18
    starts = [lesson["init_mlp"](27, 3, 10, 200, np.random.RandomState(seed)) for seed in SEEDS]
    yield "parameters", sum(p.size for p in starts[0]), 11897, 11897
    losses = [lesson["mlp_forward"](start, *sets["dev"])[1] for start in starts]
    yield "seeds 1 to 3: loss at the start, furthest from ln 27 = 3.2958", max(losses, key=lambda loss: abs(loss - np.log(27))), 3.2458, 3.3458
    batch = tuple(array[lesson["batch"]] for array in sets["train"])
    yield "a batch of 32 by heart: loss above the lowest there can be", lesson["after"] - floor_of(*batch), 0, 0.1
    yield "range test: low end of the region", lesson["low"], 0.04, 0.2
    yield "range test: high end of the region", lesson["high"], 0.3, 1.0
    yield "leaky windows: dev loss after 1,000 steps", lesson["dev_fast"], 0, 0.1
    yield from trained(lesson, starts, sets, lesson["STEPS"], 2.14, 2.20)
    wide = [longer(lesson, seed) for seed in SEEDS]
    yield "windows of 6, seeds 1 to 3: lowest dev loss", min(wide), 2.08, 2.13
    yield "windows of 6, seeds 1 to 3: highest dev loss", max(wide), 2.08, 2.13
    if LONG:
        yield from trained(lesson, starts, sets, 100_000, 2.12, 2.17)


def trained(lesson, starts, sets, steps, low, high):
    """Dev loss of the lesson's own training, from three starts."""
    began, ends = time.process_time(), []
    for seed, start in zip(SEEDS, starts, strict=True):
        single = [p.astype(np.float32) for p in start]
        ends.append(lesson["train_mlp"](lesson["gradients"], single, *sets["train"], steps, np.random.RandomState(seed + 10)))
    spent = (time.process_time() - began) / len(SEEDS)
    dev = [lesson["mlp_forward"](end, *sets["dev"])[1] for end in ends]
    yield f"{steps:,} steps, seeds 1 to 3: lowest dev loss", min(dev), low, high
    yield f"{steps:,} steps, seeds 1 to 3: highest dev loss", max(dev), low, high
    yield f"{steps:,} steps: CPU seconds each", spent, 0, 60 if steps < 100_000 else 400
    vowels = [names_beside(end[0], lesson) for end in ends]
    yield f"{steps:,} steps: of e, i, o, u, those with a vowel or y as nearest row, fewest", min(vowels), 2, 4


def longer(lesson, seed):
    """Dev loss with windows of 6."""
    start = [p.astype(np.float32) for p in lesson["init_mlp"](27, 6, 10, 200, np.random.RandomState(seed))]
    rng = np.random.RandomState(seed + 10)
    end = lesson["train_mlp"](lesson["gradients"], start, lesson["X_longer"], lesson["Y_longer"], lesson["STEPS"], rng)
    return lesson["mlp_forward"](end, lesson["X_longer_dev"], lesson["Y_longer_dev"])[1]


def names_beside(C, lesson):
    """How many of e, i, o and u have a vowel or y as the nearest row of C."""
    C = np.asarray(C, dtype=np.float64)
    distance = np.sqrt(((C[:, None] - C[None, :]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    return sum(lesson["letter_of"](distance[lesson["number_of"](letter)].argmin()) in "aeiouy" for letter in "eiou")
