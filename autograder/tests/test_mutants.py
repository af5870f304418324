"""Each rule names what a student wrote by hand; mutants are programs, the same each time, and tell nothing of the answer."""

import ast
import importlib
import math
import textwrap

import mutant_rows
import numpy as np
import pytest
from mutant_rows import ENGINE, FORWARD, ROWS

from zerohero.atlas import named
from zerohero.gradcheck import numerical_gradient
from zerohero.mistakes import MISTAKES
from zerohero_autograder.mutants import bank, mutants
from zerohero_autograder.mutants import mutate as engine_of_rules
from zerohero_autograder.mutants.bank import TooSlow, limited, told_apart
from zerohero_autograder.mutants.rule import RULES

NAMES = {"np": np, "math": math, "EPS": mutant_rows.EPS, "softmax": mutant_rows.softmax, "unbroadcast": mutant_rows.unbroadcast}
NAMES["sigmoid"] = FORWARD["sigmoid_of_large"][0]
ROWS = [row for row in ROWS if row[-1]]


def function(operation, body):
    """A whole answer, or the body of one."""
    if body == ENGINE or "class Value" in body:
        return body
    arguments = ", ".join(FORWARD[operation][1](np.random.default_rng(0)))
    lines = textwrap.indent(body.strip(), "    ")
    return f"def backward(dout, {arguments}):\n{lines}\n"


def cases(operation):
    forward, make = FORWARD[operation]
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        given = make(rng)
        yield given, rng.standard_normal(np.shape(forward(**given)))


def runner(operation):
    def run(backward):
        found = {}
        for given, dout in cases(operation):
            gradients = backward(dout.copy() if dout.ndim else float(dout), *(v.copy() if isinstance(v, np.ndarray) else v for v in given.values()))
            gradients = gradients if isinstance(gradients, tuple) else (gradients,)
            for name, gradient in zip(given, gradients, strict=False):
                found.setdefault(f"d{name}", []).append(np.asarray(gradient, dtype=float))
        return found

    return run


def values(operation, body):
    names = dict(NAMES)
    with np.errstate(all="ignore"):
        exec(function(operation, body), names)
        return runner(operation)(names["backward"])


def true_gradients(operation):
    """By finite differences of the forward, for each float argument."""
    found = {}
    for given, dout in cases(operation):
        floats = [n for n, v in given.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]

        def loss(*arrays, given=given, floats=floats, dout=dout):
            return float(np.sum(FORWARD[operation][0](**{**given, **dict(zip(floats, arrays, strict=True))}) * dout))

        for name, gradient in zip(floats, numerical_gradient(loss, [given[n] for n in floats]), strict=True):
            found.setdefault(f"d{name}", []).append(gradient)
    return found


def close(a, b):
    return all(np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-5, atol=1e-6) for p in a for x, y in zip(a[p], b[p], strict=True))


@pytest.mark.parametrize(("rule", "operation", "reference", "wrong", "kind"), ROWS, ids=[f"{r[0]}-{r[1]}-{r[4]}" for r in ROWS])
def test_a_rule_names_what_a_student_wrote(monkeypatch, rule, operation, reference, wrong, kind):
    true, given = true_gradients(operation), values(operation, wrong)
    if operation != "max_of_ties":  # no slope to measure at a tie
        assert close(values(operation, reference), true)
        assert not close(given, true)
    monkeypatch.setattr(engine_of_rules, "RULES", [r for r in RULES if r.__name__ == rule])
    entries = bank([function(operation, reference)], NAMES, "backward", runner(operation))
    found = named(entries, given)
    assert found and kind == found["mistake"], (found, len(entries))
    assert len(found["because"]) > 10


def test_every_rule_is_tried():
    own = {"argument_changed"}  # its answers have the right values: see below
    assert {row[0] for row in ROWS} | own | {"loop_variables_swapped"} == {r.__name__ for r in RULES}


def test_the_upstream_gradient_is_changed():
    changed = [m for m in mutants("def backward(dout, x):\n    d = dout.copy()\n    d[x <= 0] = 0\n    return d\n") if m.kind == "MUTATES"]
    for mutant in changed:
        names, dout = dict(NAMES), np.ones(3)
        exec(mutant.source, names)
        names["backward"](dout, np.array([1.0, -1.0, 2.0]))
        assert (dout != 1).any()
    assert len(changed) >= 2


