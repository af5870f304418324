"""The designed inputs, against known wrong backward passes: each must show on them, none of the right ones may."""

import functools
import math
import re

import numpy as np
import pytest
from corpus import OPS as CORPUS_OPS
from corpus import RIGHT, WRONG, held_out, new_operations, scalar_engine
from hypothesis import given, settings
from hypothesis import strategies as st
from signatures import NEW_SIGNATURES
from signatures import SIGNATURES as CORPUS_SIGNATURES

from zerohero.gradcheck.arguments import Plan, numbers, shape_of, upstream
from zerohero.gradcheck.design import PRIMES, Array, Choice, Designed, Ids, Integer, Labels, Padding, Size, Stride, design, signature
from zerohero.gradcheck.expressions import DEEP, Expression, apply, chain, expressions, graph, inputs_of_each, itself, run, slopes, tree
from zerohero.gradcheck.verdict import LOCALISE
from zerohero.plaindata import decode, encode

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # what overflows is meant to
OPS, SIGNATURES = CORPUS_OPS | new_operations.OPS, CORPUS_SIGNATURES | NEW_SIGNATURES
SEEDS = range(20)
seeds = st.integers(0, 2**32 - 1)


@functools.cache
def draw(name, seed):
    return design(SIGNATURES[name], OPS[name].forward, np.random.RandomState(seed))


def cases_of(*corpora, without=()):
    return [pytest.param(case, id=f"{case.op}: {case.note}") for corpus in corpora for case in corpus if case.op != "scalar" and case.note not in without]


# ---------------------------------------------------------------- the oracle: a backward pass known to be right


def copies(values):
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


def call(backward, dout, arguments):
    """(gradients, whether everything handed in is as it was)."""
    given = copies(arguments)
    upstream = tuple(copies(dout)) if isinstance(dout, tuple) else copies([dout])[0]
    gradients = backward(upstream, *given)
    kept = zip((*given, *(upstream if isinstance(upstream, tuple) else [upstream])), (*arguments, *(dout if isinstance(dout, tuple) else [dout])), strict=True)
    return gradients, all(np.array_equal(one, other) for one, other in kept)


def close(actual, expected):
    rtol = 2e-6 if getattr(actual, "dtype", None) == np.float32 else 1e-9
    return bool(np.all(np.abs(np.asarray(actual, dtype=float) - expected) <= rtol * np.abs(expected) + rtol * np.max(np.abs(expected), initial=0.1)))


def is_subgradient(forward, dout, x, rest, g):
    """The subgradient inequality D-(u) <= <g, u> <= D+(u) for a piecewise linear operation and an upstream gradient of one sign."""
    sign = 1 if np.all(dout >= 0) else -1
    units = np.eye(x.size).reshape(-1, *x.shape) if x.size < 200 else []
    for u in [np.ones_like(x), *units, *np.random.RandomState(0).standard_normal((40, *x.shape))]:
        up, at, down = (float(np.sum(dout * forward(x + t * u, *rest))) for t in (1e-4, 0.0, -1e-4))
        low, high = sorted(((at - down) / 1e-4, (up - at) / 1e-4))
        assert sign * (up - 2 * at + down) >= -1e-9  # the test's own premise
        if not low - 1e-6 <= np.sum(g * u) <= high + 1e-6:
            return False
    return True


def shows(backward, name, case):
    """Whether this case tells ``backward`` from a right one."""
    op, arguments = OPS[name], list(case.arguments.values())
    try:
        given, kept = call(backward, case.dout, arguments)
        again, _ = call(backward, case.dout, arguments)
    except Exception:
        return True
    true = op.backward(case.dout, *copies(arguments))
    if not kept or len(given) != len(true):
        return True
    for g, h, t in zip(given, again, true, strict=True):
        if np.shape(g) != np.shape(t) or np.asarray(g).dtype.kind != "f" or not np.isfinite(g).all() or not np.array_equal(g, h):
            return True
    if case.group in ("ties", "zeros"):
        return not is_subgradient(op.forward, case.dout, arguments[0], arguments[1:], np.asarray(given[0]))
    return not all(close(g, t) for g, t in zip(given, true, strict=True))


