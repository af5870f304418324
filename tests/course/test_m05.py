"""m05: its acceptance figures, right answers in other styles, and what bad answers are told."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

from zerohero.exercise import conclude, examine, find, load, run_probe
from zerohero.exercises.m05_network import loss_and_gradients, loss_of, start
from zerohero.exercises.m05_training import floor_of
from zerohero.exercises.m05_windows import windows
from zerohero.gradcheck import numerical_gradient
from zerohero_autograder.build import source_notebook
from zerohero_autograder.hidden import hidden_cases

MODULE = "m05_mlp"
LESSON = Path(__file__).parents[2] / "course" / MODULE / f"{MODULE}.py"
_, QUESTIONS = load(MODULE)


def report(exercise_id, answer):
    """What grading says: visible and hidden cases."""
    exercise = find(exercise_id)
    cases = exercise.visible_cases() + hidden_cases(MODULE, exercise_id, "secret")
    return conclude(exercise, cases, [run_probe(exercise, answer, case.inputs) for case in cases])


# ---------------------------------------------------------------- figures


@pytest.mark.parametrize(
    "figure",
    [
        r"23,928 train, 2,991 dev, 2,991 test names",
        r"171,850 train, 21,528 dev, 21,386 test windows",
        r"windows of 1: dev loss 2\.453, never seen 0\.0%",
        r"windows of 3: dev loss 2\.117, never seen 0\.6%",
        r"windows of 6: dev loss 2\.526, never seen 18\.0%",
        r"windows of 3: 11,897 parameters 2\.1\d\d, table 2\.117",
        r"windows of 6: 17,897 parameters 2\.(08|09|10|11|12)\d, table 2\.526",
        r"reshaped +shape \(1000, 30\) +strides \(240, 8\) +same memory: True",
        r"concatenated shape \(1000, 30\) +strides \(240, 8\) +same memory: False",
        r"gradients of all five arrays agree with the measured slopes: True",
        r"11,897 parameters",
        r"loss at the start 3\.(29|30)\d\d; an even guess has 3\.2958",
        r"agree as far as it went: True",
        r"15,000 steps: train 2\.1\d\d, dev 2\.1\d\d",
        r"  1 hidden: .*: underfits",
        r" 10 hidden: .*: good",
        r"300 hidden: .*: overfits",
        r"as many rows as yours: True",
        r"after 1,000 steps: train 0\.0\d\d, dev 0\.0\d\d\nverdict: leak",
        r"the rows are yours: False",
    ],
)
def test_the_figures_of_the_lesson(lesson, figure):
    assert re.search(figure, lesson[0])


def test_the_dev_loss_is_what_the_lesson_promises(lesson):
    assert lesson[1]["dev_loss"] < 2.20 and lesson[1]["train_loss"] < lesson[1]["dev_loss"]


def test_the_repair_of_the_planted_bug_gives_the_rows_of_build_dataset(lesson):
    source = LESSON.read_text(encoding="utf-8")
    fast = source[source.index("def build_dataset_fast") : source.index("X_fast, Y_fast =")]
    names = {"np": np}
    exec(fast.replace("stretches[:, 1:], stretches[:, -1]", "stretches[:, :-1], stretches[:, -1]"), names)
    for made, own in zip(names["build_dataset_fast"](lesson[1]["train_names"], 3), (lesson[1]["X"], lesson[1]["Y"]), strict=True):
        assert np.array_equal(made, own)
    assert not np.array_equal(lesson[1]["X_fast"], lesson[1]["X"])


def test_no_name_is_in_two_parts(lesson):
    parts = [set(lesson[1][f"{part}_names"]) for part in ("train", "dev", "test")]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 29910


def test_the_predictions_agree_with_the_lesson(lesson):
    space = lesson[1]
    assert QUESTIONS["m05-predict-table"].answer == 27**3
    assert QUESTIONS["m05-predict-guess"].answer == pytest.approx(np.log(27))
    e = np.array([[5], [5], [5], [1]])
    assert space["embed_backward"](np.full((4, 1), 0.5), np.zeros((27, 1)), e)[5, 0] == QUESTIONS["m05-predict-repeated"].answer
    sizes = [sum(p.size for p in space["init_mlp"](27, context, 10, 200, np.random.RandomState(0))) for context in (3, 4)]
    assert sizes[0] == 11897 and sizes[1] - sizes[0] == QUESTIONS["m05-predict-longer"].answer
    dC = np.zeros((9, 1))
    dC[np.array([5, 5, 5, 5])] += 0.25
    assert dC[5, 0] == QUESTIONS["m05-predict-once"].answer


# ---------------------------------------------------------------- the judge's own network


def test_the_gradients_handed_to_answers_are_those_measured():
    rng = np.random.RandomState(0)
    parameters = start(rng, 7, 3, 2, 5, spread=20.0)
    X, Y = rng.randint(7, size=(6, 3)), rng.randint(7, size=6)
    loss, slopes = loss_and_gradients(parameters, X, Y)
    assert loss == pytest.approx(loss_of(parameters, X, Y), abs=1e-12)
    for place, slope in enumerate(slopes):

        def moved(*numbers, place=place):
            array = np.reshape(numbers, parameters[place].shape)
            return loss_of([*parameters[:place], array, *parameters[place + 1 :]], X, Y)

        assert np.ravel(slope) == pytest.approx(np.ravel(numerical_gradient(moved, np.ravel(parameters[place]).tolist())), abs=1e-7)


def test_windows_by_hand():
    X, Y = windows(["ab", "c"], 2)
    assert X.tolist() == [[0, 0], [0, 1], [1, 2], [0, 0], [0, 3]] and Y.tolist() == [1, 2, 0, 3, 0]


def test_the_lowest_loss_by_hand():
    """Four times one window, followed by 1, 1, 2 and 3; one other window: -(2 ln 1/2 + 2 ln 1/4) / 5."""
    X, Y = np.array([[7], [7], [7], [7], [8]]), np.array([1, 1, 2, 3, 9])
    assert floor_of(X, Y) == pytest.approx((2 * np.log(2) + 2 * np.log(4)) / 5)


# ---------------------------------------------------------------- right answers of other styles


def as_lists(names, context):
    text = [("." * context + name + ".") for name in names]
    X = [[".abcdefghijklmnopqrstuvwxyz".index(c) for c in one[k : k + context]] for one in text for k in range(len(one) - context)]
    return X, [".abcdefghijklmnopqrstuvwxyz".index(one[k + context]) for one in text for k in range(len(one) - context)]


def as_int32(names, context):
    return tuple(np.array(one, dtype=np.int32) for one in as_lists(names, context))


def lookup_by_loops(C, X):
    return [[float(number) for letter in row for number in C[letter]] for row in X]


def lookup_not_contiguous(C, X):
    return np.asfortranarray(np.concatenate([C[X[:, t]] for t in range(X.shape[1])], axis=1))


def scatter_by_loops(dout, C, X):
    dC, width = np.zeros(C.shape), C.shape[1]
    for n in range(len(X)):
        for t in range(X.shape[1]):
            for d in range(width):
                dC[X[n, t], d] += dout[n, t * width + d]
    return dC


def scatter_by_product(dout, C, X):
    ones = np.eye(len(C))[X.ravel()]
    return ones.T @ dout.reshape(len(ones), -1)


def scatter_in_float32(dout, C, X):
    return scatter_by_loops(dout, C, X).astype(np.float32)


def forward_by_loops(parameters, X, Y):
    C, W1, b1, W2, b2 = parameters
    logits, loss = [], 0.0
    for row, y in zip(X, Y, strict=True):
        hidden = np.tanh(np.concatenate([C[k] for k in row]) @ W1 + b1)
        out = hidden @ W2 + b2
        logits.append(out.tolist())
        loss += np.log(np.sum(np.exp(out - out.max()))) + out.max() - out[y]
    return logits, loss / len(Y)


def start_with_a_last_layer_of_zeros(vocab, context, width, hidden, rng):
    return (rng.randn(vocab, width), 0.2 * rng.randn(context * width, hidden), np.zeros(hidden), np.zeros((hidden, vocab)), np.zeros(vocab))


def uneven_start(vocab, context, width, hidden, rng):
    """As torch has it: evenly between two ends, biases too."""
    ends = (context * width) ** -0.5
    C, W1, b1 = rng.randn(vocab, width), rng.uniform(-ends, ends, (context * width, hidden)), rng.uniform(-ends, ends, hidden)
    return [C, W1, b1, rng.uniform(-0.02, 0.02, (hidden, vocab)), rng.uniform(-0.02, 0.02, vocab)]


def heart_with_many_short_steps(gradients, parameters, X, Y):
    now = list(parameters)
    for _ in range(3000):
        now = [p - 0.3 * g for p, g in zip(now, gradients(now, X, Y)[1], strict=True)]
    return now


def heart_of_another_size(gradients, parameters, X, Y):
    rng = np.random.RandomState(0)
    now = [rng.randn(27, 4), 0.3 * rng.randn(12, 80), np.zeros(80), np.zeros((80, 27)), np.zeros(27)]
    for _ in range(600):
        now = [p - g for p, g in zip(now, gradients(now, X, Y)[1], strict=True)]
    return tuple(now)


def heart_with_momentum(gradients, parameters, X, Y):
    now, speed = [p.astype(np.float32) for p in parameters], [0.0] * 5
    for _ in range(400):
        speed = [0.9 * s - 0.1 * g for s, g in zip(speed, gradients(now, X, Y)[1], strict=True)]
        now = [p + s for p, s in zip(now, speed, strict=True)]
    return now


def range_as_lists(gradients, parameters, batches, low, high):
    factor = (high / low) ** (1 / (len(batches) - 1))
    now, rate, rates, losses = list(parameters), low, [], []
    for X, Y in batches:
        loss, slopes = gradients(now, X, Y)
        now = [p - rate * g for p, g in zip(now, slopes, strict=True)]
        rates.append(rate)
        losses.append(loss)
        rate *= factor
    return rates, losses


def train_in_epochs(gradients, parameters, X, Y, steps, rng):
    """Through the data in random order, again and again, with batches of 100 and a constant rate."""
    now, done = list(parameters), 0
    while done < steps:
        order = rng.permutation(len(X))
        for at in range(0, len(order) - 100, 100):
            if done == steps:
                break
            rows = order[at : at + 100]
            now = [p - 0.4 * g for p, g in zip(now, gradients(now, X[rows], Y[rows])[1], strict=True)]
            done += 1
    return now


def train_row_by_row(gradients, parameters, X, Y, steps, rng):
    """The gradients of a batch, added up row by row: slow and right."""
    now = [p.copy() for p in parameters]
    for k in range(steps):
        total = [np.zeros(p.shape) for p in now]
        for row in rng.randint(len(X), size=16):
            for t, g in zip(total, gradients(now, X[row : row + 1], Y[row : row + 1])[1], strict=True):
                t += g / 16
        for p, t in zip(now, total, strict=True):
            p -= 0.5 * (1 - k / steps) * t
    return now


def train_in_float32(gradients, parameters, X, Y, steps, rng):
    now = [p.astype(np.float32) for p in parameters]
    for k in range(steps):
        rows = rng.randint(len(X), size=32)
        for p, g in zip(now, gradients(now, X[rows], Y[rows])[1], strict=True):
            p -= (0.6 if k < 0.6 * steps else 0.1) * g
    return now


def gap_in_another_order_of_tests(train, dev, start, target):
    end, low = dev[-1], min(dev)
    if 2 * end < target:
        return "leak"
    if start - train[-1] < 0.1:
        return "not learning"
    fits = end - train[-1] <= 0.2 and end - low <= 0.05
    return ("good" if end <= target else "underfits") if fits else "overfits"


def search_then_sort(loss, ranges, tries, dice):
    tried = []
    for _ in range(tries):
        settings = {key: float(np.exp(np.log(pair[0]) + dice.uniform() * np.log(pair[1] / pair[0]))) for key, pair in ranges.items()}
        tried.append((loss(settings), settings))
    value, best = min(tried, key=lambda pair: pair[0])
    return best, value


def search_with_numpy(loss, ranges, tries, dice):
    """Not from the dice, but as random as can be."""
    rng = np.random.RandomState(int(1e6 * dice.uniform()))
    tried = [{key: 10 ** rng.uniform(np.log10(low), np.log10(high)) for key, (low, high) in ranges.items()} for _ in range(tries)]
    losses = [loss(one) for one in tried]
    return [tried[int(np.argmin(losses))], min(losses)]


def sample_with_arrays(probabilities, context, count, dice):
    made = []
    for _ in range(count):
        numbers = [0] * context
        while len(numbers) < context + 30:
            number = dice.choice(list(probabilities(np.array([numbers[-context:]]))))
            if not number:
                break
            numbers.append(number)
        made.append("".join(chr(96 + k) for k in numbers[context:]))
    return made


RIGHT = [
    ("m05-build-dataset", as_lists),
    ("m05-build-dataset", as_int32),
    ("m05-embed-forward", lookup_by_loops),
    ("m05-embed-forward", lookup_not_contiguous),
    ("m05-embed-backward", scatter_by_loops),
    ("m05-embed-backward", scatter_by_product),
    ("m05-embed-backward", scatter_in_float32),
    ("m05-mlp-forward", forward_by_loops),
    ("m05-init-loss", start_with_a_last_layer_of_zeros),
    ("m05-init-loss", uneven_start),
    ("m05-overfit-batch", heart_with_many_short_steps),
    ("m05-overfit-batch", heart_of_another_size),
    ("m05-overfit-batch", heart_with_momentum),
    ("m05-lr-finder", range_as_lists),
    ("m05-train-mlp", train_in_epochs),
    ("m05-train-mlp", train_row_by_row),
    ("m05-train-mlp", train_in_float32),
    ("m05-gap-reading", gap_in_another_order_of_tests),
    ("m05-random-search", search_then_sort),
    ("m05-random-search", search_with_numpy),
    ("m05-sample-names", sample_with_arrays),
]


@pytest.mark.parametrize("exercise_id, answer", RIGHT, ids=[answer.__name__ for _, answer in RIGHT])
def test_right_answers_of_other_styles_pass(exercise_id, answer):
    got = report(exercise_id, answer)
    assert got.passed, got.findings


# ---------------------------------------------------------------- bad input: a clear word for each


def changed(exercise_id, change):
    """The lesson's answer, with ``change`` applied to what it returns."""

    def make(space):
        answer = space[ANSWERS[exercise_id]]
        return lambda *arguments: change(answer(*arguments))

    return make


