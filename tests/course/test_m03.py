"""m03, layers and digits: acceptance figures, right answers of other styles that must pass, and bad answers that cost a clear message."""

import contextlib
import io
import re
import types
from pathlib import Path

import numpy as np
import pytest

from zerohero.exercise import conclude, find, load, run_probe
from zerohero.exercises.m03_stand_ins import two_layer_loss as fast_two_layer_loss
from zerohero.gradcheck import gradcheck
from zerohero.plaindata import decode, encode
from zerohero_autograder.build import source_notebook
from zerohero_autograder.hidden import hidden_cases

MODULE = "m03_layers"
LESSON = Path(__file__).parents[2] / "course" / MODULE / f"{MODULE}.py"
QUESTIONS = load(MODULE)[1]
LAYERS = [
    "m03-unbroadcast", "m03-affine-forward", "m03-affine-backward", "m03-relu-forward", "m03-relu-backward",
    "m03-sigmoid-forward", "m03-sigmoid-backward", "m03-softmax-ce-forward", "m03-softmax-ce-backward",
]  # fmt: skip
NETWORK = ["m03-two-layer-loss", "m03-train-digits"]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # answers that overflow


@pytest.fixture(scope="module")
def lesson():
    """(text printed by an in-order run up to the place to stop, checks included; the namespace it leaves)."""
    import matplotlib

    matplotlib.use("agg")
    namespace, printed = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in source_notebook(LESSON.read_text(encoding="utf-8"), MODULE)["cells"]:
            if cell["source"].startswith("## 8"):
                break
            if cell["cell_type"] == "code":
                exec(compile(cell["source"], f"<{cell['id']}>", "exec"), namespace)
    return printed.getvalue(), namespace


@pytest.fixture(scope="module")
def reference(lesson):
    """{exercise id: the lesson's own answer}"""
    return {id: lesson[1][id[4:].replace("-", "_")] for id in LAYERS + NETWORK}


def judged(exercise_id, answer, secret="s"):
    """The report on visible and hidden cases, all data crossing as text, as in grading."""
    exercise = find(exercise_id)
    cases = exercise.visible_cases() + hidden_cases(MODULE, exercise_id, secret)
    outputs = [decode(encode(run_probe(exercise, answer, decode(encode(case.inputs))))) for case in cases]
    return conclude(exercise, cases, outputs)


# ---------------------------------------------------------------- figures


@pytest.mark.parametrize(
    "figure",
    [
        r"1,797 images of handwritten digits",
        r"different images: 1797 of 1797",
        r"1437 training images, 360 test images",
        r"\(2, 1\) \* \(3,\) +gradcheck: passed",
        r"seed 3: loss at the start 2\.3\d\d   \(ln 10 = 2\.303\)",
        r"ten images by heart: loss 2\.\d+ -> 0\.00\d\d",
        r"test accuracy with borrowed 9[678]\.\d%",
    ],
)
def test_the_figures_of_the_lesson(lesson, figure):
    assert re.search(figure, lesson[0]), lesson[0]


def test_95_percent_of_unseen_digits_over_three_seeds(lesson):
    given = lesson[1]
    trained = [given["train_digits"](given["X_train"], given["y_train"], seed) for seed in (11, 12, 13)]
    assert min(given["accuracy"](parameters, given["X_test"], given["y_test"]) for parameters in trained) >= 0.95


def test_test_images_are_not_among_the_training_images(lesson):
    train = {image.tobytes() for image in lesson[1]["X_train"]}
    assert len(train) == 1437 and not train & {image.tobytes() for image in lesson[1]["X_test"]}


def test_the_planted_bug_hides_in_one_row_and_shows_in_five(lesson):
    rng = np.random.RandomState(3)
    reports = {
        rows: gradcheck(lesson[1]["affine_forward"], lesson[1]["borrowed_affine_backward"], [rng.randn(rows, 3), rng.randn(3, 4), rng.randn(4)])
        for rows in (1, 5)
    }
    assert reports[1].passed and QUESTIONS["m03-predict-one-row"].answer == 0
    (finding,) = reports[5].findings
    assert finding.mistake == "EXTRA_MEAN" and finding.error_map.of == "db" and all(cell > 0.1 for row in finding.error_map.cells for cell in row)


