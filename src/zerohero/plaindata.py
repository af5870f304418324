"""Plain data: the only thing that crosses between the student's process and the judge.

Plain data is None, bool, int, float, str, a float/int/bool/complex NumPy array, and lists and string-keyed dicts of these.
``to_plain`` makes it out of what a student's function returned; ``encode`` and ``decode`` are its JSON form, ``describe``
is its short form for people.
Nothing here runs code found in the data (no pickle), and ``decode`` refuses what is too large or too deep.
"""

import base64
import json
import math
from typing import Any

import numpy as np

from .errors import NotPlainData

MAX_BYTES = 8_000_000
MAX_DEPTH = 12
MAX_VALUES = 100_000
"""Values in one text, each element of an array not counted: 70 times what any exercise gives, and judged in half a second."""
MAX_TEXT = 10_000  # characters of one string
DTYPES = frozenset(
    ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64", "bool", "complex128", "complex64"]
)

_NATIVE = frozenset(map(np.dtype, DTYPES))  # their names are slow to come by


class Other:
    """Stands for a value that is no plain data; the judge sees only the name of its type."""

    def __init__(self, type_name):
        self.type_name = str(type_name)[:80]

    def __repr__(self):
        return f"a {self.type_name}"

    def __eq__(self, other):
        return isinstance(other, Other) and other.type_name == self.type_name

    def __hash__(self):
        return hash(self.type_name)


def to_plain(value, depth=0):
    """A copy of ``value`` as plain data. Never raises: what cannot be plain becomes ``Other(type name)``.

    Subclasses are reduced to their base (a float subclass to float, an array subclass to a base array), so that no
    overridden method of the student's travels along. A torch tensor becomes an array.
    """
    try:
        if value is None or type(value) is bool:
            return value
        if isinstance(value, np.generic):
            return to_plain(np.asarray(value)[()].item(), depth) if value.dtype.name in DTYPES else Other(type(value).__name__)
        if isinstance(value, str):
            return str.__str__(value)[:MAX_TEXT]
        if isinstance(value, int):
            return int.__index__(value)
        if isinstance(value, float):
            return float.__float__(value)
        if isinstance(value, np.ndarray):
            array = np.array(value, copy=True, subok=False)
            return array if array.dtype in _NATIVE or array.dtype.name in DTYPES else Other(f"array of {array.dtype.name}")
        if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
            return np.array(value.detach().cpu().numpy(), copy=True)
        if depth < MAX_DEPTH:
            if isinstance(value, (list, tuple)):
                items = tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value)  # not an overridden one
                return [to_plain(v, depth + 1) for v in items]
            if isinstance(value, dict):
                return {str(k)[:MAX_TEXT]: to_plain(v, depth + 1) for k, v in dict.items(value)}
    except Exception:  # a hostile or broken object: all that is said of it is its type
        pass
    return Other(type(value).__name__)


def encode(value) -> str:
    """JSON text of plain data. Floats and arrays keep every bit, NaN and infinities included."""
    return json.dumps(_pack(value), allow_nan=False)


def decode(text: str):
    """The plain data in ``text``. Raises NotPlainData when it is not ours, too large or too deep."""
    if len(text) > MAX_BYTES:
        raise NotPlainData(f"{len(text):,} characters; at most {MAX_BYTES:,} are read")
    if sum(map(text.count, ",[{")) > MAX_VALUES:  # in front of every value but the first, so they are counted before any is made
        raise NotPlainData(f"more than {MAX_VALUES:,} values")
    try:
        return _unpack(json.loads(text), 0)
    except NotPlainData:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise NotPlainData(f"not plain data: {type(error).__name__}") from None


def _pack(value):
    if isinstance(value, Other):
        return {"__other__": value.type_name}
    if isinstance(value, np.ndarray):
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"__array__": value.dtype.name, "shape": list(value.shape), "data": data}
    if isinstance(value, float) and not math.isfinite(value):
        return {"__float__": repr(value)}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**1000:
        return {"__other__": "int beyond every float"}
    if isinstance(value, (list, tuple)):
        return [_pack(v) for v in value]
    if isinstance(value, dict):
        return {key: _pack(v) for key, v in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise NotPlainData(f"{type(value).__name__} is not plain data")


def _unpack(value, depth):
    if depth > MAX_DEPTH + 4:
        raise NotPlainData("nested too deeply")
    if isinstance(value, list):
        return [_unpack(v, depth + 1) for v in value]
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, dict):
        return value
    if "__array__" in value:
        name, shape = value["__array__"], value["shape"]
        if name not in DTYPES or len(shape) > 8 or not all(type(n) is int and n >= 0 for n in shape):
            raise NotPlainData("not an array of ours")
        array = np.frombuffer(base64.b64decode(value["data"], validate=True), dtype=np.dtype(name))
        return array.reshape(shape).copy()
    if "__float__" in value:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[value["__float__"]]
    if "__other__" in value:
        return Other(value["__other__"])
    return {_text(key): _unpack(v, depth + 1) for key, v in value.items()}


def _text(value):
    if len(value) > MAX_TEXT:
        raise NotPlainData(f"a string of {len(value):,} characters; at most {MAX_TEXT:,} are read")
    return value


def describe(value: Any, limit: int = 100) -> str:
    """Plain data in short form: numbers in full, arrays as f64[3,2] with their first values."""
    text = _describe(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _describe(value):
    if isinstance(value, np.ndarray):
        shape = ",".join(map(str, value.shape))
        if value.size <= 6:
            return f"{_DTYPE.get(value.dtype.name, value.dtype.name)}[{shape}] {np.array2string(value, precision=6, separator=', ')}".replace("\n", "")
        first = ", ".join(f"{v:.6g}" for v in value.ravel()[:3])
        return f"{_DTYPE.get(value.dtype.name, value.dtype.name)}[{shape}] {first}, ..."
    if isinstance(value, bool) or value is None or isinstance(value, (int, Other)):
        return str(value) if not isinstance(value, int) or abs(value) < 10**20 else "a very large int"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, (list, tuple)):  # a tuple: the answer to a predict question
        opening, closing = "[]" if isinstance(value, list) else "()"
        return opening + ", ".join(_describe(v) for v in value[:8]) + (", ..." if len(value) > 8 else "") + closing
    if isinstance(value, dict):
        return ", ".join(f"{k} = {_describe(v)}" for k, v in value.items())
    return f"a {type(value).__name__}"


_DTYPE = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "bool": "bool"}
