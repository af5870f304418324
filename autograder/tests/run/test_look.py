"""Looking at code without running it: what is flagged is true, and what is right is not flagged."""

import json
import re
from pathlib import Path

import pytest
import toy_course
from toy_course import NAME, answered, code

from zerohero.exercise import MODULES, load
from zerohero_autograder.build import source_notebook
from zerohero_autograder.feedback.redact import redacted
from zerohero_autograder.flags import MAX_EVIDENCE, Flag
from zerohero_autograder.graded_module import GradedModule, _source_cell
from zerohero_autograder.intake.notebook import parse
from zerohero_autograder.rebuild import rebuild
from zerohero_autograder.run import grade, look
from zerohero_autograder.run.look import worth_a_look

COURSE = Path(__file__).parents[3] / "course"


class Lesson:
    """A module of the course, and notebooks handed in for it."""

    def __init__(self, name, text=None):
        self.source = source_notebook(text or (COURSE / name / f"{name}.py").read_text(encoding="utf-8"), name)
        cells = (_source_cell(cell, cell["metadata"].get("zerohero", {})) for cell in self.source["cells"])
        self.module = GradedModule(name, tuple(cells), {}, {})  # without cases, which take seconds to draw: nothing is run here
        self.exercises, _ = load(name)

    def flags(self, answers, *extra):
        """Flags of the lesson's own solutions with these {exercise: answer} in their place and these cells at the end."""
        notebook = json.loads(json.dumps(self.source))
        for cell in notebook["cells"]:
            cell["source"] = answers.get(cell["metadata"].get("zerohero", {}).get("exercise"), cell["source"])
        notebook["cells"] += [code(text, f"own-{n}") for n, text in enumerate(extra)]
        rebuilt = rebuild(self.module, parse(json.dumps(notebook).encode()))
        return list(look._Reader(self.module, rebuilt, self.exercises).flags())

    def kinds(self, answers, *extra):
        return {(flag.kind, flag.where) for flag in self.flags(answers, *extra)}

    def checked(self, exercise):
        """The name that the check cell of an exercise hands over."""
        cell = next(cell for cell in self.source["cells"] if cell["metadata"].get("zerohero", {}).get("check") == exercise)
        return re.search(r", (\w+)\)", cell["source"])[1]


@pytest.fixture(scope="module")
def lessons():
    return {name: Lesson(name) for name in MODULES.values()}


@pytest.fixture(scope="module")
def layers(lessons):
    return lessons["m03_layers"]


@pytest.fixture
def toy(module):
    return Lesson(NAME, toy_course.LESSON)


def test_the_solutions_of_the_course_raise_no_flag(lessons):
    assert {name: lesson.flags({}) for name, lesson in lessons.items()} == {name: [] for name in lessons}