def test_the_predictions_agree_with_the_functions(lesson):
    given = lesson[1]
    assert given["unbroadcast"](np.ones((3, 4)), (3, 1))[0, 0] == QUESTIONS["m03-predict-stretched"].answer
    assert given["unbroadcast"](np.full((5, 4, 3), 2.0), (5, 1, 3))[0, 0, 0] == QUESTIONS["m03-predict-stretched-again"].answer
    for classes, question in ((10, "m03-predict-ten-classes"), (27, "m03-predict-letters")):
        assert given["softmax_ce_forward"](np.zeros((2, classes)), np.array([0, 1])) == pytest.approx(QUESTIONS[question].answer)
    back = 1.0
    for _ in range(4):
        back = given["sigmoid_backward"](back, np.zeros(()))
    assert back == pytest.approx(QUESTIONS["m03-predict-four-sigmoids"].answer)
    assert given["relu_backward"](np.ones(1), np.array([-0.3]))[0] == QUESTIONS["m03-predict-lost"].answer


# ---------------------------------------------------------------- right answers of other styles


def unbroadcast_by_loops(dout, shape):
    total = np.zeros(shape)
    front = dout.ndim - len(shape)
    for at in np.ndindex(*dout.shape):
        total[tuple(0 if n == 1 else i for i, n in zip(at[front:], shape, strict=True))] += dout[at]
    return total


def affine_by_loops(x, w, b):
    out = np.zeros((*x.shape[:-1], w.shape[1]))
    for at in np.ndindex(*out.shape):
        out[at] = b[at[-1]]
        for d in range(w.shape[0]):
            out[at] += x[at[:-1]][d] * w[d, at[-1]]
    return out


def affine_backward_by_loops(dout, x, w, b):
    dx, dw, db = np.zeros(x.shape), np.zeros(w.shape), np.zeros(b.shape)
    for at in np.ndindex(*dout.shape):
        m = at[-1]
        db[m] += dout[at]
        for d in range(w.shape[0]):
            dx[(*at[:-1], d)] += dout[at] * w[d, m]
            dw[d, m] += dout[at] * x[(*at[:-1], d)]
    return dx, dw, db


def softmax_ce_by_loops(logits, labels):
    total = 0.0
    for row, label in zip(logits.tolist(), labels.tolist(), strict=True):
        largest = max(row)
        total += np.log(sum(np.exp(z - largest) for z in row)) + largest - row[label]
    return total / len(labels)


def softmax_ce_backward_by_loops(dout, logits, labels):
    rows = []
    for row, label in zip(logits.tolist(), labels.tolist(), strict=True):
        powers = [np.exp(z - max(row)) for z in row]
        rows.append([dout * (one / sum(powers) - (c == label)) / len(labels) for c, one in enumerate(powers)])
    return np.array(rows)