@pytest.mark.parametrize("wrong", cases_of(WRONG, held_out.WRONG, new_operations.WRONG))
def test_every_wrong_backward_shows_on_a_designed_case(wrong):
    hidden = [seed for seed in SEEDS if not any(shows(wrong.fn, wrong.op, case) for case in draw(wrong.op, seed))]
    assert not hidden


THREE_AXES_ONLY = "einsum over named axes, float32 bias"  # right in the cases it was written for, and wrong of an operation on any leading axes


@pytest.mark.parametrize("right", cases_of(RIGHT, held_out.RIGHT, new_operations.RIGHT, without=[THREE_AXES_ONLY]))
def test_no_right_backward_shows_on_any_designed_case(right):
    assert not [(seed, case.group) for seed in SEEDS[:5] for case in draw(right.op, seed) if shows(right.fn, right.op, case)]


@pytest.mark.parametrize("name", SIGNATURES)
def test_right_backward_passes_take_arrays_that_are_read_only_and_not_contiguous(name):
    """Exercises hand out contiguous arrays; whoever hands out others gets the same gradients."""

    def strided(value):
        if not isinstance(value, np.ndarray):
            return value
        view = np.repeat(value[..., None], 2, axis=-1)[..., 0]
        view.setflags(write=False)
        return view

    for case in draw(name, 0):
        plain = OPS[name].backward(case.dout, *case.arguments.values())
        dout = tuple(map(strided, case.dout)) if isinstance(case.dout, tuple) else strided(case.dout)
        for one, other in zip(plain, OPS[name].backward(dout, *map(strided, case.arguments.values())), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


# what inputs drawn without thought hide: facts the designer is made of
HIDDEN_BY_TOY_INPUTS = {
    "affine": ["dW has 1/m twice (loss gradient already averaged)"],
    "softmax_ce": ["no /N"],
    "rnn_step": ["db averaged over the batch", "dWh uses next_h, not prev_h (time off by one)"],
    "dropout": ["1/p instead of 1/(1-p) (same when p=.5)"],
    "embedding": ["dW[idx] = dout", "dW[idx] += dout (buffered, loses repeats)", "averages repeated rows instead of summing"],
    "layernorm": ["means divided by shape[0], not by D", "dgamma summed over axis 0 only (3-D input)"],
    "conv2d": ["pad cropped from the start only", "wrong channel index"],
    "maxpool": ["mask x==max: ties all get the full gradient", "argmax decoded with the height, not the width", "argmax over channels too"],
    "softmax": ["exp without max subtraction"],
    "logsumexp": ["exp(x)/sum exp(x)"],
}


@pytest.mark.parametrize("name", HIDDEN_BY_TOY_INPUTS)
def test_without_the_design_these_do_not_show(name):
    """So the test above can fail: batch 1, square, p = .5, distinct ids, stride as long as the window, small numbers."""
    toy = np.random.default_rng(1)
    arguments = OPS[name].make(toy, "toy")
    if name == "rnn_step":
        arguments[1:4] = [np.zeros((1, 3)), arguments[2], np.zeros((3, 3))]
    case = Designed("toy", dict(enumerate(arguments)), upstream(np.random.RandomState(1), OPS[name].forward(*arguments)))
    shown = {wrong.note for wrong in WRONG if wrong.op == name and shows(wrong.fn, name, case)}
    hidden = set(HIDDEN_BY_TOY_INPUTS[name]) - ({"dWh uses next_h, not prev_h (time off by one)"} if name == "rnn_step" else set())
    assert not hidden & shown


# ---------------------------------------------------------------- properties of the cases


@settings(max_examples=30, deadline=None)
@given(seed=seeds, name=st.sampled_from(sorted(SIGNATURES)))
def test_sizes_are_different_primes_except_where_one_is_asked_for(seed, name):
    takes = SIGNATURES[name]
    windows = {"A", "B", "H", "W"} if name in ("conv2d", "maxpool") else set()  # different, not all prime
    for plan in takes.plans(np.random.RandomState(seed)):
        sizes = {key: size for key, size in plan.sizes.items() if key not in ("stride", "padding")}
        flat = [*sizes.pop("...", ()), *sizes.values()]
        large = [size for size in flat if size > 1]
        assert len(set(large)) == len(large) >= len(flat) - (2 if windows and sizes["A"] == 1 else 1)
        assert all(size != 2 and math.gcd(size, k) == 1 for key, size in sizes.items() if key not in windows for k in range(2, size))


@settings(max_examples=30, deadline=None)
@given(seed=seeds, name=st.sampled_from(sorted(SIGNATURES)))
def test_cases_are_plain_data_of_the_declared_groups_and_the_same_twice(seed, name):
    cases, again = draw(name, seed), draw.__wrapped__(name, seed)
    assert tuple(dict.fromkeys(case.group for case in cases)) == SIGNATURES[name].groups
    assert all(np.size(value) <= LOCALISE for case in cases for value in case.arguments.values())
    for case, other in zip(cases, again, strict=True):
        assert list(case.arguments) == list(SIGNATURES[name].arguments)
        assert encode(decode(encode(case.arguments))) == encode(case.arguments) == encode(other.arguments)
        assert encode(case.dout) == encode(other.dout)
        for value in case.arguments.values():
            assert not isinstance(value, np.ndarray) or (value.flags.c_contiguous and value.flags.writeable and value.dtype in (np.float64, np.int64))


@settings(max_examples=30, deadline=None)
@given(seed=seeds, name=st.sampled_from(sorted(SIGNATURES)))
def test_the_upstream_gradient_has_the_shape_of_the_output_and_is_never_one(seed, name):
    for case in draw(name, seed):
        out = OPS[name].forward(*case.arguments.values())
        for dout, one in zip(*((case.dout, out) if isinstance(out, tuple) else ([case.dout], [out])), strict=True):
            assert np.shape(dout) == np.shape(one) and np.all(np.asarray(dout) != 0)
            assert np.ndim(dout) == 0 or np.size(dout) < 100 or np.mean(dout == 1) < 0.01
            assert np.ndim(dout) > 0 or 1.2 <= abs(dout) <= 3.5
            if case.group in ("ties", "zeros"):
                assert np.all(np.asarray(dout) > 0) or np.all(np.asarray(dout) < 0)
            elif np.size(dout) > 20:
                assert np.any(dout > 0) and np.any(dout < 0)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, shape=st.lists(st.integers(0, 12), max_size=3).map(tuple))
