"""A torch.autograd.Function as a NumPy pair, its backward called raw.

Under ``loss.backward()`` the engine sums a gradient to the shape of its input, casts it to its dtype and takes None for
zeros, all without a word, so a check from outside cannot see a missing sum, a wrong shape or a lost digit.
"""

import contextlib
import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import CannotCheck
from ..report import Finding
from .backward import gradient_name
from .forward import argument_names, check_count
from .pair import Pair, Wrong
from .protocol import same
from .torch_tensors import argument, array, arrays_of, asked, float64_by_default, tensor_like, tensors

NO_GRADIENT = "torch takes None for zeros: return the gradient, or name in differentiable=[...] the arguments that have one"


def function_pair(torch: Any, function: Any, inputs: Sequence[Any], differentiable: Sequence[str] | None) -> Pair:
    """``function`` is a subclass of torch.autograd.Function; the arguments that are tensors may be moved, the others are handed on."""
    apart = function.setup_context is not torch.autograd.Function.setup_context  # forward has no ctx then
    names = _names(function.forward, len(inputs), skip=0 if apart else 1)
    check_count("forward", function.forward, len(inputs) + (not apart), f"forward({', '.join(names if apart else ['ctx', *names])})")
    given = {name: value for name, value in zip(names, inputs, strict=True) if isinstance(value, torch.Tensor)}
    wanted = asked(given, differentiable)
    rounded = any(t.is_floating_point() and t.itemsize < 8 for t in given.values())
    unreached: set[str] = set()
    kept: list[int] = []  # the outputs that have a gradient

    def apply(made):
        with float64_by_default(torch) if rounded else contextlib.nullcontext():
            return function.apply(*(made[name] if name in made else copy.deepcopy(value) for name, value in zip(names, inputs, strict=True)))

    def forward(*values):
        with torch.no_grad():
            result = apply(tensors(torch, given, values))
        if not kept:
            with torch.enable_grad():
                traced = _listed(apply(tensors(torch, given, map(np.copy, values), wanted)))
            kept.extend(i for i, out in enumerate(traced) if isinstance(out, torch.Tensor) and out.requires_grad)
            if not kept and any(isinstance(out, torch.Tensor) for out in traced):
                raise CannotCheck("no output of the Function has a gradient: all of them are integers, or marked as not differentiable")
        return arrays_of(torch, tuple(_listed(result)[i] for i in kept) if kept else result)

    def backward(dout, *values):
        made = tensors(torch, given, values, wanted)
        with torch.enable_grad():
            outputs = _listed(apply(made))
        weights = iter(dout if isinstance(dout, tuple) else (dout,))
        douts = [tensor_like(torch, next(weights), out) if i in kept else torch.zeros_like(out) for i, out in enumerate(outputs)]
        copies = {name: t for (name, t), value in zip(made.items(), values, strict=True) if not _shared(t, value)}
        watched = {**dict(zip(_dout_names(function, len(douts)), douts, strict=True)), **copies}
        watched |= {f"the output {i}" if i else "the output": out for i, out in enumerate(outputs)}
        before = {name: array(t).copy() for name, t in watched.items()}
        with torch.no_grad(), float64_by_default(torch) if rounded else contextlib.nullcontext():
            returned = function.backward(outputs[kept[0]].grad_fn, *douts)  # the grad_fn of a Function is its ctx
        _unchanged(before, watched)
        found = _one_per_argument(torch, returned, names, given)
        unreached.clear()
        unreached.update(name for name in wanted if found[name] is None)
        gradients = [np.zeros(given[name].shape) if found[name] is None else _form(torch, name, found[name], given[name]) for name in wanted]
        return gradients if len(gradients) > 1 else gradients[0]

    return Pair(forward, backward, {name: argument(t) for name, t in given.items()}, wanted or None, unreached=unreached, no_gradient=NO_GRADIENT)


def _listed(result):
    return list(result) if isinstance(result, tuple) else [result]


def _names(function, count, skip=1, taken="dout"):
    """What ``function`` calls its arguments after ctx; "input0", ... where it does not say."""
    named = argument_names(function, skip + count, taken)[skip:]
    return [f"input{i}" if name == f"input{i + skip}" else name for i, name in enumerate(named)]


def _dout_names(function, count):
    """What backward calls its upstream gradients."""
    return [name.replace("input", "dout") for name in _names(function.backward, count, taken="")]


def _shared(tensor, value):
    """Whether a write into the tensor shows in the array it was made of, where every check looks anyway."""
    return isinstance(value, np.ndarray) and tensor.device.type == "cpu"


def _unchanged(before, watched):
    for name, tensor in watched.items():
        if not same(before[name], array(tensor)):
            label = name if name.startswith("the ") else f"`{name}`"
            raise Wrong(Finding(f"{label} was changed by the call", mistake="MUTATES", next="work on a copy; methods whose names end in _ write in place"))


def _one_per_argument(torch, returned, names, given):
    """The gradients by argument name."""
    if isinstance(returned, list):
        raise Wrong(Finding("backward returned a list", expected="a tuple, or one tensor", actual="list", next="write the gradients with commas between them: a tuple"))  # fmt: skip
    gradients = _listed(returned)
    if len(gradients) < len(names) or any(value is not None for value in gradients[len(names) :]):
        following = "return one value for each argument of forward, in that order, and None for those that are no tensors"
        expected = f"{len(names)}: {', '.join(map(gradient_name, names))}"
        raise Wrong(Finding("the number of gradients is wrong", expected=expected, actual=str(len(gradients)), next=following))
    found = dict(zip(names, gradients, strict=False))
    for name, value in found.items():
        if value is not None and name not in given:
            raise Wrong(Finding(f"backward returned a gradient for `{name}`, which is no tensor", expected="None", actual=type(value).__name__, next=f"return None in the place of `{name}`"))  # fmt: skip
        if value is not None and not isinstance(value, torch.Tensor):
            raise Wrong(Finding(f"`{gradient_name(name)}` is not a tensor", expected="a tensor", actual=type(value).__name__, next="return torch tensors"))
    return found


def _form(torch, name, gradient, given):
    """The gradient as an array, unless it has fewer digits than its input, which the engine would make up with zeros."""
    if gradient.is_floating_point() and gradient.itemsize < given.itemsize:
        expected, actual = (str(t.dtype).removeprefix("torch.") for t in (given, gradient))
        following = "make new tensors with torch.zeros_like and its like, or with the dtype of the input"
        raise Wrong(Finding(f"`{gradient_name(name)}` is {actual}, but `{name}` is {expected}", expected=expected, actual=actual, mistake="DTYPE", next=following))  # fmt: skip
    return array(gradient)
