"""Family g: objects that say they are equal to everything. What comes out is base arrays and numbers."""

import numpy as np
import pytest

from zerohero.plaindata import Other, decode

pytestmark = pytest.mark.jail


LIES = {
    "class L(np.ndarray):\n    def __array_ufunc__(self, *a, **k): return True\n    def __eq__(self, o): return True\nlie = np.zeros(3).view(L)": np.ndarray,
    "class L(float):\n    def __eq__(self, o): return True\n    def __sub__(self, o): return 0.0\n    __hash__ = None\nlie = L(1)": float,
    "class L(dict):\n    def __getitem__(self, k): return 9.0\nlie = L(a=1)": dict,
    "class L(list):\n    def __iter__(self): return iter([9.0])\nlie = L([1])": list,
    "class L(str):\n    def __eq__(self, o): return True\n    __hash__ = str.__hash__\nlie = L('x')": str,
    "class L:\n    def __array__(self, *a, **k): return np.ones(3)\n    def __float__(self): return 9.0\n    def __eq__(self, o): return True\nlie = L()": Other,
}


def test_a_subclass_arrives_as_its_base(jail, toy_cell):
    cells = [f"import numpy as np\n{lie}\ncheck('m99-square', lambda x, lie=lie: lie)" for lie in LIES]
    for half in (cells[:3], cells[3:]):  # the newest four outputs of an exercise are kept
        run = jail(toy_cell, *half, cases={"m99-square": [{"x": 3.0}]})
        for cell, text in zip(half, run.outputs["m99-square"], strict=True):
            value = decode(text)[0]["value"]
            kind = list(LIES.values())[cells.index(cell)]
            assert type(value) is kind, cell
            assert not (kind is float and value == 9.0)


def test_a_class_named_like_a_traceback_or_markup_is_only_a_name(jail, toy_cell):
    run = jail(toy_cell, "check('m99-square', lambda x: type('<script>' * 50, (), {})())", cases={"m99-square": [{"x": 3.0}]})
    assert len(decode(run.outputs["m99-square"][0])[0]["value"].type_name) <= 80
