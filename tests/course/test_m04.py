"""m04: its acceptance figures, answers of every style that must pass, answers of bad form that must cost a clear sentence."""

import contextlib
import io
import math
import re
from collections import Counter
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest

from zerohero import data
from zerohero.dice import Dice
from zerohero.exercise import conclude, examine, find, load, run_probe
from zerohero.exercises.m04_net import cost, descend, log_softmax
from zerohero_autograder.build import source_notebook
from zerohero_autograder.hidden import hidden_cases

MODULE = "m04_bigram"
LESSON = Path(__file__).parents[2] / "course" / MODULE / f"{MODULE}.py"
EXERCISES, QUESTIONS = load(MODULE)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # log(0), 0 / 0 in answers that may do so


# ---------------------------------------------------------------- figures


@pytest.mark.parametrize(
    "figure",
    [
        r"29910 names, 29910 different, sorted: True",
        r"26 letters; shortest 2, longest 15",
        r"longest: +christopherjame",
        r"three alike: +willliam",
        r"no real names\? baby infant unknown",
        r"214764 bigrams; most frequent: a\. 6606, n\. 6072, an 5090, \.a 4212, e\. 3729",
        r"105 of the 729 cells are 0",
        r"all symbols alike: +3\.2958",
        r"as frequent as they are, anywhere: +2\.8191",
        r"shape \(27, 27\), numbers from 0\.00 to 0\.83, NLL 2\.4541",  # with the planted bug
        r"row of '\.' sums to 6\.91",
        r"ValueError: the probabilities sum to 6\.91244; they must sum to 1",
        r"NLL of the wrong table 2\.4540892902\nNLL of your table      2\.4540892902",
        r"k =  0: NLL 2\.4541 ",
        r"k =  1: NLL 2\.4547 ",
        r"pad \.\.  k = 0: NLL 2\.1899\npad \.\.  k = 1: NLL 2\.2179\npad \.   k = 0: NLL 2\.0685\npad \.   k = 1: NLL 2\.1011",
        r"train 23928, dev 2991, test 2991 names",
        r"in two parts: 0",
        r"loss at the start 3\.2958, ln 27 = 3\.2958",
        r"your table: ma nikorin arretaielva dalin",  # our own generator: the same on every machine
    ],
)
def test_the_figures_of_the_lesson(lesson, figure):
    assert re.search(figure, lesson[0])


def test_bigram_figures_to_a_ten_thousandth_counted_in_another_way():
    pairs = Counter(pairwise("." + ".".join(data.names()) + "."))
    firsts = Counter()
    for (first, _), times in pairs.items():
        firsts[first] += times
    total = sum(pairs.values())

    def score(k):
        return sum(n * math.log((firsts[a] + 27 * k) / (n + k)) for (a, _), n in pairs.items()) / total

    assert total == 214_764
    assert score(0) == pytest.approx(2.4541, abs=1e-4)
    assert score(1) == pytest.approx(2.4547, abs=1e-4)


def test_the_lessons_functions_give_these_figures(lesson):
    names, index, nll, smooth = (lesson[1][name] for name in ("names", "index", "nll", "smooth"))
    counts = lesson[1]["count_bigrams"](names, index)
    assert nll(smooth(counts, 0), counts) == pytest.approx(2.4541, abs=1e-4)
    assert nll(smooth(counts, 1), counts) == pytest.approx(2.4547, abs=1e-4)
    assert lesson[1]["trigram_nll"](names, names, index, 0) == pytest.approx(2.1899, abs=1e-4)
    assert lesson[1]["trigram_nll"](names, names, index, 1) == pytest.approx(2.2179, abs=1e-4)


def test_counts_and_the_net_meet(lesson):
    train = re.search(r"train: net 3\.2958 -> (\S+), counts (\S+)\n", lesson[0])
    every = re.search(r"all names: counts (\S+), net (\S+), ", lesson[0])
    assert 0 <= float(train[1]) - float(train[2]) <= 0.01
    assert 0 <= float(every[2]) - float(every[1]) <= 0.01


