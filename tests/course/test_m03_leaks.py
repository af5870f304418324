"""m03, the leaks: acceptance figures, truths of another origin, right but unusual answers, and bad ones with what they are told."""

import contextlib
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from zerohero.exercise import conclude, examine, find, load, run_probe
from zerohero.exercises import m03_leaks as leaks
from zerohero_autograder.build import source_notebook
from zerohero_autograder.hidden import hidden_cases

MODULE = "m03_layers"
LESSON = Path(__file__).parents[2] / "course" / MODULE / f"{MODULE}.py"
_, QUESTIONS = load(MODULE)
LEAKS = [
    "m03-saturation",
    "m03-dead-relu",
    "m03-rnn-explosion",
    "m03-clip-vs-huber",
    "m03-smooth-l1-backward",
    "m03-focal-backward",
    "m03-clip-by-norm",
]
BACKWARD = LEAKS[2:6]


@pytest.fixture(scope="module")
def lesson():
    """(text printed by an in-order run of the lesson without its checks; the namespace it leaves; {exercise id: answer})."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    namespace, printed, answers = {"__name__": "__main__"}, io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        for cell in source_notebook(LESSON.read_text(encoding="utf-8"), MODULE)["cells"]:
            if cell["cell_type"] != "code":
                continue
            marks = cell["metadata"]["zerohero"]
            if "check" in marks:
                call = cell["source"].strip()
                answers[marks["check"]] = eval(call[call.index(",") + 1 : call.rindex(")")], namespace)
            elif "predict" not in marks:
                exec(compile(cell["source"], f"<{cell['id']}>", "exec"), namespace)
                plt.close("all")
    return printed.getvalue(), namespace, answers


def report(exercise_id, answer, secret="s"):
    """On visible and hidden cases."""
    exercise = find(exercise_id)
    cases = exercise.visible_cases() + hidden_cases(MODULE, exercise_id, secret)
    return conclude(exercise, cases, [run_probe(exercise, answer, case.inputs) for case in cases])


# ---------------------------------------------------------------- figures


@pytest.mark.parametrize("figure", [
    r"weights of size 1 +saturated 94\.\d%",
    r"weights of size 0\.01 +saturated  0\.0%",
    r"radius 1\.5: .* 1\.4\d per step",
    r"radius 1\.0: .* 0\.9\d per step",
    r"radius 0\.5: .* 0\.49 per step",
    r"square +ends at 7\.40\nclip +ends at 0\.00\nhuber +ends at 4\.44\nroot +ends at 4\.46",
    r"cross-entropy +the 10 hard examples have +15% of the gradient",
    r"focal, gamma 2 +the 10 hard examples have +97% of the gradient",
    r"after clipping 5\.0\nthe root of the sum of squares, as it stands: inf",
])  # fmt: skip
def test_the_figures_of_the_lesson(lesson, figure):
    assert re.search(figure, lesson[0])


def test_large_steps_kill_units_and_small_ones_do_not(lesson):
    rows = {float(m[1]): m for m in re.finditer(r"rate ([\d.]+) +dead: (\d+) to (\d+)% after 0, (\d+) to (\d+)% after 1, (\d+) to (\d+)% after 40", lesson[0])}
    assert all(int(row[3]) <= 10 for row in rows.values())  # at the start
    assert int(rows[0.3][7]) <= 10 and int(rows[3.0][6]) >= 70 and int(rows[10.0][6]) >= 85


def test_which_gradients_are_exact_enough(lesson):
    ends = {m[1].strip(): (float(m[2]), float(m[3])) for m in re.finditer(r"^([a-z0-9 ]+?) +([\d.]+)% to ([\d.]+)%$", lesson[0], re.M)}
    assert set(ends) == {"exact", "bf16", "sign", "noise", "new flips", "same flips"}
    assert [name for name, (_, high) in ends.items() if high < 90] == [QUESTIONS["m03-predict-exact"].answer]
    assert all(low > 93 for name, (low, _) in ends.items() if name != "same flips")


def test_the_predictions_agree_with_the_lessons_own_functions(lesson):
    names = lesson[1]

    def said(question_id, measured):
        question = QUESTIONS[question_id]
        return abs(measured - question.answer) <= question.tolerance * max(1.0, abs(question.answer))

    assert said("m03-predict-saturated", 100 * names["shares"][0])
    x = np.linspace(0, 1, 101)[:, None]
    assert said("m03-predict-dead", 0.0 if names["dead_units"](x, np.array([[0.5]]), np.array([0.1 - 2 * 0.6]))[0] else 100.0)
    dx, _ = names["rnn_backward"](np.ones((1, 1)), np.zeros((41, 1, 1)), np.array([[1.5]]))
    assert said("m03-predict-chain", np.log10(dx[0, 0, 0]))
    assert said("m03-predict-clipped", names["error_loss_backward"](np.ones(1), np.array([3.0]), "clip")[0])
    assert said("m03-predict-smooth", names["smooth_l1_backward"](1.0, np.array([5.25]), np.array([5.0]), 0.5)[0][0])
    logits, labels = np.array([[np.log(9.0), 0.0]]), np.array([0])
    assert said("m03-predict-focal", names["focal_loss"](logits, labels, 2.0) / names["softmax_ce_forward"](logits, labels))
    given = [np.array([3.0, 4.0]), np.array([12.0])]
    assert said("m03-predict-shortened", names["clip_by_norm"](given, 6.5)[0][1][0] / 12)


def test_forward_passes_of_the_lesson_are_those_of_the_checks(lesson):
    names, rng = lesson[1], np.random.RandomState(0)
    x, W = rng.randn(5, 3, 4), rng.randn(4, 4)
    assert np.allclose(names["rnn_states"](x, W)[-1], leaks.last_state(x, W), rtol=1e-12)
    logits, labels = 3 * rng.randn(7, 5), rng.randint(5, size=7)
    assert np.isclose(names["focal_loss"](logits, labels, 1.5), leaks.focal_loss(logits, labels, 1.5), rtol=1e-12)
    error = np.append(3 * rng.randn(20), [-1.0, 0.0, 1.0])
    for kind in leaks.KINDS:
        assert np.array_equal(names["error_loss"](error, kind), leaks.error_loss(error, kind))


def test_bfloat16_is_that_of_torch(lesson):
    torch = pytest.importorskip("torch")
    x = np.append(np.random.RandomState(0).randn(1000) * 10.0 ** np.random.RandomState(1).randint(-20, 20, 1000), [0.0, -1.0, 1.00390625, 1.01171875])
    assert np.array_equal(lesson[1]["to_bf16"](x), torch.tensor(x.astype(np.float32)).bfloat16().double().numpy())


# ---------------------------------------------------------------- the answers against torch


def test_gradients_are_those_of_torch(lesson):
    torch = pytest.importorskip("torch")
    names, rng = lesson[1], np.random.RandomState(3)

    def tensor(array):
        return torch.tensor(array, requires_grad=True)

    x, W, dout = rng.randn(6, 3, 4), rng.randn(4, 4), rng.randn(3, 4)
    tx, tW = tensor(x), tensor(W)
    h = torch.zeros(3, 4, dtype=torch.float64)
    for step in tx:
        h = h @ tW + step
    h.backward(torch.tensor(dout))
    for mine, theirs in zip(names["rnn_backward"](dout, x, W), (tx.grad, tW.grad), strict=True):
        assert np.allclose(mine, theirs.numpy(), rtol=1e-10)

    prediction, target = tensor(2 * rng.randn(5, 3)), tensor(rng.randn(5, 3))
    (1.7 * torch.nn.functional.smooth_l1_loss(prediction, target, beta=0.6)).backward()
    mine = names["smooth_l1_backward"](1.7, prediction.detach().numpy(), target.detach().numpy(), 0.6)
    assert np.allclose(mine[0], prediction.grad.numpy(), rtol=1e-12) and np.allclose(mine[1], target.grad.numpy(), rtol=1e-12)

    error = tensor(2 * rng.randn(5, 3))
    torch.nn.functional.huber_loss(error, torch.zeros_like(error), reduction="sum").backward()
    assert np.allclose(names["error_loss_backward"](np.ones((5, 3)), error.detach().numpy(), "huber"), error.grad.numpy(), rtol=1e-12)

    logits, labels = tensor(3 * rng.randn(7, 5)), rng.randint(5, size=7)
    log_p = torch.log_softmax(logits, 1)[np.arange(7), labels]
    (-0.8 * ((1 - log_p.exp()) ** 2.5 * log_p).mean()).backward()
    assert np.allclose(names["focal_backward"](0.8, logits.detach().numpy(), labels, 2.5), logits.grad.numpy(), rtol=1e-9)

    parameters = [tensor(rng.randn(3, 4)), tensor(rng.randn(5))]
    for p in parameters:
        p.grad = torch.tensor(rng.randn(*p.shape))
    mine, norm = names["clip_by_norm"]([p.grad.numpy().copy() for p in parameters], 1.3)
    theirs = torch.nn.utils.clip_grad_norm_(parameters, 1.3)
    assert np.isclose(norm, float(theirs), rtol=1e-12)
    assert all(np.allclose(g, p.grad.numpy(), rtol=1e-5) for g, p in zip(mine, parameters, strict=True))  # torch adds 1e-6 to the norm


# ---------------------------------------------------------------- cases


@pytest.mark.parametrize("seed", range(20))
def test_no_case_hangs_on_rounding(seed):
    """Outputs keep away from the limit of saturation, sums from 0 but where exactly 0 is the point."""
    for case in leaks.designed_saturation(np.random.RandomState(seed)):
        slope = case.inputs["s"] * (1 - case.inputs["s"])
        assert np.abs(slope / case.inputs["limit"] - 1).min() > 1e-7
    for case in leaks.designed_dead(np.random.RandomState(seed)):
        highest = (case.inputs["X"] @ case.inputs["W"] + case.inputs["b"]).max(axis=0)
        if case.group == "exactly zero":
            assert set(highest) == {0.0, 1.0}
        else:
            assert np.abs(highest).min() > 5e-3
        if case.group == "alive for one example":
            fires = (case.inputs["X"] @ case.inputs["W"] + case.inputs["b"] > 0).sum(axis=0)
            assert set(fires) == {0, 1}


def test_hidden_cases_have_what_the_designer_is_asked_for():
    cases = hidden_cases(MODULE, "m03-clip-vs-huber", "s")
    assert {np.ndim(case.inputs["error"]) for case in cases} == {1, 2, 3}
    assert any(1 in np.shape(case.inputs["error"]) for case in cases)
    corners = [case for case in cases if case.inputs["kind"] == "clip" and np.isin([-1.0, 1.0], case.inputs["error"]).all()]
    assert corners
    assert {case.inputs["kind"] for case in cases} == set(leaks.KINDS)
    assert any(np.abs(case.inputs["logits"]).max() > 900 for case in hidden_cases(MODULE, "m03-focal-backward", "s"))
    norms = [case.inputs["gradients"] for case in hidden_cases(MODULE, "m03-clip-by-norm", "s")]
    assert any(not any(g.any() for g in given) for given in norms) and any(max(np.abs(g).max() for g in given) > 1e190 for given in norms)


# ---------------------------------------------------------------- right answers of other kinds


def share_in_a_loop(s, limit):
    n, units = s.shape
    shares = []
    for unit in range(units):
        count = 0
        for example in range(n):
            if s[example, unit] * (1 - s[example, unit]) < limit:
                count += 1
        shares.append(count / n)
    return shares


def dead_in_a_loop(X, W, b):
    dead = []
    for unit in range(W.shape[1]):
        alive = False
        for row in X.tolist():
            total = b[unit]
            for x, w in zip(row, W[:, unit], strict=True):
                total += x * w
            alive = alive or total > 0
        dead.append(0 if alive else 1)
    return dead


def rnn_forwards(dout, x, W):
    """dW as a sum over pairs of steps, with powers of W."""
    T = len(x)
    powers = [np.eye(len(W))]
    for _ in range(T):
        powers.append(powers[-1] @ W)
    dx = [dout @ powers[T - 1 - t].T for t in range(T)]
    dW = sum((x[s] @ powers[t - s]).T @ dx[t + 1] for t in range(T - 1) for s in range(t + 1)) if T > 1 else 0 * W
    return [np.array(dx), dW]


def losses_element_by_element(dout, error, kind):
    result = np.zeros(error.shape)
    for at in np.ndindex(error.shape):
        e = error[at]
        if kind == "clip":
            slope = e if -1 <= e <= 1 else 0.0
        elif kind == "huber":
            slope = max(-1.0, min(1.0, e))
        else:
            slope = e * (1 + e * e) ** -0.5
        result[at] = dout[at] * slope
    return result


def smooth_with_masks(dout, prediction, target, beta):
    error = prediction - target
    slope = np.sign(error)
    near = np.abs(error) < beta
    slope[near] = error[near] / beta
    return [slope * dout / error.size, slope * -dout / error.size]


def focal_by_rows(dout, logits, labels, gamma):
    result = np.zeros(logits.shape)
    for n, row in enumerate(logits):
        log_q = row - np.logaddexp.reduce(row)
        log_p, p = log_q[labels[n]], np.exp(log_q[labels[n]])
        factor = (1 - p) ** gamma - gamma * p * (1 - p) ** (gamma - 1) * log_p
        result[n] = dout / len(logits) * factor * np.exp(log_q)
        result[n, labels[n]] -= dout / len(logits) * factor
    return result


def clip_with_lists(gradients, most):
    flat = [float(one) for g in gradients for one in np.ravel(g)]
    largest = max(map(abs, flat))
    norm = largest * sum((one / largest) ** 2 for one in flat) ** 0.5 if largest else 0.0
    return tuple((g * (most / norm) if norm > most else g.copy()).tolist() for g in gradients), np.float64(norm)


def clip_as_libraries_do(gradients, most):
    largest = max(np.abs(g).max() for g in gradients) + 1e-300
    norm = largest * np.sqrt(sum(((g / largest) ** 2).sum() for g in gradients))
    return [g * min(1.0, most / (norm + 1e-6)) for g in gradients], norm


UNUSUAL = [
    ("m03-saturation", share_in_a_loop),
    ("m03-saturation", lambda s, limit: np.count_nonzero(np.abs(s - 0.5) > np.sqrt(0.25 - limit), axis=0) / len(s)),
    ("m03-dead-relu", dead_in_a_loop),
    ("m03-dead-relu", lambda X, W, b: np.maximum(X @ W + b, 0).sum(axis=0) == 0),
    ("m03-rnn-explosion", rnn_forwards),
    ("m03-clip-vs-huber", losses_element_by_element),
    ("m03-smooth-l1-backward", smooth_with_masks),
    ("m03-focal-backward", focal_by_rows),
    ("m03-focal-backward", lambda *a: np.asfortranarray(focal_by_rows(*a))[:, ::-1][:, ::-1]),
    ("m03-clip-by-norm", clip_with_lists),
    ("m03-clip-by-norm", clip_as_libraries_do),
]


@pytest.mark.parametrize("exercise_id, answer", UNUSUAL)
def test_unusual_right_answers_pass(exercise_id, answer):
    got = report(exercise_id, answer)
    assert got.passed, got.findings


# ---------------------------------------------------------------- bad answers


def told(exercise_id, answer):
    got = examine(find(exercise_id), answer)
    assert got.status == "failed" and got.findings[0].what and got.findings[0].next
    return got


@pytest.mark.parametrize("exercise_id", LEAKS)
def test_a_forgotten_return_is_told(lesson, exercise_id):
    answer = lesson[2][exercise_id]

    def forgetful(*given):
        answer(*given)

    got = told(exercise_id, forgetful)
    assert got.score == 0 and "return" in got.findings[0].next


@pytest.mark.parametrize("exercise_id", BACKWARD)
def test_arrays_as_lists_and_float32_are_accepted_or_told(lesson, exercise_id):
    answer = lesson[2][exercise_id]

    def every(change):
        def changed(*given):
            result = answer(*given)
            return tuple(map(change, result)) if isinstance(result, tuple) else change(result)

        return changed

    lists = examine(find(exercise_id), every(lambda g: g.tolist()))
    # a list with a single row is read as a list of one gradient, where one gradient is asked for; its shape is told
    assert lists.passed or (len(find(exercise_id).parts({"value": 0.0})) == 1 and all("shape" in f.what for f in lists.findings))
    assert report(exercise_id, every(lambda g: g.astype(np.float32))).passed  # rounding is no mistake of a derivative
    assert "DTYPE" in {f.mistake for f in told(exercise_id, every(lambda g: g.astype(int))).findings}
    assert "shape" in told(exercise_id, every(lambda g: g[None])).findings[0].what


@pytest.mark.parametrize("exercise_id, change", [
    ("m03-saturation", lambda share: share[:, None]),
    ("m03-dead-relu", lambda dead: dead[None]),
    ("m03-clip-by-norm", lambda clipped: ([g.ravel() for g in clipped[0]], clipped[1])),
])  # fmt: skip
def test_the_right_values_in_the_wrong_shape_are_told(lesson, exercise_id, change):
    answer = lesson[2][exercise_id]
    assert "SHAPE" in {f.mistake for f in told(exercise_id, lambda *given: change(answer(*given))).findings}


@pytest.mark.parametrize("exercise_id", LEAKS)
def test_writing_into_an_argument_is_told(lesson, exercise_id):
    answer = lesson[2][exercise_id]

    def writing(*given):
        result = answer(*given)
        array = next(one for one in (given[0] if isinstance(given[0], list) else given) if isinstance(one, np.ndarray) and one.dtype.kind == "f")
        array += 1.0 + np.abs(array)
        return result

    got = told(exercise_id, writing)
    assert got.score == 0 and {f.mistake for f in got.findings} == {"MUTATES"}


def test_putting_other_arrays_into_the_list_of_gradients_is_told(lesson):
    def replacing(gradients, most):
        clipped, norm = lesson[2]["m03-clip-by-norm"](gradients, most)
        gradients[:] = clipped
        return gradients, norm

    assert "MUTATES" in {f.mistake for f in told("m03-clip-by-norm", replacing).findings}


@pytest.mark.parametrize("exercise_id", LEAKS)
def test_printing_changes_nothing(lesson, exercise_id, capsys):
    answer = lesson[2][exercise_id]

    def chatty(*given):
        print("here", given)
        return answer(*given)

    assert examine(find(exercise_id), chatty).passed


@pytest.mark.parametrize("exercise_id", LEAKS)
def test_an_answer_that_raises_or_returns_something_else_is_told(exercise_id):
    def raising(*given):
        return given[0].no_such_thing

    assert "raised" in told(exercise_id, raising).findings[0].what
    for junk in ("text", {"a": 1}, object(), 3, [None], np.array(["x"]), 1j, float("nan")):
        assert told(exercise_id, lambda *given, junk=junk: junk).score == 0


@pytest.mark.parametrize("answer, group", [
    (lambda gradients, most: (gradients, 0.0), "above the limit"),
    (lambda gradients, most: ([0 * g for g in gradients], 0.0), "above the limit"),
    (lambda gradients, most: [g * min(1.0, most / np.sqrt(sum((g**2).sum() for g in gradients))) for g in gradients], "above the limit"),
])  # fmt: skip
def test_half_of_clip_by_norm_is_not_all_of_it(answer, group):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = examine(find("m03-clip-by-norm"), answer)
    assert group in {g.name for g in got.groups if not g.passed}


def test_one_loss_of_three_earns_its_share(lesson):
    answer = lesson[2]["m03-clip-vs-huber"]
    got = examine(find("m03-clip-vs-huber"), lambda dout, error, kind: answer(dout, error, kind) if kind == "huber" else 0 * error)
    assert {g.name for g in got.groups if g.passed} == {"Huber"} and got.score == pytest.approx(1 / 3)


def test_a_huge_wrong_answer_makes_no_noise(lesson):
    """Squares of 1e200 are beyond every float, in what names mistakes too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        examine(find("m03-clip-by-norm"), lambda gradients, most: (list(gradients), 1e200))
