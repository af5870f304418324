"""Fingerprints: the same mistake is recognised, another is not, and ties are not named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerohero import atlas
from zerohero.mistakes import MISTAKES


def ok(value):
    return {"status": "ok", "value": value}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_the_last_digits_do_not_matter(numbers):
    jittered = [v * (1 + 1e-12) for v in numbers]
    assert atlas.same(atlas.fingerprint([numbers]), atlas.fingerprint([jittered]))


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
    assert not atlas.same(atlas.fingerprint([a]), atlas.fingerprint([b]))


def prints(values):
    return {part: atlas.fingerprint(given) for part, given in atlas.parts_of([v if isinstance(v, dict) and "status" in v else ok(v) for v in values]).items()}


def entry(mistake, *values):
    return {"mistake": mistake, "because": f"{mistake} it is", "next": "", "parts": prints(values)}


def test_an_exception_is_part_of_the_fingerprint(monkeypatch):
    raised = {"status": "raised", "type": "ZeroDivisionError", "message": "x", "line": ""}
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [entry("UNSTABLE", 1.0, raised)]})
    assert atlas.look_up("m99-x", [ok(1.0), raised])["mistake"] == "UNSTABLE"
    assert atlas.look_up("m99-x", [ok(1.0), {**raised, "type": "ValueError"}]) == {}
    assert atlas.look_up("m99-x", [ok(1.0), ok(2.0)]) == {}


def test_a_name_needs_agreement_on_every_case(monkeypatch):
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [entry("OVERWRITE", 1.0, 2.0), entry("SIGN_FLIP", -1.0, -2.0)]})
    assert atlas.look_up("m99-x", [ok(1.0), ok(2.0)])["mistake"] == "OVERWRITE"
    assert atlas.look_up("m99-x", [ok(1.0), ok(3.0)]) == {}
    assert atlas.look_up("m99-x", [ok(1.0)]) == {}
    assert atlas.look_up("m99-y", [ok(1.0)]) == {}


def test_a_difference_in_a_case_of_small_numbers_is_not_hidden_by_large_ones(monkeypatch):
    large, small = np.full(5, 1e6), np.full(5, 1e-3)
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [entry("OVERWRITE", large, small)]})
    assert atlas.look_up("m99-x", [ok(large), ok(small)])["mistake"] == "OVERWRITE"
    assert atlas.look_up("m99-x", [ok(large), ok(small * (1 + 1e-5))]) == {}


def test_rounding_noise_around_zero_does_not_matter(monkeypatch):
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [entry("OVERWRITE", np.ones(3), np.full(3, 2e-17))]})
    assert atlas.look_up("m99-x", [ok(np.ones(3)), ok(np.array([0.0, 1e-16, -3e-17]))])["mistake"] == "OVERWRITE"


def test_an_answer_in_float32_is_recognised(monkeypatch):
    values = np.random.default_rng(0).standard_normal(50)
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [entry("OVERWRITE", values)]})
    single = ok({"dx": values.astype(np.float32).astype(np.float64)})
    assert atlas.look_up("m99-x", [ok(values.astype(np.float32).astype(np.float64))])["mistake"] == "OVERWRITE"
    assert atlas.look_up("m99-x", [ok(values * (1 + 1e-6))]) == {}
    assert atlas.look_up("m99-x", [single]) == {}


# ---------------------------------------------------------------- parts


def gradients(**arrays):
    return ok({name: np.array(a, float) for name, a in arrays.items()})


def wrong(mistake, **arrays):
    return {"mistake": mistake, "because": mistake, "next": "", "parts": {name: atlas.fingerprint([np.array(a, float)]) for name, a in arrays.items()}}


def look_up(monkeypatch, entries, about="", **arrays):
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": entries})
    return atlas.look_up("m99-x", [gradients(**arrays)], dict, about)


def test_a_part_that_is_right_may_be_anything_that_no_entry_knows(monkeypatch):
    found = look_up(monkeypatch, [wrong("SIGN_FLIP", dw=[-1, -2])], dx=[5, 6], dw=[-1, -2])
    assert found["mistake"] == "SIGN_FLIP"


def test_two_mistakes_in_two_gradients_are_found_each_by_itself(monkeypatch):
    bank = [wrong("SIGN_FLIP", dx=[-5, -6]), wrong("EXTRA_MEAN", dw=[0.5, 1])]
    assert look_up(monkeypatch, bank, dx=[-5, -6], dw=[0.5, 1])["mistake"] == "SIGN_FLIP"
    assert look_up(monkeypatch, bank, about="dw", dx=[-5, -6], dw=[0.5, 1])["mistake"] == "EXTRA_MEAN"


def test_what_explains_all_wrong_parts_comes_before_what_explains_one(monkeypatch):
    bank = [wrong("NO_UPSTREAM", dx=[1, 2]), wrong("PRE_POST", dx=[1, 2], dw=[3, 4])]
    assert look_up(monkeypatch, bank, dx=[1, 2], dw=[3, 4])["mistake"] == "PRE_POST"
    assert look_up(monkeypatch, bank, dx=[1, 2], dw=[0, 0])["mistake"] == "NO_UPSTREAM"


def test_an_entry_that_explains_one_gradient_of_its_several_still_names_it(monkeypatch):
    assert look_up(monkeypatch, [wrong("PRE_POST", dx=[1, 2], dw=[3, 4])], dx=[1, 2], dw=[7, 8])["mistake"] == "PRE_POST"


def test_gradients_in_each_others_place_are_so_in_both(monkeypatch):
    swapped = wrong("SWAPPED", dx=[3, 4], dw=[1, 2])
    assert look_up(monkeypatch, [swapped], dx=[3, 4], dw=[1, 2])["mistake"] == "SWAPPED"
    assert look_up(monkeypatch, [swapped], dx=[3, 4], dw=[5, 6]) == {}
    assert look_up(monkeypatch, [swapped, wrong("DROPPED_LOCAL", dx=[3, 4])], dx=[3, 4], dw=[5, 6])["mistake"] == "DROPPED_LOCAL"


def test_a_report_about_one_gradient_is_not_named_after_another(monkeypatch):
    assert look_up(monkeypatch, [wrong("SIGN_FLIP", dw=[-1, -2])], about="dx", dx=[5, 6], dw=[-1, -2]) == {}


def test_several_kinds_are_said_as_one_of_and_too_many_not_at_all(monkeypatch):
    bank = [wrong(kind, dx=[1, 2]) for kind in ("FORMULA", "SIGN_FLIP", "PRE_POST")]
    found = look_up(monkeypatch, bank[:2], dx=[1, 2])
    assert (found["mistake"], found["alternatives"]) == ("SIGN_FLIP", ("FORMULA",))
    assert look_up(monkeypatch, bank, dx=[1, 2]) == {}


def test_every_kind_has_its_place_in_the_order_of_preference():
    assert sorted(atlas.PREFERENCE) == sorted(MISTAKES)


def test_an_output_that_parts_cannot_read_is_not_named(monkeypatch):
    monkeypatch.setattr(atlas, "entries", lambda: {"m99-x": [wrong("SIGN_FLIP", dx=[1, 2])]})
    assert atlas.look_up("m99-x", [ok(None)], dict) == {}


def test_a_gradient_of_another_shape_is_another_answer(monkeypatch):
    assert look_up(monkeypatch, [wrong("SHAPE", dx=[[1, 2]])], dx=[1, 2]) == {}
