"""The checker over a corpus of wrong and right backward passes, and the corpus itself against finite differences."""

import copy
from collections import Counter

import numpy as np
import pytest
from corpus import OPS, RIGHT, WRONG, Case, checking, held_out, make_dout, new_operations
from corpus.references import REFERENCES

from zerohero.mistakes import MISTAKES

SEEDS = 5
INPUTS = 1  # benchmarks/bench_corpus.py goes through 20, and 1,000 draws of directions
ALL_WRONG = [*WRONG, *held_out.WRONG, *new_operations.WRONG]
ALL_RIGHT = [*RIGHT, *held_out.RIGHT, *new_operations.RIGHT]
ALL_OPS = {**OPS, **new_operations.OPS}
REFERENCE_IDS = [(name, reference) for name, references in REFERENCES.items() for reference in references]


def inputs(op, mode, seed):
    """(args, dout) of an operation, the same for the same seed."""
    rng = np.random.default_rng([seed, op.modes.index(mode)])
    args = op.make(rng, mode)
    return args, make_dout(op, args, rng)


def test_every_operation_has_a_reference():
    assert set(REFERENCES) == set(OPS)


def test_held_out_cases_cover_every_operation_and_kind():
    assert {case.op for case in held_out.WRONG} == {case.op for case in held_out.RIGHT} == set(OPS)
    assert {case.label for case in held_out.WRONG} == set(MISTAKES) - {"RECURSION"}


@pytest.mark.parametrize(("name", "reference"), REFERENCE_IDS, ids=[reference.name for _, reference in REFERENCE_IDS])
def test_reference_gives_the_gradient_of_its_operation(name, reference):
    op = OPS[name]
    for mode in op.modes:
        for seed in range(SEEDS):
            args, dout = inputs(op, mode, seed)
            given, truth = copy.deepcopy(args), op.backward(dout, *args)
            atol = 1e-10 * max(np.abs(gradient).max() for gradient in truth)
            for gradient, expected in zip(reference.function(copy.deepcopy(dout), *given), truth, strict=True):
                np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=atol, err_msg=f"{mode}, seed {seed}")
            for before, after in zip(args, given, strict=True):
                np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("name", ALL_OPS)
def test_operation_against_finite_differences(name):
    """Away from kinks, one element at a time, by a plain central difference."""
    op, h = ALL_OPS[name], 1e-6
    for mode in op.modes:
        if mode == "extreme":
            continue  # kinks, and logits so large that slopes vanish
        args, dout = inputs(op, mode, 0)

        def loss(op=op, args=args, dout=dout):
            out = op.forward(*args)
            return sum(np.sum(d * o) for d, o in zip(dout, out, strict=True)) if isinstance(out, tuple) else np.sum(dout * out)

        for which, gradient in zip(op.diff, op.backward(dout, *args), strict=True):
            assert gradient.shape == args[which].shape
            slope = np.zeros_like(gradient)
            for index in np.ndindex(gradient.shape):
                start = args[which][index]
                args[which][index] = start + h
                up = loss()
                args[which][index] = start - h
                slope[index] = (up - loss()) / (2 * h)
                args[which][index] = start
            np.testing.assert_allclose(gradient, slope, rtol=1e-4, atol=1e-6 * (1 + np.abs(slope).max()), err_msg=f"{mode}, argument {which}")


@pytest.mark.parametrize(("name", "reference"), REFERENCE_IDS, ids=[reference.name for _, reference in REFERENCE_IDS])
def test_reference_source_runs_on_its_own(name, reference):
    names = dict(reference.names)
    exec(reference.source, names)
    args, dout = inputs(OPS[name], "strong", 1)
    for gradient, expected in zip(names[reference.name](dout, *args), OPS[name].backward(dout, *args), strict=True):
        np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12)


def test_size_of_the_corpus():
    assert (len(OPS), len(WRONG), len(RIGHT)) == (20, 112, 29)


@pytest.mark.parametrize("name", ALL_OPS)
def test_every_wrong_answer_is_rejected(name):
    passed = [
        (case.note, seed)
        for case in ALL_WRONG
        for seed in range(INPUTS)
        if case.op == name and not checking.rejected(ALL_OPS[name], case.fn, seed, all_modes=False)
    ]
    assert not passed


@pytest.mark.parametrize("name", ALL_OPS)
def test_every_right_answer_is_accepted(name):
    right = [case for case in ALL_RIGHT if case.op == name] + [
        Case(name, reference.function, "RIGHT", reference.name) for n, reference in REFERENCE_IDS if n == name
    ]
    failed = [(case.note, mode, seed) for case in right for seed in range(INPUTS) for mode in checking.rejected(ALL_OPS[name], case.fn, seed)]
    assert not failed


def named(cases):
    """How often the cases are named "right", "one of", "unnamed" and "wrong", and what was said of those not right."""
    counts, said = Counter(), []
    for case in cases:
        name = checking.name(ALL_OPS[case.op], case.fn, 0)
        answer = checking.verdict_on(case.label, name)
        counts[answer] += 1
        if answer != "right":
            said.append(f"{case.op}, {case.note}: {case.label}, {answer}: {name.mistake or '-'} {name.alternatives or ''}")
    print(len(cases), "cases:", dict(counts), *said, sep="\n")
    return {answer: counts[answer] / len(cases) for answer in counts}, said


def test_mistakes_of_the_corpus_are_named():
    share, said = named(WRONG)
    assert share["right"] >= 0.9, said
    assert share.get("wrong", 0) <= 0.02, said


@pytest.mark.parametrize(("cases", "least", "most_wrong"), [(held_out.WRONG, 0.9, 0.02), (new_operations.WRONG, 0.9, 0.02)], ids=["held out", "new operations"])
def test_mistakes_not_seen_before_are_named(cases, least, most_wrong):
    share, said = named(cases)
    assert share["right"] >= least, said
    assert share.get("wrong", 0) <= most_wrong, said
