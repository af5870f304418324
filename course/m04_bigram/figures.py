"""Acceptance figures of m04; `make figures` prints them. Exact to the digits given, but for what gradient descent has not reached yet."""

import math

import numpy as np
from reference import lesson_file, run_lesson


def figures():
    lesson = run_lesson(lesson_file("m04_bigram"))
    names, index, counts = lesson["names"], lesson["index"], lesson["counts"]
    nll, smooth, trigram_nll = lesson["nll"], lesson["smooth"], lesson["trigram_nll"]
    yield "names", len(names), 29910, 29910
    yield "bigrams", int(counts.sum()), 214764, 214764
    yield "NLL, all symbols alike", round(nll(lesson["uniform"], counts), 4), 3.2958, 3.2958
    yield "NLL, unigrams", round(nll(lesson["unigram"], counts), 4), 2.8191, 2.8191
    yield "NLL, bigrams", round(nll(lesson["P"], counts), 4), 2.4541, 2.4541
    yield "NLL, bigrams, counts + 1", round(nll(smooth(counts, 1), counts), 4), 2.4547, 2.4547
    yield "NLL of the planted bug, less that of the right table", abs(nll(lesson["wrong_P"], counts) - nll(lesson["P"], counts)), 0, 1e-12
    for pad, k, expected in [("..", 0, 2.1899), ("..", 1, 2.2179), (".", 0, 2.0685), (".", 1, 2.1011)]:
        yield f'NLL, trigrams, "{pad}" in front, counts + {k}', round(trigram_nll(names, names, index, k, pad), 4), expected, expected
    yield "split: train, dev and test names", "/".join(str(len(lesson[part])) for part in ("train", "dev", "test")) == "23928/2991/2991", 1, 1

    P_all = lesson["P_all"]
    yield "net on all names, less counts", nll(P_all, counts) - nll(lesson["P"], counts), 0, 0.01
    runs = [trained(lesson, seed) for seed in (1, 2, 3)]
    yield "net: loss at the start less ln 27", lesson["on_train"][0] - math.log(27), -1e-9, 1e-9
    yield "net on 1,500 names, less counts, least of seeds 1, 2, 3", min(run[0] for run in runs), 0, 0.01
    yield "net on 1,500 names, less counts, largest", max(run[0] for run in runs), 0, 0.01
    yield "net on 1,500 names, dev, least", min(run[1] for run in runs), 2.45, 2.49
    yield "net on 1,500 names, dev, largest", max(run[1] for run in runs), 2.45, 2.49
    yield "net on 1,500 names less counts + 1, both on dev, largest", max(run[3] for run in runs), -0.02, 0
    yield "trigrams, best k on dev, test, least", min(run[2] for run in runs), 2.21, 2.25
    yield "trigrams, best k on dev, test, largest", max(run[2] for run in runs), 2.21, 2.25


def trained(lesson, seed):
    """(train less counts, dev, trigrams on test, dev less counts + 1) of the lesson's training on another split of the names; the seed is that of the dice."""
    index = lesson["index"]
    train, dev, test = lesson["split"](lesson["names"], lesson["Dice"](seed))
    some = train[:1500]
    counts = lesson["count_bigrams"](some, index)
    W = lesson["train_net"](np.zeros((27, 27)), *lesson["make_pairs"](some, index), steps=300, rate=50.0)
    P = lesson["onehot_forward"](W, np.arange(27))
    best = min(lesson["ks"], key=lambda k: lesson["trigram_nll"](train, dev, index, k))
    seen = counts.sum(axis=1, keepdims=True) > 0
    floor = lesson["nll"](np.where(seen, counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), 1 / 27), counts)
    dev_counts = lesson["count_bigrams"](dev, index)
    on_dev = lesson["nll"](P, dev_counts)
    smoothed = lesson["nll"](lesson["smooth"](counts, 1), dev_counts)
    return lesson["nll"](P, counts) - floor, on_dev, lesson["trigram_nll"](train, test, index, best), on_dev - smoothed