def test_numbers_keep_away_from_zero_and_from_each_other(seed, shape):
    x = numbers(np.random.RandomState(seed), shape)
    assert x.shape == shape and x.dtype == np.float64
    assert np.all(np.abs(x) >= 0.05) and np.all(np.abs(x) < 20)
    gaps = np.diff(np.sort(x.ravel()))
    assert gaps.size == 0 or gaps.min() >= min(0.02, 4 / x.size) - 2e-4


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_ids_are_distinct_except_where_they_repeat(seed):
    for case in draw("embedding", seed):
        w, ids = case.arguments.values()
        assert ids.min() >= 0 and ids.max() < len(w)
        repeated = np.unique(ids).size < ids.size
        assert repeated if case.group == "repeated ids" else not repeated or len(w) == 1
        if case.group == "repeated ids":
            assert np.unique(ids).size < len(w)  # a row that nothing picks


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_labels_hold_the_first_and_the_last_class(seed):
    labels = Labels("N", below="C").draw(Plan("values", {"N": 5, "C": 7}), np.random.RandomState(seed))
    assert {0, 6} <= set(labels.tolist()) and labels.max() == 6


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_windows_fit_overlap_and_are_not_square(seed):
    strides = {}
    for case in draw("conv2d", seed):
        x, w, _b, stride, pad = case.arguments.values()
        (H, W), (A, B) = x.shape[2:], w.shape[2:]
        assert (A != B or A == B == 1) and H != W and H + 2 * pad >= A and W + 2 * pad >= B
        assert case.dout.shape[2] > 1 and case.dout.shape[3] > 1 and case.dout.shape[2] != case.dout.shape[3]
        strides.setdefault(case.group, []).append((stride, pad, stride < max(A, B)))
    assert all(not overlap and pad == 0 for _, pad, overlap in strides["values"])
    assert all(overlap for _, _, overlap in strides["overlapping windows"] + strides["strides and padding"])
    assert {(1, 1), (2, 1), (2, 0)} == {(stride, pad) for stride, pad, _ in strides["strides and padding"]}


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_ties_are_at_the_maximum_of_some_window(seed):
    for case in draw("maxpool", seed):
        x, height, width, stride = case.arguments.values()
        windows = np.lib.stride_tricks.sliding_window_view(x, (height, width), axis=(2, 3))[:, :, ::stride, ::stride]
        at_max = (windows == windows.max((-1, -2), keepdims=True)).sum((-1, -2))
        assert (at_max.max() > 1) == (case.group == "ties")


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_a_probability_is_never_a_half_and_a_mask_has_both(seed):
    for case in draw("dropout", seed):
        x, mask, p = case.arguments.values()
        assert 0.15 <= p <= 0.85 and abs(p - 0.5) > 0.099
        assert set(mask.ravel()) == {0.0, 1.0}
        assert np.any(x == 0) == (case.group == "zeros")


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_large_numbers_overflow_in_one_row_and_not_in_another(seed):
    large = [case.arguments["x"] for case in draw("softmax", seed) if case.group == "large numbers"]
    with np.errstate(over="ignore"):
        rows = np.concatenate([np.exp(x).sum(-1) for x in large])
    assert np.isinf(rows).any() and (rows == 0).any() and (np.isfinite(rows) & (rows > 0)).any()