def test_of_the_wrong_answers_of_the_course_those_that_nudge_are_flagged_and_no_other(lessons):
    flagged = {}
    for name, lesson in lessons.items():
        wrong = {exercise: [] for exercise in lesson.exercises}
        for file in sorted((COURSE / name / "wrong").glob("[!_]*.py")):
            text = re.sub(r"^exec\(.*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)  # how these files, and no answers, get the parts beside them
            exercise = re.search(r'exercise = "(.+?)"', text)[1]
            wrong[exercise].append((file.stem, f"{text}\n{lesson.checked(exercise)} = answer\n"))
        for _ in range(max(map(len, wrong.values()))):  # one of each exercise at a time
            now = {exercise: files.pop() for exercise, files in wrong.items() if files}
            for flag in lesson.flags({exercise: text for exercise, (_, text) in now.items()}):
                flagged[now[flag.where][0]] = flag.kind
        assert not any(wrong.values())
    assert flagged == dict.fromkeys(("chain_by_hand__nudged", "local_derivatives__nudged", "neuron_by_hand__nudged"), "NUMERICAL_SLOPE")


MEASURED = {
    "central, element by element": """
def sigmoid_backward(dout, x):
    grad = np.zeros_like(x)
    h = 1e-6
    for i in np.ndindex(x.shape):
        old = x[i]
        x[i] = old + h
        up = sigmoid_forward(x)
        x[i] = old - h
        down = sigmoid_forward(x)
        x[i] = old
        grad[i] = np.sum(dout * (up - down)) / (2 * h)
    return grad""",
    "forward, in one line": "def sigmoid_backward(dout, x, eps=1e-7):\n    return dout * (sigmoid_forward(x + eps) - sigmoid_forward(x)) / eps",
    "times the inverse": "def sigmoid_backward(dout, x):\n    return dout * (sigmoid_forward(x + 1e-6) - sigmoid_forward(x - 1e-6)) * 5e5",
    "a quotient in two steps": "def sigmoid_backward(dout, x):\n    d = sigmoid_forward(x + 1e-6) - sigmoid_forward(x - 1e-6)\n    d /= 2e-6\n    return d * dout",
    "along a direction": """
def sigmoid_backward(dout, x):
    grad, step = np.zeros_like(x), 1e-5
    for k in range(x.size):
        e = np.zeros(x.size)
        e[k] = step
        e = e.reshape(x.shape)
        grad.flat[k] = ((sigmoid_forward(x + e) - sigmoid_forward(x - e)) * dout).sum() / 2 / step
    return grad""",
    "without a function": "def sigmoid_backward(dout, x):\n    h = 1e-6\n    return dout * (1 / (1 + np.exp(-(x + h))) - 1 / (1 + np.exp(-(x - h)))) / (2 * h)",
    "a lambda": "slope = lambda f, x, h=1e-6: (f(x + h) - f(x - h)) / (2 * h)\nsigmoid_backward = lambda dout, x: dout * slope(sigmoid_forward, x)",
    "NumPy's own": "def sigmoid_backward(dout, x):\n    xs = np.linspace(-9, 9, 10**5)\n    return dout * np.interp(x, xs, np.gradient(sigmoid_forward(xs), xs))",
}


@pytest.mark.parametrize("how", MEASURED)
def test_a_measured_slope_is_flagged_where_a_formula_is_asked_for(layers, how):
    (flag,) = layers.flags({"m03-sigmoid-backward": MEASURED[how]})
    assert (flag.kind, flag.where) == ("NUMERICAL_SLOPE", "m03-sigmoid-backward") and "cell " in flag.evidence


def test_a_measured_slope_in_a_cell_of_ones_own_counts_where_an_answer_calls_it(lessons, layers):
    helper = "def slope(f, x, h=1e-5):\n    return (f(x + h) - f(x - h)) / (2 * h)"
    assert layers.flags({}, helper + "\nprint(slope(sigmoid_forward, 1.0))") == []  # to try one's own answer is good practice
    (flag,) = layers.flags({"m03-sigmoid-backward": "def sigmoid_backward(dout, x):\n    return dout * slope(sigmoid_forward, x)"}, helper)
    assert flag.where == "m03-sigmoid-backward" and "line 2: return (f(x + h) - f(x - h)) / (2 * h)" in flag.evidence
    own = "def local_derivatives(op, a, b=None):\n    return central_difference(math.tanh, a, 1e-5)"
    assert lessons["m01_derivatives"].kinds({"m01-local-derivatives": own}) == {("NUMERICAL_SLOPE", "m01-local-derivatives")}


HONEST = {
    "m03-sigmoid-backward": "def sigmoid_backward(dout, x):\n    up = np.exp(x)\n    down = np.exp(-x)\n    return dout / ((up + down) + 2)",
    "m03-relu-backward": "def relu_backward(dout, x):\n    eps = 1e-12\n    return dout * (np.sign(x + eps) + 1) / 2",
    "m03-affine-backward": (
        "def affine_backward(dout, x, w, b):\n    n = len(x)\n    mean = (np.sum(x[1:] - x[:-1]) - np.sum(x)) / n\n    return dout @ w.T, x.T @ dout, dout.sum(0)\n\n"
        "h = 1e-5\nprint((affine_forward(1 + h, 2, 3) - affine_forward(1 - h, 2, 3)) / (2 * h))  # a look at the truth"
    ),
    "m03-softmax-ce-backward": (
        "def softmax_ce_backward(dout, logits, labels):\n    e = np.exp(logits - logits.max(1, keepdims=True))\n    p = e / (e.sum(1, keepdims=True) + 1e-12)\n"
        "    return dout * (p - np.eye(p.shape[1])[labels]) / len(labels)"
    ),
}


def test_honest_formulas_with_differences_quotients_and_small_numbers_raise_no_flag(layers):
    assert layers.flags(HONEST) == []


def test_complex_numbers_are_flagged_where_a_formula_is_asked_for(layers):
    answer = "def sigmoid_backward(dout, x):\n    return dout * sigmoid_forward(x + 1e-20j).imag / 1e-20"
    (flag,) = layers.flags({"m03-sigmoid-backward": answer})
    assert (flag.kind, flag.where) == ("COMPLEX_STEP", "m03-sigmoid-backward") and "x + 1e-20j" in flag.evidence
    assert layers.flags({}, "print(np.linalg.eigvals(np.eye(2)).imag, 1j)") == []


FRAMEWORKS = {
    "import": "import torch\n",
    "from": "from jax import grad\n",
    "within": "import autograd.numpy as np\n",
    "importlib": "import importlib\nimportlib.import_module('to' + 'rch')\n",
    "pieces": "name = ''.join(['t', 'or', 'ch'])\n__import__(name)\n",
    "turned round": "__import__('hcrot'[::-1])\n",
    "f-string": "a = 'sym'\n__import__(f'{a}py')\n",
    "loaded before": "import sys\nsys.modules['tensorflow'].constant(1)\n",
    "in a text": "exec('import torch')\n",
    "behind a magic": "%%time\nimport torch\n",
    "beside a magic": "%matplotlib inline\n!ls\nimport torch\n",
}


@pytest.mark.parametrize("how", FRAMEWORKS)
def test_a_framework_is_flagged_where_it_is_not_allowed(toy, how):
    assert toy.kinds({"m99-square": FRAMEWORKS[how] + toy_course.SQUARE}) == {("OTHER_FRAMEWORK", "m99-square")}
    assert toy.kinds({}, FRAMEWORKS[how]) == {("OTHER_FRAMEWORK", f"cell {len(toy.source['cells']) + 1}")}


def test_torch_is_no_matter_where_an_exercise_allows_it_and_is_where_another_uses_it(lessons):
    micrograd = lessons["m02_micrograd"]
    assert micrograd.flags({}, "import torch\nprint(torch.ones(3))") == []
    answer = "def value_tanh(self):\n    t = torch.tensor(self.data, requires_grad=True)\n    return Value(t.tanh().item(), (self,), (slope_in_torch(t),), 'tanh')\n\nValue.tanh = value_tanh"  # fmt: skip
    helper = "def slope_in_torch(t):\n    torch.tanh(t).backward()\n    return t.grad.item()"
    (flag,) = micrograd.flags({"m02-value-tanh": answer}, helper)
    assert (flag.kind, flag.where) == ("OTHER_FRAMEWORK", "m02-value-tanh") and "torch.tensor(self.data" in flag.evidence


def test_code_that_is_put_together_while_it_runs_is_flagged(toy):
    for hidden in (
        "exec(open('x.py').read())",
        "__import__(input())",
        "getattr(__builtins__, '__imp' + 'ort__')",
        "get_ipython().input_transformers_cleanup.append(print)",
    ):
        assert {kind for kind, _ in toy.kinds({}, hidden)} == {"HIDDEN_CODE"}, hidden


HOSTILE = [
    "(" * 90_000,
    "-" * 99_000 + "1",
    "x" + "[0]" * 30_000,
    "x = " + "1+" * 40_000 + "1",
    "a" + ".a" * 45_000,
    "lambda: " * 12_000 + "0",
    "if x:\n" + "".join(" " * n + "if x:\n" for n in range(1, 300)),
    "9" * 99_000,
    "def f(x):\n    return ((" + "x+1-" * 20_000 + "x) - f(x)) / 1",
    "\x00\ud800 = '\u202e'",
    "%" * 50_000,
    "!" + "\\\n!" * 20_000,
    "'" * 99_999,
    "import " + "a, " * 20_000 + "b",
    "f'" + "{" * 20_000,
    "\n".join(f"a{n} = a{n + 1} + a{n + 1}" for n in range(4000)) + "\ndef square(x):\n    return (square(a0) - square(a1)) / a0",
    "x = 1\n" * 160_000,
]


def test_hostile_code_costs_bounded_time_and_no_one_else(module, monkeypatch):
    monkeypatch.setattr(look, "SECONDS", 1.0)
    exercises, _ = load(NAME)
    for text in HOSTILE:
        notebook = answered(square=text)
        notebook["cells"].insert(0, code("import torch"))
        flags = worth_a_look(module, rebuild(module, parse(json.dumps(notebook).encode())), exercises)
        assert {flag.kind for flag in flags} <= {"UNREAD", "OTHER_FRAMEWORK"} and flags, text[:20]


def test_a_reader_that_does_not_end_is_ended_and_said(module, monkeypatch):
    def spins(self):
        yield Flag("HIDDEN_CODE", "cell 1", "seen before")
        while True:
            pass

    monkeypatch.setattr(look._Reader, "flags", spins)
    monkeypatch.setattr(look, "SECONDS", 0.2)
    flags = worth_a_look(module, rebuild(module, parse(json.dumps(answered()).encode())), load(NAME)[0])
    assert [flag.kind for flag in flags] == ["HIDDEN_CODE", "UNREAD"] and "0.2 s of processor time" in flags[1].evidence


def test_a_flag_is_one_of_the_kinds_and_short():
    flag = Flag("UNREAD", "cell 1", "x" * 10_000)
    assert len(flag.evidence) == MAX_EVIDENCE and Flag.from_json(json.loads(json.dumps(flag.to_json()))) == flag
    assert flag.text.startswith("cell 1: the code was not looked through (UNREAD): xxx")
    with pytest.raises(ValueError, match="no kind of flag 'ODD'"):
        Flag("ODD", "cell 1", "")


def test_flags_cost_no_points_and_reach_the_instructor_alone(module, sandbox, tmp_path):
    file = tmp_path / f"{NAME}.ipynb"
    file.write_text(json.dumps(answered(square=toy_course.SQUARE + "\nif 0: import torch.canary")))
    result = grade(file, module, sandbox)
    assert result.score == 3.5 and [flag.kind for flag in result.flags] == ["OTHER_FRAMEWORK"] and result.notes == () == result.messages
    assert result.notebook["metadata"]["zerohero"]["flags"] == [flag.to_json() for flag in result.flags]
    shown = redacted(result.notebook)
    shown["cells"] = [{**cell, "source": ""} for cell in shown["cells"]]  # the student's own code is theirs
    assert "canary" not in json.dumps(shown) and "OTHER_FRAMEWORK" not in json.dumps(shown)