def test_the_planted_bug_has_the_very_same_score(lesson):
    """Because a symbol is left as often as it is entered: the wrong table is that of the names read backwards."""
    P, wrong, counts, nll = (lesson[1][name] for name in ("P", "wrong_P", "counts", "nll"))
    assert (counts.sum(0) == counts.sum(1)).all()
    np.testing.assert_allclose(wrong.T, lesson[1]["normalise"](lesson[1]["count_bigrams"]([name[::-1] for name in lesson[1]["names"]], lesson[1]["index"])))
    assert nll(wrong, counts) == pytest.approx(nll(P, counts), abs=1e-12) and not np.allclose(wrong, P)


def test_the_predictions_agree_with_what_is_measured(lesson):
    space = lesson[1]
    assert QUESTIONS["m04-predict-uniform"].answer == pytest.approx(space["nll"](np.full((27, 27), 1 / 27), space["counts"]))
    row = space["smooth"](np.array([[3, 1, 0, 0]]), 1)[0]
    assert QUESTIONS["m04-predict-plus-one"].answer == row[2]
    assert QUESTIONS["m04-predict-plus-half"].answer == space["smooth"](np.array([[5, 1, 0, 0]]), 0.5)[0, 2]
    two = space["count_bigrams"](["ab", "ac"], {".": 0, "a": 1, "b": 2, "c": 3})
    assert QUESTIONS["m04-predict-by-heart"].answer == pytest.approx(space["nll"](space["normalise"](two), two))
    C = np.arange(1.0, 10).reshape(3, 3)
    assert QUESTIONS["m04-predict-axis"].answer == "s[2]" and (C / C.sum(axis=1))[0, 2] == C[0, 2] / C.sum(axis=1)[2]
    with pytest.raises(ValueError):
        np.ones((3, 5)) - np.ones((3, 5)).mean(axis=1)


def test_the_examples_in_the_docstrings(lesson):
    space = lesson[1]
    chars, index = space["build_vocab"](["emma", "ava"])
    assert chars == [".", "a", "e", "m", "v"] and index["m"] == 3
    ava = space["count_bigrams"](["ava"], index)
    assert ava.sum() == 4 and all(ava[index[pair[0]], index[pair[1]]] == 1 for pair in (".a", "av", "va", "a."))
    assert space["nll"](np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([[2, 2], [1, 3]])) == pytest.approx(0.628, abs=5e-4)
    assert space["normalise"](np.array([[1, 3], [2, 2]])).tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert space["sample_name"](np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]), [".", "a", "b"], Dice(1)) == "ab"
    assert space["smooth"](np.array([[0, 1, 3]]), 1)[0] == pytest.approx([1 / 7, 2 / 7, 4 / 7])
    assert space["trigram_nll"](["emma", "ava"], ["emma", "ava"], index, 1) == pytest.approx(1.133, abs=5e-4)
    assert [len(part) for part in space["split"](list("abcdefghijklmnopqrstuvwxyzäöü"), Dice(1))] == [23, 3, 3]
    W = np.array([[0.0, 0], [1, 0], [0, 2]])
    assert space["onehot_forward"](W, np.array([0, 2])).ravel() == pytest.approx([0.5, 0.5, 0.119, 0.881], abs=5e-4)
    assert space["onehot_backward"](1.0, np.zeros((1, 2)), np.array([0]), np.array([0])).tolist() == [[-0.5, 0.5]]
    moved = space["train_net"](np.zeros((27, 27)), np.array([0]), np.array([1]), 1, 27.0)
    assert moved[0] == pytest.approx([-1, 26, *[-1] * 25]) and not moved[1:].any()


# ---------------------------------------------------------------- unusual, and right


def joined_pairs(names, index):
    text = [index[symbol] for symbol in f".{'.'.join(names)}."]
    counts = np.zeros((len(index), len(index)))
    np.add.at(counts, (text[:-1], text[1:]), 1)
    return counts


def one_bincount(names, index):
    text = np.array([index[symbol] for symbol in f".{'.'.join(names)}."])
    V = len(index)
    return np.bincount(text[:-1] * V + text[1:], minlength=V * V).reshape(V, V)