def test_rows_and_columns_of_small_variance():
    rows, columns = (case.arguments["x"] for case in draw("batchnorm", 0) if case.group == "nearly equal numbers")
    assert rows.std(1).min() < 0.02 < 0.3 < rows.std(1).max()
    assert columns.std(0).min() < 0.1 < 0.3 < columns.std(0).max() and abs(columns.mean()) > 1


def test_empty_only_where_it_is_asked_for():
    plain, empty = signature(x=Array("N D")), signature(x=Array("N D", empty=True))
    assert "empty" not in plain.groups and empty.groups[-1] == "empty"
    case = design(empty, lambda x: 2 * x, np.random.RandomState(0))[-1]
    assert case.arguments["x"].shape[0] == 0 == case.dout.shape[0]
    leading = design(signature(x=Array("... D", empty=True)), lambda x: 2 * x, np.random.RandomState(0))[-1]
    assert leading.arguments["x"].shape[0] == 0 < leading.arguments["x"].shape[1]


def test_kinks_inside_the_operation_are_kept_away_from(monkeypatch):
    """relu(x @ w): the arguments alone do not say where its kinks are."""
    takes = signature(x=Array("N D"), w=Array("D M")).at_least(M=23)

    def forward(x, w):
        return np.maximum(x @ w, 0.0)

    def crossed(seeds):
        """How many cases have a kink within a step of 1e-3 along a random direction."""
        count = 0
        for seed in seeds:
            for case in design(takes, forward, np.random.RandomState(seed)):
                x, w = case.arguments.values()
                u, v = np.random.RandomState(0).standard_normal(x.shape), np.random.RandomState(1).standard_normal(w.shape)
                count += np.any(((x + 1e-3 * u) @ (w + 1e-3 * v) > 0) != ((x - 1e-3 * u) @ (w - 1e-3 * v) > 0))
        return count

    kept_away = crossed(range(80))
    monkeypatch.setattr("zerohero.gradcheck.design.REDRAWS", 0)
    assert 3 * kept_away < crossed(range(80))


