"""What may cross from the student's process, and what may not."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zerohero.errors import NotPlainData
from zerohero.plaindata import MAX_BYTES, Other, decode, encode, to_plain

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8).filter(lambda k: not k.startswith("__")), inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_round_trip_keeps_everything(value):
    assert decode(encode(value)) == value


@given(hnp.arrays(dtype=st.sampled_from(["float64", "float32", "int64", "bool"]), shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)))
def test_arrays_keep_every_bit_dtype_and_shape(array):
    back = decode(encode(array))
    assert back.dtype == array.dtype and back.shape == array.shape and back.tobytes() == np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_floats_that_json_does_not_know(value):
    back = decode(encode(value))
    assert back == value or (math.isnan(back) and math.isnan(value))


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: b.decode("latin-1")))
def test_garbage_is_refused_by_one_exception(garbage):
    try:
        decode(garbage)
    except NotPlainData:
        pass


@pytest.mark.parametrize(
    "text",
    [
        '{"__array__": "object", "shape": [1], "data": ""}',
        '{"__array__": "float64", "shape": [1000000000], "data": ""}',
        '{"__array__": "float64", "shape": [-1], "data": ""}',
        '{"__array__": "float64", "shape": "x", "data": 3}',
        '{"__float__": "__import__"}',
        "[" * 10_000,
        "[" * 100 + "]" * 100,
        "9" * 5000,
    ],
)
def test_hostile_json_is_refused(text):
    with pytest.raises(NotPlainData):
        decode(text)


def test_too_large_is_refused_before_it_is_parsed():
    with pytest.raises(NotPlainData, match="at most"):
        decode(json.dumps("x" * MAX_BYTES))


def test_a_lying_array_subclass_becomes_a_base_array():
    class Liar(np.ndarray):
        def __array_ufunc__(self, *a, **k):
            return True

    lie = np.zeros(3).view(Liar)
    assert type(to_plain(lie)) is np.ndarray


def test_a_lying_float_becomes_its_own_value():
    class Liar(float):
        def __float__(self):
            return 42.0

        def __eq__(self, other):
            return True

        __hash__ = float.__hash__

    assert type(to_plain(Liar(1.0))) is float and to_plain(Liar(1.0)) == 1.0


def test_what_is_no_plain_data_is_only_named():
    class Strange:
        def __getattribute__(self, name):
            raise RuntimeError

    for value in (Strange(), lambda: 0, {1, 2}, np.array([object()]), type):
        assert isinstance(to_plain(value), Other)


def test_a_torch_tensor_becomes_an_array():
    torch = pytest.importorskip("torch")
    assert np.array_equal(to_plain(torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)), [1.0, 2.0])
