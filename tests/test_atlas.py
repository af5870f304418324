"""Fingerprints: the same mistake is recognised, another is not, and ties are not named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerohero import atlas


def ok(value):
    return {"status": "ok", "value": value}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_the_last_digits_do_not_matter(numbers):
    jittered = [v * (1 + 1e-12) for v in numbers]
    assert atlas.same(atlas.fingerprint(ok(numbers)), atlas.fingerprint(ok(jittered)))


@pytest.mark.parametrize(
    "a, b",
    [
        ([1.0, 2.0], [2.0, 1.0]),
        ([1.0, 2.0], [1.0, 2.0001]),
        (1.0, [1.0]),
        (1.0, "1.0"),
        ([1.0], [float("nan")]),
        (np.ones(2), np.ones((2, 1))),
        (True, False),
        (None, 0.0),
    ],
)
def test_different_outputs_have_different_fingerprints(a, b):
    assert not atlas.same(atlas.fingerprint(ok(a)), atlas.fingerprint(ok(b)))


def test_an_exception_is_part_of_the_fingerprint():
    raised = {"status": "raised", "type": "ZeroDivisionError", "message": "x", "line": ""}
    assert not atlas.same(atlas.fingerprint(raised), atlas.fingerprint({**raised, "type": "ValueError"}))


def entry(mistake, *values):
    return {"mistake": mistake, "because": f"{mistake} it is", "next": "", "cases": [atlas.fingerprint(ok(v)) for v in values]}


def test_a_name_needs_agreement_on_every_case(monkeypatch):
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [entry("OVERWRITE", 1.0, 2.0), entry("SIGN_FLIP", -1.0, -2.0)]})
    assert atlas.look_up("m99-x", [ok(1.0), ok(2.0)])["mistake"] == "OVERWRITE"
    assert atlas.look_up("m99-x", [ok(1.0), ok(3.0)]) == {}
    assert atlas.look_up("m99-x", [ok(1.0)]) == {}
    assert atlas.look_up("m99-y", [ok(1.0)]) == {}


def test_two_kinds_with_one_fingerprint_are_not_named(monkeypatch):
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [entry("OVERWRITE", 1.0), entry("SIGN_FLIP", 1.0)]})
    assert atlas.look_up("m99-x", [ok(1.0)]) == {}
