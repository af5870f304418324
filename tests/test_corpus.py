"""The checker over a corpus of wrong and right backward passes, and the corpus itself against finite differences."""

import copy

import numpy as np
import pytest
from corpus import OPS, held_out, make_dout, new_operations
from corpus.references import REFERENCES

from zerohero.mistakes import MISTAKES

SEEDS = 5
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