def nll_by_cells(P, counts):
    total = 0.0
    for i in range(len(P)):
        for j in range(len(P[0])):
            if counts[i][j]:
                total -= counts[i][j] * (math.log(P[i][j]) if P[i][j] else -math.inf)
    return total / counts.sum()


def nll_with_nan_sum(P, counts):
    return np.nansum(counts * -np.log(P)) / counts.sum()


def rows_by_loop(counts, k=0):
    return np.array([[(n + k) / (sum(row) + k * len(row)) for n in row] for row in counts])


def name_by_search(P, chars, dice):
    ladders, place, name = np.cumsum(P, axis=1), 0, ""
    while True:
        place = int(np.searchsorted(ladders[place], dice.uniform(), side="right"))
        if place == 0:
            return name
        name += chars[place]


def name_by_walking(P, chars, dice):
    name, row = "", P[0]
    while True:
        u = dice.uniform()
        j = next(j for j, total in enumerate(accumulate(row)) if u < total)
        if j == 0:
            return name
        name, row = name + chars[j], P[j]


def trigrams_in_a_cube(names, scored, index, k, pad=".."):
    V = len(index)

    def cube(some):
        T = np.zeros((V, V, V))
        for name in some:
            for a, b, c in zip(*(([index[s] for s in pad + name + "."])[i:] for i in range(3)), strict=False):
                T[a, b, c] += 1
        return T

    T, asked = cube(names) + k, cube(scored)
    P = T / T.sum(2, keepdims=True)
    return float(-(asked[asked > 0] * np.log(P[asked > 0])).sum() / asked.sum())


def trigrams_in_dicts(names, scored, index, k, pad=".."):
    seen = {}
    for name in names:
        text = pad + name + "."
        for i in range(2, len(text)):
            row = seen.setdefault(text[i - 2 : i], {})
            row[text[i]] = row.get(text[i], 0) + 1
    costs = []
    for name in scored:
        text = pad + name + "."
        for i in range(2, len(text)):
            row = seen.get(text[i - 2 : i], {})
            costs.append(-math.log((row.get(text[i], 0) + k) / (sum(row.values()) + k * len(index))))
    return sum(costs) / len(costs)


