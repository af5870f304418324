"""A forward pass as the checker uses it: fresh copies in, float64 arrays out, every evaluation counted."""

import contextlib
import copy
import inspect
import io
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import CannotCheck
from .protocol import copied, same

COMPLEX_STEP = 1e-20


class Forward:
    """``function`` at one point: ``arguments``, of which the ``differentiable`` ones may be moved.

    Raises CannotCheck, in one sentence, when the forward pass or its arguments are not fit to measure a slope on.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: Mapping[str, Any], differentiable: Sequence[str] | None = None, *, complex_safe: bool = False
    ) -> None:
        self.function = function
        self.arguments = {name: as_argument(name, value) for name, value in arguments.items()}
        self.names = checked_names(self.arguments, differentiable)
        self.complex_safe = complex_safe
        self._count = [0]  # shared with the same function at another point
        self.seconds = 0.0
        self.trouble = [""]  # what happened beside x, where no slope could be measured
        self.start = self._first()

    @property
    def evaluations(self) -> int:
        """How often the function was called so far."""
        return self._count[0]

    def at(self, **moved: Any) -> tuple[np.ndarray, ...]:
        """The outputs with some arguments in another place."""
        return self._outputs(self._call({**self.arguments, **{name: copied(value) for name, value in moved.items()}}, moved))

    def flat(self, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Arrays of some arguments as one new vector."""
        return np.concatenate([np.ravel(array) for array in arrays.values()])

    def split(self, names: Sequence[str], flat: np.ndarray) -> dict[str, np.ndarray]:
        """One vector as the arrays of these arguments; views, but for single numbers."""
        arrays, end = {}, 0
        for name in names:
            start, end = end, end + np.size(self.arguments[name])
            shape = np.shape(self.arguments[name])
            arrays[name] = flat[start:end].reshape(shape) if shape else flat[start]
        return arrays

    @cached_property
    def largest(self) -> dict[str, float]:
        """The size of the largest number of each argument that may be moved."""
        return {name: float(np.max(np.abs(self.arguments[name]), initial=0.0)) for name in self.names}

    def along(self, names: Sequence[str], flat: np.ndarray, t: float | complex) -> tuple[np.ndarray, ...]:
        """The outputs at x + t u, for the direction u = ``flat`` of the arguments ``names``. With an imaginary t the outputs are complex."""
        moved = self.split(names, self.flat({name: self.arguments[name] for name in names}) + t * flat)
        try:
            result = self._call({**self.arguments, **moved}, moved)
        except CannotCheck:
            raise
        except Exception as error:  # the edge of its domain: a smaller step may stay inside
            self.trouble[0] = f"it raised {type(error).__name__}: {str(error)[:100]}"
            return tuple(np.full(np.shape(out), np.nan) for out in self.start)
        return tuple(map(np.asarray, _several(result))) if isinstance(t, complex) else self._outputs(result)

    def moved_to(self, arguments: Mapping[str, Any]) -> "Forward":
        """The same function at another point."""
        other = copy.copy(self)
        other.__dict__.pop("largest", None)  # of the point before
        other.arguments = {name: as_argument(name, value) for name, value in arguments.items()}
        try:
            other.start = other.at()
        except CannotCheck:
            raise
        except Exception as error:
            raise CannotCheck(f"forward raised {type(error).__name__} there") from error
        if not all(np.isfinite(out).all() for out in other.start):
            raise CannotCheck("forward gives NaN or infinity there")
        return other

    def check_repeatable(self) -> None:
        """Raise CannotCheck when a second call gives other outputs. To be asked before anything is held against a backward pass:
        one that agrees with the slopes of the forward pass needs no such proof."""
        again = self._outputs(self._call(self.arguments))
        if not same(list(self.start), list(again)):
            raise CannotCheck(
                "forward is not deterministic: two calls with the same inputs differ (dropout without a seed?); draw the noise once and pass it in as an argument"
            )

    def why_not(self) -> CannotCheck:
        """Why no slope could be measured."""
        self.check_repeatable()
        if self.trouble[0]:
            return CannotCheck(
                f"forward runs on these inputs, but a tiny step beside them {self.trouble[0]}; give it inputs further from the edge of what it accepts"
            )
        return CannotCheck(
            "forward is too rough to measure a slope on: nearby inputs give outputs that jump (float32 inside, rounding, noise?); keep it smooth and in float64"
        )

    def _call(self, arguments, own=()):
        """Call it on copies, except for the arguments named in ``own``, which nobody else holds."""
        self._count[0] += 1
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            return self.function(*(value if name in own else copied(value) for name, value in arguments.items()))

    def _first(self):
        """Call it where it stands: what is wrong with the forward pass itself shows here."""
        if not callable(self.function):
            raise CannotCheck(f"forward is a {type(self.function).__name__}; it must be a function: gradcheck(forward, backward, inputs)")
        check_count("forward", self.function, len(self.arguments), f"forward({', '.join(self.arguments)})")
        given = {name: copied(value) for name, value in self.arguments.items()}
        self._count[0] += 1
        started = time.perf_counter()
        try:
            with np.errstate(all="ignore"):
                result = self.function(*given.values())  # what it prints is seen once; the other calls are silent
        except CannotCheck:
            raise
        except Exception as error:
            raise CannotCheck(
                f"forward raised {type(error).__name__}: {str(error)[:200]}; a forward pass must run before its gradient can be checked"
            ) from error
        self.seconds = time.perf_counter() - started
        for name, value in given.items():
            if not same(value, self.arguments[name]):
                raise CannotCheck(f"forward writes into its argument `{name}`; let it work on a copy")
        outputs = self._outputs(result)
        if not all(np.isfinite(out).all() for out in outputs):
            raise CannotCheck("forward gives NaN or infinity on these inputs; there is no slope to measure here")
        return outputs

    def _outputs(self, result):
        if result is None:
            raise CannotCheck("forward returned None; is there a `return` on every path?")
        return tuple(_output(value) for value in _several(result))