ANSWERS = {
    "m05-build-dataset": "build_dataset",
    "m05-embed-forward": "embed_forward",
    "m05-embed-backward": "embed_backward",
    "m05-mlp-forward": "mlp_forward",
    "m05-init-loss": "init_mlp",
    "m05-overfit-batch": "overfit_batch",
    "m05-lr-finder": "lr_finder",
    "m05-train-mlp": "train_mlp",
    "m05-gap-reading": "read_gap",
    "m05-random-search": "random_search",
    "m05-sample-names": "sample_names",
}


def in_place(name):
    """The lesson's answer, which then writes into its array argument number ``name``."""

    def make(exercise_id):
        def answer_of(space):
            answer = space[ANSWERS[exercise_id]]

            def spoiling(*arguments):
                result = answer(*arguments)
                target = arguments[name]
                target = target[0] if isinstance(target, list) else target
                if isinstance(target, dict):
                    target.clear()
                elif isinstance(target, np.ndarray):
                    target[...] = 0
                return result

            return spoiling

        return answer_of

    return make


BAD = [
    *((exercise_id, changed(exercise_id, lambda result: None), r"None came back|nothing came back|returned None") for exercise_id in ANSWERS),
    *((exercise_id, changed(exercise_id, lambda result: 7), r"result|verdict|names|gradient|parameters|no array|wrong kind|wrong shape") for exercise_id in ANSWERS),
    ("m05-build-dataset", changed("m05-build-dataset", lambda result: result[0]), r"result"),
    ("m05-build-dataset", changed("m05-build-dataset", lambda result: (result[0], result[1][:-1])), r"`Y` has the wrong shape"),
    ("m05-build-dataset", changed("m05-build-dataset", lambda result: (result[0].astype(float), result[1])), r"`X` holds floats"),
    ("m05-build-dataset", changed("m05-build-dataset", lambda result: (result[0].T, result[1])), r"`X` (has the wrong shape|is wrong)"),
    ("m05-embed-forward", changed("m05-embed-forward", lambda result: result.ravel()), r"right values in the wrong shape"),
    ("m05-embed-forward", in_place(0)("m05-embed-forward"), r"`C` was changed"),
    ("m05-embed-backward", in_place(0)("m05-embed-backward"), r"`dout` was changed"),
    ("m05-mlp-forward", changed("m05-mlp-forward", lambda result: result[::-1]), r"`logits` (is of the wrong kind|has the wrong shape)"),
    ("m05-mlp-forward", changed("m05-mlp-forward", lambda result: result[1]), r"result"),
    ("m05-mlp-forward", in_place(0)("m05-mlp-forward"), r"`parameters` was changed"),
    ("m05-init-loss", changed("m05-init-loss", lambda result: result[:4]), r"not the list of the five parameters"),
    ("m05-init-loss", changed("m05-init-loss", lambda result: [p.T for p in result]), r"wrong shape"),
    ("m05-init-loss", changed("m05-init-loss", lambda result: [p * np.nan for p in result]), r"not finite"),
    ("m05-init-loss", changed("m05-init-loss", lambda result: [p + 1j for p in result]), r"no array of numbers"),
    ("m05-overfit-batch", changed("m05-overfit-batch", lambda result: result[0]), r"not the list of the five parameters"),
    ("m05-overfit-batch", changed("m05-overfit-batch", lambda result: [p * 1e200 for p in result]), r"not finite"),
    ("m05-overfit-batch", in_place(1)("m05-overfit-batch"), r"`parameters` was changed"),
    ("m05-lr-finder", changed("m05-lr-finder", lambda result: result[1]), r"result"),
    ("m05-lr-finder", changed("m05-lr-finder", lambda result: (result[1], result[0])), r"`rates`"),
    ("m05-lr-finder", in_place(1)("m05-lr-finder"), r"`parameters` was changed"),
    ("m05-train-mlp", in_place(2)("m05-train-mlp"), r"`X` was changed"),
    ("m05-gap-reading", changed("m05-gap-reading", str.upper), r"`verdict` is wrong"),
    ("m05-random-search", changed("m05-random-search", lambda result: result[::-1]), r"not \(settings, loss\)"),
    ("m05-random-search", changed("m05-random-search", lambda result: (result[0], 0.0)), r"loss is not that of the best settings"),
    ("m05-random-search", in_place(1)("m05-random-search"), r"`ranges` was changed"),
    ("m05-sample-names", changed("m05-sample-names", lambda result: " ".join(result)), r"`names`"),
    ("m05-sample-names", changed("m05-sample-names", lambda result: result[:-1]), r"`names` has the wrong number"),
]  # fmt: skip