@pytest.mark.parametrize(
    "declare, message",
    [
        (lambda: signature(w=Array("V D"), ids=Ids("N", below="U")), "ids: no argument has an axis 'U'; there are V, D, N"),
        (lambda: signature(dout=Array("N")), 'an argument cannot be called "dout"'),
        (lambda: signature(p=Choice([0.3])), "no argument has a gradient"),
        (lambda: signature(x=Array("... N ...")), 'x: "..." can stand once only'),
        (lambda: signature(x=Array("N H"), a=Size("A"), s=Stride("A", over="L")), "s: no argument has an axis 'L'"),
        (lambda: signature(x=Array("H W"), a=Size("A"), s=Stride("A", over="H W")), "s: as many sizes of the window as axes under it"),
        (lambda: signature(x=Array("H"), p=Padding()), "a Padding needs a Stride beside it"),
        (lambda: signature(x=Array("N D")).at_least(M=2), "at_least(M=...): no argument has an axis 'M'; there are N, D"),
    ],
)
def test_a_signature_that_makes_no_sense_says_why(declare, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        declare()


def test_sizes_that_do_not_exist_are_named():
    takes = signature(x=Array("N D")).at_least(D=PRIMES[-1] + 1)
    with pytest.raises(ValueError, match="no size is left for the axis 'D': at most 31, different from the others, at least 32"):
        design(takes, np.sin, np.random.RandomState(0))


def test_shapes_by_hand():
    assert shape_of("N (4 H) ... 1", {"N": 3, "H": 5, "...": (2, 7)}) == (3, 20, 2, 7, 1)
    assert shape_of("(...) M", {"M": 3, "...": (2, 7)}) == (14, 3)
    assert shape_of("", {}) == ()


def test_small_arguments_and_choices_stay_within_what_was_declared():
    takes = signature(x=Array("N", positive=True, scale=0.1), k=Integer(2, 4), mode=Choice(["same", "valid"]))
    cases = [case for seed in range(20) for case in design(takes, lambda x, k, mode: x**k, np.random.RandomState(seed))]
    assert {case.arguments["k"] for case in cases} == {2, 3, 4}
    assert {case.arguments["mode"] for case in cases} == {"same", "valid"}
    assert all(np.all(case.arguments["x"] > 0) for case in cases)
    assert takes.differentiable == ("x",)


# ---------------------------------------------------------------- expressions for a scalar engine


def lifted(k, x):
    """The number as a value of the engine that x is of."""
    return scalar_engine.Value(k, (), x.bug) if isinstance(x, scalar_engine.Value) else type(x)(float(k))


ON_ENGINE = {
    "** k": lambda x, k: x.pow(k),
    "+ k": lambda x, k: x + lifted(k, x),
    "k *": lambda x, k: lifted(k, x) * x,
    "k -": lambda x, k: lifted(k, x) - x,
    "k /": lambda x, k: lifted(k, x) / x,
}


def run_on_engine(leaves, steps):
    """The last value on an engine of the corpus, where a number has to become a value first and a power is a method."""
    values = list(leaves)
    for sign, place, *second in steps:
        known = ON_ENGINE.get(sign)
        values.append(known(values[place], *second) if known else apply(sign, values[place], *(values[other] for other in second)))
    return values[-1]


@pytest.fixture
def engine(monkeypatch):
    """The corpus's passes take eight leaves and the name of one of two graphs: here, the number of a designed expression."""
    drawn: list[Expression] = []
    for corpus in (scalar_engine, held_out):
        monkeypatch.setattr(corpus, "expression", lambda v, number: run_on_engine(v[: len(drawn[number].leaves)], drawn[number].steps))
    return drawn


def engine_shows(backward, drawn, number):
    leaves = np.array([*drawn[number].leaves, *[1.0] * (8 - len(drawn[number].leaves))])
    true = slopes(drawn[number].leaves, drawn[number].steps, leaves_only=True)
    given, again = (np.asarray(backward(-1.7, leaves.copy(), number)[0])[: len(true)] for _ in range(2))
    return not np.array_equal(given, again) or not np.allclose(given, -1.7 * np.array(true), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("wrong", [pytest.param(case, id=case.note) for case in WRONG + held_out.WRONG if case.op == "scalar"])
def test_every_wrong_engine_shows_on_a_designed_expression(wrong, engine):
    for seed in SEEDS:
        scalar_engine._left_over.clear()
        engine[:] = expressions(np.random.RandomState(seed))[:-1]  # without the deep chain: this engine calls itself
        assert any(engine_shows(wrong.fn, engine, number) for number in range(len(engine))), seed


ENGINES = [case for case in RIGHT + held_out.RIGHT if case.op == "scalar" and "division as pow" not in case.note]  # that one knows two graphs only


@pytest.mark.parametrize("right", [OPS["scalar"].backward, *(case.fn for case in ENGINES)])
def test_right_engines_do_not_show(right, engine):
    for seed in SEEDS[:10]:
        engine[:] = expressions(np.random.RandomState(seed))[:-1]
        assert not any(engine_shows(right, engine, number) for number in range(len(engine)))


@pytest.mark.parametrize(
    "note", ["__add__ uses = ; x+x gives 1", "__mul__ uses =", "recursion without topological sort", "pre-order visit: node processed before all its consumers"]
)
def test_a_tree_does_not_show_what_an_engine_does_with_a_value_used_twice(note, engine):
    wrong = next(case.fn for case in WRONG if case.note == note)
    engine[:] = [tree(np.random.RandomState(seed), 4) for seed in range(5)]
    assert not any(engine_shows(wrong, engine, number) for number in range(5))


def test_the_deep_chain_is_longer_than_the_recursion_limit_allows(engine):
    engine[:] = [chain(np.random.RandomState(0))]
    with pytest.raises(RecursionError):
        engine_shows(OPS["scalar"].backward, engine, 0)
    assert len(engine[0].steps) == DEEP > 1_000
    a, c, k = engine[0].leaves  # y = (a + (DEEP - 1) c) k
    np.testing.assert_allclose(slopes(engine[0].leaves, engine[0].steps, leaves_only=True), [k, (DEEP - 1) * k, a + (DEEP - 1) * c], rtol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_expressions_are_sound_and_their_gradients_distinct(seed):
    for one in expressions(np.random.RandomState(seed)):
        values = [complex(x).real for x in run(one.leaves, one.steps)]
        assert all(0.05 <= abs(x) <= 20 for x in values) or one.group in ("deep chain", "relu of a negative number")
        gradients = np.abs(slopes(one.leaves, one.steps, leaves_only=True))
        assert np.min(gradients) > 0.05 and len(np.unique(np.round(gradients, 6))) == len(gradients)
        assert encode(decode(encode([one.leaves, one.steps]))) == encode([one.leaves, one.steps])


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_in_a_tree_everything_is_used_once_and_in_a_graph_not(seed):
    rng = np.random.RandomState(seed)
    used = [one for inputs in inputs_of_each(tree(rng, 5)) for one in inputs]
    assert sorted(used) == list(range(len(used)))
    for one in (graph(rng, 2, 5), graph(rng, 3, 5, "+*")):
        inputs = inputs_of_each(one)
        consumers = [[place for place, made_of in enumerate(inputs) if at in made_of] for at in range(len(inputs))]
        depth = [0] * len(inputs)
        paths = [set() for _ in inputs]
        paths[-1] = {0}
        for at in reversed(range(len(inputs) - 1)):
            paths[at] = {length + 1 for place in consumers[at] for length in paths[place]}
            depth[at] = len(paths[at])
        assert max(depth[: len(one.leaves)]) > 1 and max(depth[len(one.leaves) :]) > 1


def test_slopes_by_hand():
    assert slopes([3.0], [["+", 0, 0]]) == [2.0, 1.0]
    assert slopes([3.0], [["*", 0, 0]]) == [6.0, 1.0]
    np.testing.assert_allclose(slopes([0.5], [["tanh", 0], ["k -", 1, 2.0]]), [-(1 - math.tanh(0.5) ** 2), -1.0, 1.0])
    assert itself(np.random.RandomState(0), "+").steps[0] == ["+", 0, 0]