def stable(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


RIGHT = [
    ("m03-unbroadcast", unbroadcast_by_loops),
    ("m03-unbroadcast", lambda dout, shape: unbroadcast_by_loops(dout, shape).tolist()),
    ("m03-affine-forward", affine_by_loops),
    ("m03-affine-forward", lambda x, w, b: np.einsum("...d,dm->...m", x, w) + b[None]),
    ("m03-affine-forward", lambda x, w, b: (x @ w + b).tolist()),
    ("m03-affine-forward", lambda x, w, b: np.asfortranarray(x @ w + b)),
    ("m03-affine-backward", affine_backward_by_loops),
    ("m03-affine-backward", lambda dout, x, w, b: list(affine_backward_by_loops(dout, x, w, b))),
    ("m03-affine-backward", lambda dout, x, w, b: [np.float32(g) for g in affine_backward_by_loops(dout, x, w, b)]),
    ("m03-affine-backward", lambda dout, x, w, b: [np.asfortranarray(g) for g in affine_backward_by_loops(dout, x, w, b)]),
    ("m03-relu-forward", lambda x: np.where(x > 0, x, 0)),
    ("m03-relu-forward", lambda x: (np.abs(x) + x) / 2),
    ("m03-relu-forward", lambda x: x * (x > 0)),
    ("m03-relu-backward", lambda dout, x: np.where(x >= 0, dout, 0.0)),
    ("m03-relu-backward", lambda dout, x: dout * (1 + np.sign(x)) / 2),
    ("m03-relu-backward", lambda dout, x: np.float32(dout * (x > 0))),
    ("m03-sigmoid-forward", lambda x: 1 / (1 + np.exp(-x))),  # a warning at -1000, and the right number
    ("m03-sigmoid-forward", lambda x: np.exp(-np.logaddexp(0, -x))),
    ("m03-sigmoid-forward", lambda x: np.reshape([stable(one) for one in x.ravel()], x.shape)),
    ("m03-sigmoid-backward", lambda dout, x: dout * stable(x) * stable(-x)),
    ("m03-sigmoid-backward", lambda dout, x: dout * (1 - np.tanh(x / 2) ** 2) / 4),
    ("m03-softmax-ce-forward", softmax_ce_by_loops),
    ("m03-softmax-ce-forward", lambda logits, labels: np.array(softmax_ce_by_loops(logits, labels))),
    ("m03-softmax-ce-backward", softmax_ce_backward_by_loops),
    ("m03-softmax-ce-backward", lambda dout, logits, labels: (softmax_ce_backward_by_loops(dout, logits, labels), None)),
]


@pytest.mark.parametrize("exercise, answer", RIGHT, ids=[f"{id}-{n}" for n, (id, _) in enumerate(RIGHT)])
def test_right_answers_of_other_styles_pass(exercise, answer):
    report = judged(exercise, answer)
    assert report.passed, report


@pytest.mark.parametrize("exercise", LAYERS + NETWORK)
def test_the_lessons_answers_pass_as_graded_and_may_print(reference, exercise):
    def printing(*arguments):
        print("here I am", arguments[0])
        return reference[exercise](*arguments)

    with contextlib.redirect_stdout(io.StringIO()):
        report = judged(exercise, printing)
    assert report.passed, report


# ---------------------------------------------------------------- bad answers


def changed_result(change):
    def spoil(answer):
        def bad(*arguments):
            result = answer(*arguments)
            return tuple(map(change, result)) if isinstance(result, tuple) else change(result)

        return bad

    return spoil


def no_return(answer):
    def bad(*arguments):
        answer(*arguments)

    return bad


def writes(answer):
    def bad(*arguments):
        result = answer(*arguments)
        first = next(one for one in arguments if isinstance(one, np.ndarray))
        first += 1.0
        return result

    return bad


def forgets(answer):
    kept = []

    def bad(*arguments):
        kept.append(0)
        return changed_result(lambda one: one + len(kept))(answer)(*arguments)

    return bad


BAD = {
    "no return": (no_return, r"None came back|returned None", ""),
    "writes into an argument": (writes, "was changed by the call", "MUTATES"),
    "another answer each time": (forgets, "a second call with the same input", "STATE_LEAK"),
    "an axis too many": (changed_result(lambda one: np.asarray(one)[None]), "shape|number of gradients", ""),
    "text": (changed_result(str), "wrong kind|not an array of numbers|number of gradients", ""),
    "complex": (changed_result(lambda one: one + 0j), "complex|wrong kind|not an array of numbers", ""),
    "nan": (changed_result(lambda one: one * np.nan), "not finite", ""),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("exercise", LAYERS)
def test_bad_answers_cost_a_clear_message(reference, exercise, bad):
    spoil, what, mistake = BAD[bad]
    report = judged(exercise, spoil(reference[exercise]))
    assert report.status == "failed" and report.score == 0
    assert all(re.search(what, finding.what) for finding in report.findings), report
    assert not mistake or {finding.mistake for finding in report.findings} == {mistake}


@pytest.mark.parametrize("exercise", ["m03-affine-forward", "m03-sigmoid-forward"])
def test_an_answer_computed_in_float32_is_told_so(reference, exercise):
    def single(*arguments):
        short = [one.astype(np.float32) if one.dtype.kind == "f" else one for one in arguments]
        return np.asarray(reference[exercise](*short), dtype=np.float32)

    assert "DTYPE" in {finding.mistake for finding in judged(exercise, single).findings}


@pytest.mark.parametrize("exercise", ["m03-affine-backward", "m03-relu-backward", "m03-sigmoid-backward", "m03-softmax-ce-backward"])
def test_integers_as_gradients_are_told_so(reference, exercise):
    report = judged(exercise, changed_result(lambda one: np.round(one).astype(int))(reference[exercise]))
    assert report.score == 0 and {finding.mistake for finding in report.findings} == {"DTYPE"}


def test_a_missing_gradient_is_counted(reference):
    report = judged("m03-affine-backward", lambda *arguments: reference["m03-affine-backward"](*arguments)[:2])
    assert report.findings[0].what == "the number of gradients is wrong" and "dx, dw, db" in report.findings[0].expected


def test_only_the_groups_with_large_numbers_see_what_overflows():
    def unstable(logits, labels):
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        return -np.mean(np.log(p[np.arange(len(labels)), labels]))

    report = judged("m03-softmax-ce-forward", unstable)
    assert [group.name for group in report.groups if not group.passed] == ["large numbers"]


def test_an_affine_layer_for_two_axes_only_fails_with_three_axes_only():
    report = judged("m03-affine-backward", lambda dout, x, w, b: (dout @ w.T, x.T @ dout, dout.sum(0)))
    assert [group.name for group in report.groups if not group.passed] == ["three axes"]


# ---------------------------------------------------------------- the network, judged by itself


def with_globals(answer, **names):
    """The same function, in whose module other functions stand."""
    return types.FunctionType(answer.__code__, {**answer.__globals__, **names}, answer.__name__, answer.__defaults__, answer.__closure__)


def unwritten(*arguments):
    raise NotImplementedError


def in_python(parameters, images, labels):
    """Loss and gradients example by example and number by number."""
    w1, b1, w2, b2 = (parameters[name].tolist() for name in ("w1", "b1", "w2", "b2"))
    gradients = {name: np.zeros(one.shape) for name, one in parameters.items()}
    loss, n = 0.0, len(labels)
    for x, label in zip(images.tolist(), labels.tolist(), strict=True):
        sums = [b1[h] + sum(x[d] * w1[d][h] for d in range(len(x))) for h in range(len(b1))]
        bent = [max(s, 0.0) for s in sums]
        z = [b2[c] + sum(bent[h] * w2[h][c] for h in range(len(bent))) for c in range(len(b2))]
        total = sum(np.exp(one - max(z)) for one in z)
        loss += (np.log(total) + max(z) - z[label]) / n
        dz = [(np.exp(one - max(z)) / total - (c == label)) / n for c, one in enumerate(z)]
        for h in range(len(bent)):
            back = sum(w2[h][c] * dz[c] for c in range(len(dz))) * (sums[h] > 0)
            gradients["w2"][h] += bent[h] * np.array(dz)
            gradients["b1"][h] += back
            for d in range(len(x)):
                gradients["w1"][d, h] += x[d] * back
        gradients["b2"] += dz
    return loss, gradients


def test_a_network_without_the_lessons_layers_passes():
    assert judged("m03-two-layer-loss", in_python).passed


@pytest.mark.parametrize("spoilt", [unwritten, lambda *arguments: arguments[0]], ids=["not written", "wrong"])
@pytest.mark.parametrize("exercise", NETWORK)
def test_a_mistake_in_a_layer_is_not_counted_twice(reference, exercise, spoilt):
    layers = ("affine_forward", "affine_backward", "relu_forward", "relu_backward", "softmax_ce_forward", "softmax_ce_backward")
    answer = with_globals(reference[exercise], **dict.fromkeys(layers, spoilt))
    if exercise == "m03-train-digits":
        answer.__globals__["two_layer_loss"] = spoilt
    report = judged(exercise, answer)
    assert report.passed, report


def test_a_mistake_in_the_sigmoid_is_not_counted_twice(reference):
    answer = with_globals(reference["m03-sigmoid-backward"], sigmoid_forward=unwritten)
    assert judged("m03-sigmoid-backward", answer).passed


def test_layers_of_another_form_do_for_the_network(reference):
    """The student's own layers hand two things back; only with them is the network right."""
    both = {"affine_forward": lambda x, w, b: (x @ w + b, None), "relu_forward": lambda x: (np.maximum(x, 0), None)}

    def network(parameters, images, labels):
        sums, _ = affine_forward(images, parameters["w1"], parameters["b1"])  # noqa: F821 - put there below
        bent, _ = relu_forward(sums)  # noqa: F821
        return reference["m03-two-layer-loss"](parameters, images, labels) if bent.min() >= 0 else None

    assert judged("m03-two-layer-loss", with_globals(network, **both)).passed


NETWORK_BAD = {
    "no return": (lambda loss, gradients: None, "two things are to come back"),
    "the loss alone": (lambda loss, gradients: loss, "two things are to come back"),
    "a list of gradients": (lambda loss, gradients: (loss, list(gradients.values())), "two things are to come back"),
    "a gradient left out": (lambda loss, gradients: (loss, {"w1": gradients["w1"]}), "there is no gradient of `b1`"),
    "other keys": (lambda loss, gradients: (loss, {f"d{name}": one for name, one in gradients.items()}), "there is no gradient of `w1`"),
    "a gradient of another shape": (lambda loss, gradients: (loss, gradients | {"w1": gradients["w1"].T}), "`dw1` has the wrong shape|`dw1` is wrong"),
    "integers": (lambda loss, gradients: (loss, {name: one.astype(int) for name, one in gradients.items()}), "not of a float dtype"),
    "None for one": (lambda loss, gradients: (loss, gradients | {"b2": None}), "`db2` is None"),
    "a loss of another size": (lambda loss, gradients: (2 * loss, gradients), "`loss` is wrong"),
    "text": (lambda loss, gradients: (str(loss), gradients), "`loss` is of the wrong kind"),
}


@pytest.mark.parametrize("bad", NETWORK_BAD)
def test_a_network_of_a_bad_form_is_told_so(reference, bad):
    change, what = NETWORK_BAD[bad]
    report = judged("m03-two-layer-loss", lambda *arguments: change(*reference["m03-two-layer-loss"](*arguments)))
    assert report.status == "failed" and any(re.search(what, finding.what) for finding in report.findings), report


def test_gradients_without_a_loss_and_a_loss_without_gradients_earn_their_part(reference):
    right = reference["m03-two-layer-loss"]
    half = judged("m03-two-layer-loss", lambda *arguments: (right(*arguments)[0], {}))
    assert [group.name for group in half.groups if group.passed] == ["loss"]
    other = judged("m03-two-layer-loss", lambda *arguments: (0.0, right(*arguments)[1]))
    assert [group.name for group in other.groups if group.passed] == ["gradients"]


def test_a_network_that_writes_into_its_parameters_is_told_so(reference):
    def bad(parameters, images, labels):
        result = reference["m03-two-layer-loss"](parameters, images, labels)
        parameters["b1"] -= 1.0
        return result

    report = judged("m03-two-layer-loss", bad)
    assert {finding.mistake for finding in report.findings} == {"MUTATES"} and "`parameters`" in report.findings[0].what


# ---------------------------------------------------------------- training


def trainer(steps=300, rate=0.5, hidden=24, size=50, loss=fast_two_layer_loss, rng_of=np.random.RandomState, after=lambda parameters: parameters):
    """A train_digits with other choices than the lesson's."""

    def train(images, labels, seed):
        rng = rng_of(seed)
        parameters = {"w1": 0.2 * rng.randn(64, hidden), "b1": np.zeros(hidden), "w2": 0.2 * rng.randn(hidden, 10), "b2": np.zeros(10)}
        for _ in range(steps):
            rows = rng.randint(len(images), size=size)
            _, gradients = loss(parameters, images[rows], labels[rows])
            for name in parameters:
                parameters[name] = parameters[name] - rate * gradients[name]
        return after(parameters)

    return train


@pytest.mark.parametrize(
    "answer",
    [
        trainer(steps=300, hidden=24),
        trainer(steps=600, hidden=100, size=20, rate=0.2),
        trainer(steps=300, hidden=16, size=100, rate=1.0),
        trainer(after=lambda parameters: parameters | {"steps": 300}),
        trainer(after=lambda parameters: {name: one.astype(np.float32) for name, one in parameters.items()}),
    ],
    ids=["another start", "small steps", "few hidden", "more in the dict", "float32"],
)
def test_other_choices_pass_the_training(answer):
    report = judged("m03-train-digits", answer)
    assert report.passed, report


def test_a_training_in_plain_python_loops_passes():
    """Whatever its layers are, the network in a check is the fast one: 40,000 examples in plain Python would take minutes."""

    def train(images, labels, seed):
        rng = np.random.RandomState(seed)
        parameters = {"w1": 0.2 * rng.randn(64, 20), "b1": np.zeros(20), "w2": 0.2 * rng.randn(20, 10), "b2": np.zeros(10)}
        for _ in range(250):
            rows = rng.randint(len(images), size=30)
            _, gradients = two_layer_loss(parameters, images[rows], labels[rows])  # noqa: F821 - put there below
            for name, one in parameters.items():
                for at in np.ndindex(one.shape):
                    one[at] -= 0.7 * gradients[name][at]
        return parameters

    calls = []

    def slow(*arguments):
        calls.append(1)
        return in_python(*arguments)

    report = judged("m03-train-digits", with_globals(train, two_layer_loss=slow))
    assert report.passed and not calls, report


def test_a_loss_that_takes_more_is_the_students_own():
    """train_digits hands a penalty to its two_layer_loss, which the stand-in does not know."""

    def with_penalty(parameters, images, labels, penalty):
        loss, gradients = fast_two_layer_loss(parameters, images, labels)
        return loss, {name: one + penalty * parameters[name] for name, one in gradients.items()}

    def train(images, labels, seed):
        return trainer(loss=lambda *arguments: two_layer_loss(*arguments, 1e-4))(images, labels, seed)  # noqa: F821 - put there below

    assert judged("m03-train-digits", with_globals(train, two_layer_loss=with_penalty)).passed


TRAINING_BAD = {
    "no return": (trainer(steps=1, after=lambda parameters: None), "the parameters are not all there"),
    "a list": (trainer(steps=1, after=lambda parameters: list(parameters.values())), "the parameters are not all there"),
    "lists in a dict": (trainer(steps=1, after=lambda p: {k: v.tolist() for k, v in p.items()}), "not arrays of floats"),
    "integers": (trainer(steps=1, after=lambda p: {k: v.astype(int) for k, v in p.items()}), "not arrays of floats"),
    "transposed": (trainer(steps=1, after=lambda p: p | {"w1": p["w1"].T}), "shapes do not fit"),
    "nan": (trainer(steps=1, after=lambda p: p | {"b2": p["b2"] * np.nan}), "not finite"),
    "the accuracy": (trainer(steps=1, after=lambda parameters: 0.99), "the parameters are not all there"),
}


@pytest.mark.parametrize("bad", TRAINING_BAD)
def test_parameters_of_a_bad_form_are_told_so(bad):
    answer, what = TRAINING_BAD[bad]
    report = judged("m03-train-digits", answer)
    assert report.score == 0 and all(what in finding.what for finding in report.findings), report


def test_too_little_training_is_told_with_both_accuracies():
    report = judged("m03-train-digits", trainer(steps=15, rate=0.1))
    assert report.findings[0].what == "too few of the new images are read rightly" and not report.findings[0].mistake
    assert report.findings[0].expected == "at least 90% of 1197 images" and "of the 600 it learnt from" in report.findings[0].actual
    assert {group.name for group in report.groups if group.passed} == {"the same seed again"}


def test_a_seed_that_is_not_used_is_told_so():
    free = np.random.RandomState(5)
    report = judged("m03-train-digits", trainer(rng_of=lambda seed: free))
    assert [(finding.group, finding.mistake) for finding in report.findings] == [("the same seed again", "STATE_LEAK")]


def test_who_learns_from_the_shipped_digits_in_place_of_the_given_ones_is_found_out(lesson):
    def train(images, labels, seed):
        return trainer()(lesson[1]["X"], lesson[1]["y"], seed)

    report = judged("m03-train-digits", train)
    assert [group.name for group in report.groups if not group.passed] == ["pixels in another order"]


def test_learning_a_few_images_by_heart_is_not_enough():
    def train(images, labels, seed):
        return trainer()(images[:20], labels[:20], seed)

    report = judged("m03-train-digits", train)
    assert {group.name for group in report.groups if not group.passed} == {"new images", "pixels in another order"}