def _several(result):
    return result if isinstance(result, tuple) else (result,)


def _output(value):
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value.copy()
    if isinstance(value, list):
        raise CannotCheck("forward returned a list; return one float64 array, or a tuple of arrays for several outputs")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = np.float64(value)
    if not isinstance(value, (np.ndarray, np.generic)):
        raise CannotCheck(f"forward returned a {type(value).__name__}; it must return a float64 array or a float")
    if value.dtype == object:
        raise CannotCheck("forward returned an array of objects (rows of different lengths, or numbers NumPy does not know); it must be float64")
    if value.dtype.name in ("float32", "float16"):
        raise CannotCheck(
            f"forward computes in {value.dtype.name}: its rounding hides every error below 1e-4 of a slope; give it float64 inputs, and let it keep float64"
        )
    if value.dtype.kind != "f":
        raise CannotCheck(f"forward returned {value.dtype.name}; it must return float64")
    return np.array(value, dtype=np.float64)


def as_argument(name: str, value: Any) -> Any:
    """An argument as the functions get it: arrays of their own, floats as float64 scalars. What is no number is left alone."""
    if type(value) is np.ndarray and value.dtype == np.float64 and np.isfinite(value).all():
        return value.copy()
    if isinstance(value, (list, tuple)):
        value = _array_of(name, value)
    if isinstance(value, float):
        value = np.float64(value)
    if isinstance(value, np.ma.MaskedArray):
        raise CannotCheck(f"`{name}` is a masked array; hand in a plain one, and the mask as an input of its own")
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        value = np.array(value, subok=False)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f" and value.dtype.itemsize >= 8:
        value = value.astype(np.float64)
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if value.dtype == object:
        raise CannotCheck(f"`{name}` is an array of objects; make it a float64 array")
    if value.dtype.kind == "c":
        raise CannotCheck(f"`{name}` is complex; only real inputs are checked")
    if value.dtype.kind == "f":
        if value.dtype != np.float64:
            raise CannotCheck(
                f"`{name}` is {value.dtype}; slopes are measured in float64, because a {value.dtype} forward cannot tell a gradient better than 1e-4"
            )
        if not np.isfinite(value).all():
            bad = np.argwhere(~np.isfinite(value))
            at = f"[{', '.join(map(str, bad[0]))}]" if value.ndim else ""
            raise CannotCheck(f"`{name}` holds {np.asarray(value)[tuple(bad[0])]} at `{name}{at}`; every input must be finite")
    return value.copy()


def _array_of(name, values):
    """A list of floats, or of lists of them, as an array; any other as it is: a shape, axes, ids."""
    try:
        array = np.asarray(values)
    except ValueError:  # entries of different shapes
        if any(isinstance(v, (float, np.ndarray, list, tuple)) for v in values):
            raise CannotCheck(f"`{name}` holds arrays or lists of different shapes; hand each of them in as an input of its own") from None
        return values
    return array if array.dtype.kind == "f" and array.size else values


def checked_names(arguments: Mapping[str, Any], wanted: Sequence[str] | None) -> list[str]:
    """The arguments to differentiate: all float ones, or those that are asked for. Raises CannotCheck."""
    floats = [name for name, value in arguments.items() if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f"]
    if wanted is None:
        if not floats:
            whole = [name for name, value in arguments.items() if _is_whole(value)]
            hint = f"; `{whole[0]}` holds whole numbers: write 3.0 for 3, and x.astype(float) for an array x" if whole else ""
            raise CannotCheck("no input is a float or a float64 array, so there is no gradient to check" + hint)
        return floats
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if not wanted:
        raise CannotCheck("differentiable is empty, so there is no gradient to check")
    for name in wanted:
        if name not in arguments:
            raise CannotCheck(f"there is no argument `{name}`; there are {', '.join(arguments)}")
        if name not in floats:
            raise CannotCheck(f"`{name}` cannot be differentiated: it is no float64 array")
    return list(wanted)


def _is_whole(value):
    if isinstance(value, (list, tuple)):
        return any(map(_is_whole, value))
    return isinstance(value, int) or (isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iu")


def argument_names(function: Callable[..., Any], count: int, taken: str = "dout") -> list[str]:
    """What ``function`` calls its positional arguments; "input0", "input1" where it does not say, or says ``taken``, the upstream gradient's name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [named[i] if i < len(named) and named[i] != taken else f"input{i}" for i in range(count)]


def check_count(role, function, count, call):
    """Raise CannotCheck when ``function`` cannot take ``count`` positional arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin that does not say
        return
    try:
        signature.bind(*range(count))
    except TypeError:
        by_name = [p.name for p in signature.parameters.values() if p.kind == p.KEYWORD_ONLY and p.default is p.empty]
        if by_name:
            raise CannotCheck(f"{role} takes `{by_name[0]}` by name only; wrap it in a function of its inputs alone that fills this in") from None
        takes = len([p for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)])
        if "self" in signature.parameters:
            raise CannotCheck(f"{role} is a method without its object: it takes `self`; make an object first, and hand in object.{function.__name__}") from None
        raise CannotCheck(f"{role} takes {takes} argument{'s' * (takes != 1)}, but is called as {call}: {count}") from None


def check_backward_count(backward: Callable[..., Any], names: Sequence[str]) -> None:
    """Raise CannotCheck when ``backward`` cannot be called as backward(dout, *arguments)."""
    check_count("backward", backward, 1 + len(names), f"backward(dout, {', '.join(names)})")