@pytest.mark.parametrize("exercise_id, make, said", BAD, ids=[f"{row[0][4:]}-{place}" for place, row in enumerate(BAD)])
def test_a_bad_answer_is_told_what_is_wrong(lesson, exercise_id, make, said):
    got = examine(find(exercise_id), make(lesson[1]))
    assert got.status == "failed" and re.search(said, got.findings[0].what), got.findings[0]
    assert "not what" not in got.findings[0].what or exercise_id in ("m05-random-search", "m05-sample-names")


@pytest.mark.parametrize("exercise_id", ANSWERS)
def test_printing_does_no_harm(lesson, exercise_id):
    def printing(*arguments):
        print(*map(str, arguments))
        return lesson[1][ANSWERS[exercise_id]](*arguments)

    with contextlib.redirect_stdout(io.StringIO()):
        assert examine(find(exercise_id), printing).passed


def test_numbers_that_do_not_come_from_rng_are_told(lesson):
    def own(vocab, context, width, hidden, rng):
        return lesson[1]["init_mlp"](vocab, context, width, hidden, np.random.RandomState())

    assert examine(find("m05-init-loss"), own).findings[-1].mistake == "STATE_LEAK"


def test_no_training_at_all_and_training_elsewhere_do_not_pass(lesson):
    """Parameters that come back untouched, and the lesson's own, which were trained on the right letters, as hidden cases have other letters."""
    assert report("m05-train-mlp", lambda gradients, parameters, *rest: [p.copy() for p in parameters]).score == 0
    elsewhere = [p.astype(float) for p in lesson[1]["trained"]]
    got = report("m05-train-mlp", lambda gradients, parameters, *rest: elsewhere)
    assert got.score == 0


@pytest.mark.parametrize("exercise_id", ["m05-overfit-batch", "m05-train-mlp"])
def test_a_training_that_is_only_too_slow_is_given_no_name(exercise_id):
    def slow(gradients, parameters, X, Y, steps=20, rng=None):
        rng = rng or np.random.RandomState(0)
        now = list(parameters)
        for _ in range(20):
            rows = rng.randint(len(X), size=16)
            now = [p - 1e-3 * g for p, g in zip(now, gradients(now, X[rows], Y[rows])[1], strict=True)]
        return now

    got = examine(find(exercise_id), slow)
    assert got.score == 0 and {finding.mistake for finding in got.findings} == {""}