def test_loop_variables_change_places():
    source = "def backward(dout, x):\n    dx = np.zeros_like(x)\n    for i in range(3):\n        for j in range(3):\n            dx[i, j] += dout[i, j] * x[i, j]\n    return dx\n"
    entries = bank([source], NAMES, "backward", lambda f: {"dx": [f(np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3) + 1)]})
    x = np.arange(9.0).reshape(3, 3)
    assert named(entries, {"dx": [x.T * (x + 1)]})["mistake"] == "INDEXING"


# ---------------------------------------------------------------- mutants are programs

ODD = [
    "", "pass", "x = 1", "def f(): ...", "async def f(x):\n    await x", "class A(B, metaclass=C):\n    x: int = 3\n    def f(self, /, a, *b, c=1, **d): return a",
    "lambda d: d", "f = lambda dout, *a, **k: (dout, a, k)", "match x:\n    case [1, *y] if y: z = y\n    case {'a': b}: pass", "def backward(dout): return", "def backward(): return 1",
    "def backward(dout, x):\n    global y\n    y = dout\n    del x\n    return y", "try:\n    x()\nexcept* E as e:\n    raise ValueError(f'{e!r:>{3}}') from e",
    "with a as (b, c), d: b += c * 2 - 1", "x[...], y[1:2, ::3] = a @ b, -c ** ~d", "[i for i in range(3) if i for j in i]", "def backward(dout, x):\n    yield dout * x\n    return (yield)",
    "a = b = c = d * e / f", "x = (y := 5) + y", "def backward(dout, x): return {'dx': dout * x, **x}", "np.sum()", "x.sum(axis)", "np.add.at(a, b)", "len()", "np.where(a, b)", "np.exp()",
    "for i, (j, k) in enumerate(zip(a, b)): c[i][j, k] += d[i, j] * x", "x = 'a' + 'b' * 3", "x = [0] * 3 + [1]", "def f(d, x): return d * x.T.shape[0] / x.shape[-1]",
    "while x < 3: x += 1", "def backward(dout, x):\n    def inner(dout): return dout * x\n    return inner(dout)",
]  # fmt: skip


@pytest.mark.parametrize("source", ODD)
def test_odd_sources_make_programs(source):
    for mutant in mutants(source):
        compile(mutant.source, "<mutant>", "exec")
        assert mutant.kind in MISTAKES and mutant.line >= 1


@pytest.mark.parametrize("module", ["json.encoder", "statistics", "colorsys", "heapq", "textwrap", "numpy.lib._histograms_impl"])
def test_no_rule_stumbles_over_strangers_code(module):
    import inspect

    source = inspect.getsource(importlib.import_module(module))
    texts = [ast.unparse(n) for n in ast.parse(source).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    short = [text for text in texts if len(text) < 3000][:10]
    assert short and sum(len(mutants(text)) for text in short) > 10


def test_mutants_are_the_same_each_time_each_once_and_never_the_answer():
    source = function("batchnorm", mutant_rows.BN)
    made = mutants(source)
    assert made == mutants(source) and len({(m.source, m.kind) for m in made}) == len(made) > 100
    assert all(ast.dump(ast.parse(m.source)) != ast.dump(ast.parse(source)) for m in made)


def test_what_is_no_python_is_said():
    with pytest.raises(SyntaxError):
        mutants("def f(:")


# ---------------------------------------------------------------- the bank


def run_of(f):
    return {"dx": [f(np.array([1.0, 2.0]))]}


def test_a_mutant_equal_to_the_reference_is_no_entry():
    entries = bank(["def backward(dout):\n    return dout * 1 + 0\n"], NAMES, "backward", run_of)
    assert entries and not named(entries, {"dx": [np.array([1.0, 2.0])]})


def test_a_mutant_that_is_right_in_another_way_is_no_entry():
    source = "def backward(dout, x):\n    return dout * (x > 0)\n"
    x = np.array([-1.0, 0.0, 2.0])

    def run(f):
        return {"dx": [np.asarray(f(np.array([3.0, 4.0, 5.0]), x), float)]}

    at_zero = {"dx": [np.array([0.0, 4.0, 5.0])]}
    assert named(bank([source], NAMES, "backward", run), at_zero)
    assert not named(bank([source], NAMES, "backward", run, right=lambda f: run(f)["dx"][0][[0, 2]].tolist() == [0, 5]), at_zero)


def test_another_value_that_merely_happens_to_be_there_names_only_what_nothing_else_does():
    source = "def backward(dout, x, w):\n    return dout * x * w\n"
    x, w, dout = np.array([1.0, 2.0, 3.0]), np.array([3.0, -1.0, 2.0]), np.array([1.5, 0.5, -1.0])
    entries = bank([source], NAMES, "backward", lambda f: {"dx": [f(dout.copy(), x, w)]})
    assert named(entries, {"dx": [dout * w * w]})["mistake"] == "FORMULA"
    alone = {"mistake": "PRE_POST", "parts": {"dx": {"form": "a", "numbers": [1.0, 2.0, 3.0]}}}
    other = {"mistake": "FORMULA", "parts": {"dx": {"form": "a", "numbers": [1.0, 2.0, 3.0 + 1e-8]}}}
    assert told_apart([(alone, True), (other, False)]) == [alone] and told_apart([(other, False)]) == [other]
    assert told_apart([(alone, True), (other, True)]) == [alone, other]


def test_a_path_that_is_not_there_may_have_been_replaced():
    sum_of_two = "f = dout * g; dx = f - f.mean(0); return dx"
    entries = bank(
        [f"def backward(dout, g):\n    {sum_of_two}\n"], NAMES, "backward", lambda f: {"dx": [f(np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 4.0]))]}
    )
    direct = named(entries, {"dx": [np.arange(6.0).reshape(2, 3) * [1.0, 2.0, 4.0]]})
    assert (direct["mistake"], direct["alternatives"]) == ("MISSING_PATH", ("OVERWRITE",))