def split_by_keys(names, dice):
    keys = {name: dice.uniform() for name in names}
    order = sorted(names, key=keys.get)
    n = len(names)
    return [order[: 8 * n // 10], order[8 * n // 10 : 9 * n // 10], order[9 * n // 10 :]]


def split_with_floats(names, dice):
    order, n = dice.shuffled(names), len(names)
    return order[: int(0.8 * n)], order[int(0.8 * n) : int(0.9 * n)], order[int(0.9 * n) :]


def forward_with_eye(W, xs):
    logits = np.eye(W.shape[0])[xs] @ W
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def forward_by_loops(W, xs):
    rows = []
    for x in xs:
        top = max(W[x])
        e = [math.exp(w - top) for w in W[x]]
        rows.append([one / sum(e) for one in e])
    return np.array(rows)


def backward_with_eye(dout, W, xs, ys):
    d = forward_with_eye(W, xs) - np.eye(W.shape[1])[ys]
    return np.eye(W.shape[0])[xs].T @ d * dout / len(ys)


def backward_by_loops(dout, W, xs, ys):
    dW = np.zeros(W.shape)
    for x, y, probs in zip(xs, ys, forward_by_loops(W, xs), strict=True):
        for j, p in enumerate(probs):
            dW[x, j] += dout * (p - (j == y)) / len(ys)
    return dW


def backward_from_counts(dout, W, xs, ys):
    C = np.zeros_like(W)
    np.add.at(C, (xs, ys), 1)
    return dout * (C.sum(1, keepdims=True) * forward_with_eye(W, np.arange(len(W))) - C) / len(xs)


def trained_with(backward, dtype=np.float64):
    def train(W, xs, ys, steps, rate, decay=0.0):
        W = W.astype(dtype)
        for _ in range(steps):
            W = (W - rate * (backward(1.0, W, xs, ys) + 2 * decay * W)).astype(dtype)
        return W

    return train


def trained_with_a_shift(W, xs, ys, steps, rate, decay=0.0):
    """Other weights that say the same: softmax does not see a number that is added to a whole row."""
    return trained_with(backward_with_eye)(W, xs, ys, steps, rate, decay) + np.arange(27)[:, None]


def chatty(W, xs, ys, steps, rate, decay=0.0):
    print("training", steps)
    return trained_with(backward_from_counts)(W, xs, ys, steps, rate, decay)


RIGHT = [
    ("vocab", lambda names: (tuple([".", *sorted({c for name in names for c in name})]), {c: i for i, c in enumerate([".", *sorted(set("".join(names)))])})),
    ("vocab", lambda names: [[".", *sorted(set("".join(names)))], dict(reversed([(c, i) for i, c in enumerate([".", *sorted(set("".join(names)))])]))]),
    ("count-bigrams", joined_pairs),
    ("count-bigrams", one_bincount),
    ("nll", nll_by_cells),
    ("nll", nll_with_nan_sum),
    ("normalise", lambda counts: (counts.T / counts.sum(1)).T),  # not contiguous
    ("normalise", lambda counts: counts / counts.sum(1).reshape(-1, 1)),
    ("normalise", lambda counts: np.einsum("ij,i->ij", counts, 1 / counts.sum(1))),
    ("normalise", rows_by_loop),
    ("sample", name_by_search),
    ("sample", name_by_walking),
    ("sample", lambda P, chars, dice: "".join(list(iter(walker(P, chars, dice), "")))),
    ("smooth", rows_by_loop),
    ("smooth", lambda counts, k: ((counts + k).T / (counts + k).sum(1)).T),
    ("trigram-nll", trigrams_in_a_cube),
    ("trigram-nll", trigrams_in_dicts),
    ("split", split_by_keys),
    ("split", split_with_floats),
    ("onehot-forward", forward_with_eye),
    ("onehot-forward", forward_by_loops),
    ("onehot-forward", lambda W, xs: np.exp(log_softmax(W))[xs]),
    ("onehot-backward", backward_with_eye),
    ("onehot-backward", backward_by_loops),
    ("onehot-backward", backward_from_counts),
    ("onehot-backward", lambda dout, W, xs, ys: [backward_with_eye(dout, W, xs, ys), None, None]),
    ("onehot-backward", lambda dout, W, xs, ys: backward_with_eye(dout, W, xs, ys).astype(np.float32)),
    ("train-net", trained_with(backward_with_eye)),
    ("train-net", trained_with(backward_by_loops)),
    ("train-net", trained_with(backward_from_counts, np.float32)),
    ("train-net", trained_with_a_shift),
    ("train-net", chatty),
]


def walker(P, chars, dice):
    state = [0]

    def step():
        state[0] = dice.choice(list(P[state[0]]))
        return chars[state[0]] if state[0] else ""

    return step


@pytest.mark.parametrize("exercise, answer", RIGHT, ids=[f"{e}-{i}" for i, (e, _) in enumerate(RIGHT)])
def test_right_answers_of_other_styles_pass_visible_and_hidden_cases(exercise, answer):
    found = find(f"m04-{exercise}")
    cases = found.visible_cases() + hidden_cases(MODULE, found.id, "style")
    report = conclude(found, cases, [run_probe(found, answer, case.inputs) for case in cases])
    assert report.passed, report


def test_every_exercise_has_right_answers_of_other_styles():
    assert {f"m04-{exercise}" for exercise, _ in RIGHT} == set(EXERCISES)


# ---------------------------------------------------------------- of bad form


def stays_silent(*arguments):
    pass


def fails(*arguments):
    raise KeyError("x")


def in_place_normalise(counts):
    counts[:] = counts // counts.sum(1, keepdims=True)
    return counts


def in_place_names(names, index):
    names.append("zoe"[: len(index) and 1])
    return joined_pairs(names[:-1], index)


def in_place_weights(W, xs):
    W -= W.max(1, keepdims=True)
    return forward_with_eye(W, xs)


def in_place_upstream(dout, W, xs, ys):
    W *= 2
    return backward_with_eye(dout, W / 2, xs, ys)


def in_place_table(P, counts):
    P[counts == 0] = 1
    return nll_by_cells(P, counts)


BAD = [
    *[(exercise[4:], stays_silent, "None", "") for exercise in EXERCISES if exercise != "m04-sample"],
    ("sample", stays_silent, "None came back", ""),
    *[(exercise[4:], fails, "raised KeyError", "") for exercise in EXERCISES],
    ("vocab", lambda names: [".", *sorted(set("".join(names)))], "wrong number of values", ""),
    ("vocab", lambda names: ("." + "".join(sorted(set("".join(names)))), {}), "of the wrong kind", ""),
    ("count-bigrams", lambda names, index: joined_pairs(names, index).tolist(), "a list, not an array", ""),
    ("count-bigrams", lambda names, index: joined_pairs(names, index)[1:], "wrong shape", ""),
    ("count-bigrams", lambda names, index: joined_pairs(names, index).ravel(), "right values in the wrong shape", "SHAPE"),
    ("count-bigrams", lambda names, index: Counter(pairwise(".".join(names))), "of the wrong kind", ""),
    ("count-bigrams", in_place_names, "`names` was changed", "MUTATES"),
    ("nll", lambda P, counts: np.array([nll_by_cells(P, counts)]), "wrong shape", "SHAPE"),
    ("nll", lambda P, counts: str(nll_by_cells(P, counts)), "of the wrong kind", ""),
    ("nll", lambda P, counts: float(np.float32(nll_by_cells(P, counts))), "is wrong", ""),
    ("nll", in_place_table, "`P` was changed", "MUTATES"),
    ("normalise", lambda counts: rows_by_loop(counts).tolist(), "a list, not an array", ""),
    ("normalise", lambda counts: rows_by_loop(counts).astype(np.float32), "float32, not float64", "DTYPE"),
    ("normalise", lambda counts: counts // counts.sum(1, keepdims=True), "int64, not float64", "DTYPE"),
    ("normalise", lambda counts: rows_by_loop(counts)[:, :1], "wrong shape", ""),
    ("normalise", in_place_normalise, "`counts` was changed", "MUTATES"),
    ("sample", lambda P, chars, dice: list(name_by_search(P, chars, dice)), "is wrong", ""),
    ("sample", lambda P, chars, dice: 3, "is wrong", ""),
    ("sample", lambda P, chars, dice: chars[1] * np.random.randint(1, 90), "another answer", "STATE_LEAK"),
    ("smooth", lambda counts, k: rows_by_loop(counts, k).tolist(), "a list, not an array", ""),
    ("smooth", lambda counts, k: rows_by_loop(counts, k).astype(np.float32), "float32, not float64", "DTYPE"),
    ("smooth", lambda counts, k: rows_by_loop(counts, k).T.ravel(), "wrong shape", ""),
    ("trigram-nll", lambda *arguments: [trigrams_in_dicts(*arguments)], "of the wrong kind", ""),
    ("trigram-nll", lambda names, scored, index, k, pad="..": names.clear() or 1.0, "`names` was changed", "MUTATES"),
    ("split", lambda names, dice: split_by_keys(names, dice)[:2], "not three lists", ""),
    ("split", lambda names, dice: [name for part in split_by_keys(names, dice) for name in part], "not three lists", ""),
    ("split", lambda names, dice: [np.array(part) for part in split_by_keys(names, dice)], "not three lists", ""),
    ("split", lambda names, dice: split_by_keys([names[i] for i in np.random.permutation(len(names))], dice), "another answer", "STATE_LEAK"),
    ("split", lambda names, dice: split_by_keys(names, Dice(1)), "other dice give the same parts", ""),
    ("split", lambda names, dice: (names[:1], names[1:2], names[2:]), "sizes of the parts are wrong", ""),
    ("onehot-forward", lambda W, xs: forward_with_eye(W, xs).tolist(), "a list, not an array", ""),
    ("onehot-forward", lambda W, xs: forward_with_eye(W, xs).astype(np.float32), "float32, not float64", "DTYPE"),
    ("onehot-forward", lambda W, xs: forward_with_eye(W, xs)[0], "wrong shape", ""),
    ("onehot-forward", in_place_weights, "`W` was changed", "MUTATES"),
    ("onehot-backward", lambda dout, W, xs, ys: backward_with_eye(dout, W, xs, ys)[xs], "wrong shape", ""),
    ("onehot-backward", lambda dout, W, xs, ys: backward_with_eye(dout, W, xs, ys).astype(int), "not of a float dtype", "DTYPE"),
    ("onehot-backward", in_place_upstream, "changed", "MUTATES"),
    ("train-net", lambda W, xs, ys, steps, rate, decay: [0.1] * steps, "not an array of weights", ""),
    ("train-net", lambda W, xs, ys, steps, rate, decay: W[:5], "wrong shape", ""),
    ("train-net", lambda W, xs, ys, steps, rate, decay: W * np.nan, "not finite", ""),
    ("train-net", lambda W, xs, ys, steps, rate, decay: W + np.random.rand(27, 27), "another answer", "STATE_LEAK"),
    ("train-net", lambda W, xs, ys, steps, rate, decay: W, "off on pairs that the check holds back", ""),
    ("train-net", lambda W, xs, ys, steps, rate, decay: np.log(joined(xs, ys) + 1.0), "off on pairs that the check holds back", ""),  # counted, not trained
]


def joined(xs, ys):
    C = np.zeros((27, 27))
    np.add.at(C, (xs, ys), 1)
    return C


@pytest.mark.parametrize("exercise, answer, said, mistake", BAD, ids=[f"{row[0]}-{i}" for i, row in enumerate(BAD)])
def test_a_bad_form_costs_a_clear_sentence(exercise, answer, said, mistake):
    report = examine(find(f"m04-{exercise}"), answer)
    assert report.status == "failed"
    assert said in str(report)
    assert not mistake or mistake in {finding.mistake for finding in report.findings}


def test_a_recursive_walk_is_right_until_a_name_is_long():
    def walk(P, chars, dice, place=0):
        place = dice.choice(P[place])
        return chars[place] + walk(P, chars, dice, place) if place else ""

    report = examine(find("m04-sample"), walk)
    assert {g.name for g in report.groups if g.passed} >= {"names"}


# ---------------------------------------------------------------- a judge that cannot be pleased by another thing


def test_training_is_judged_on_pairs_that_the_answer_does_not_get():
    exercise = find("m04-train-net")
    for case in exercise.visible_cases():
        assert set(case.inputs) == {"W", "xs", "ys", "steps", "rate", "decay"} and set(case.truth) == {"xs", "ys"}
        start, end = (cost(W, case.truth["xs"], case.truth["ys"]) for W in (case.inputs["W"], descend(case.inputs)))
        assert end < start - 0.02  # there is something to be learnt


def test_each_slip_in_training_moves_the_score_far_beyond_the_tolerance():
    for case in find("m04-train-net").visible_cases():
        right = cost(descend(case.inputs), case.truth["xs"], case.truth["ys"])
        slips = ["uphill", "sum", "one step less"] + (["no decay", "half decay"] if case.group == "decay" else [])
        assert all(abs(cost(descend(case.inputs, slip), case.truth["xs"], case.truth["ys"]) - right) > 1e-3 for slip in slips)


def test_gradient_descent_on_counts_is_that_on_pairs():
    case = find("m04-train-net").visible_cases()[3]
    np.testing.assert_allclose(descend(case.inputs), trained_with(backward_by_loops)(*case.inputs.values()), atol=1e-12)


def test_two_slips_at_once_have_no_name():
    def both(W, xs, ys, steps, rate, decay=0.0):
        return trained_with(backward_from_counts)(W, xs, ys, steps - 1, -rate, decay)

    assert {f.mistake for f in examine(find("m04-train-net"), both).findings} == {""}