def test_where_it_makes_no_difference_what_arrives_a_path_is_missing():
    prints = {"dx": {"form": "a", "numbers": [1.0, 2.0, 3.0]}}
    group = [({"mistake": kind, "parts": prints}, True) for kind in ("NO_UPSTREAM", "DROPPED_LOCAL", "MISSING_PATH", "OVERWRITE")]
    assert [entry["mistake"] for entry in told_apart(group)] == ["MISSING_PATH", "OVERWRITE"]


def test_an_answer_that_is_not_right_makes_no_bank():
    with pytest.raises(ValueError, match="source 2 is not right: dx"):
        bank(["def backward(dout):\n    return dout * 3\n", "def backward(dout):\n    return dout * 2\n"], NAMES, "backward", run_of)
    with pytest.raises(ValueError, match="the first source raises ZeroDivisionError"):
        bank(["def backward(dout):\n    return 1 / 0\n"], NAMES, "backward", run_of)


def test_a_mutant_that_never_ends_is_left_out():
    source = "def backward(dout):\n    n = 0\n    while n < 3:\n        n += 1\n    return dout * n\n"
    assert bank([source], NAMES, "backward", run_of, seconds=0.1)


def test_time_is_up_for_code_that_catches_everything():
    with pytest.raises(TooSlow), limited(0.05):
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass


def test_a_gradient_of_the_wrong_shape_that_was_made_to_fit_is_named_too():
    entries = bank([function("affine", mutant_rows.AFFINE)], NAMES, "backward", runner("affine"))
    fitted = "return dout @ w.T, (dout.T @ x).reshape(w.shape), dout.sum(0)"
    assert named(entries, values("affine", fitted))["mistake"] == "TRANSPOSED"


def test_the_sentence_says_which_gradient():
    entries = bank([function("affine", mutant_rows.AFFINE)], NAMES, "backward", runner("affine"))
    found = named(entries, values("affine", "return dout @ w.T, x.T @ dout, dout.mean(0)"))
    assert found["because"] == "there is a mean where a sum is due (in the gradient of `b`)"


@pytest.mark.parametrize("operation, body", [("batchnorm", mutant_rows.BN), ("conv", mutant_rows.CONV), ("rnn", mutant_rows.RNN), ("expression", ENGINE)])
def test_no_sentence_holds_a_part_of_the_answer(operation, body):
    source = function(operation, body)
    parts = {ast.unparse(n) for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.BinOp, ast.Call, ast.Subscript, ast.Attribute, ast.Compare))}
    assert len(parts) > 10
    for mutant in mutants(source):
        assert not [p for p in parts if p in mutant.because]
