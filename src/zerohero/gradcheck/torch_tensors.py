"""Tensors to arrays and back. ``torch`` is handed in: nothing here imports it."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np


def is_tensor(torch: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, torch.Tensor)


def array(tensor: Any) -> np.ndarray:
    """The numbers of a tensor; they share its memory where NumPy can."""
    tensor = tensor.detach()
    tensor = tensor if str(tensor.layout) == "torch.strided" else tensor.to_dense()
    return (tensor.float() if tensor.is_floating_point() and tensor.itemsize < 4 else tensor).numpy(force=True)


def argument(tensor: Any) -> np.ndarray:
    """The numbers of an input, in float64 where they are floats, on their own."""
    return np.array(array(tensor.detach().double() if tensor.is_floating_point() else tensor))


def tensor_like(torch: Any, values: Any, like: Any) -> Any:
    """A tensor of ``values`` on the device of ``like``; on a CPU it shares the memory of the array."""
    made = torch.from_numpy(np.asarray(values))
    return made if like.device.type == "cpu" else made.to(like.device)


def tensors(torch: Any, like: Mapping[str, Any], arrays: Iterable[Any], wanted: Sequence[str] = ()) -> dict[str, Any]:
    """By name, with ``requires_grad`` where the name is in ``wanted``."""
    made = {name: tensor_like(torch, values, one) for (name, one), values in zip(like.items(), arrays, strict=True)}
    for name in wanted:
        made[name].requires_grad_()
    return made


def flat(result: Any) -> list[Any]:
    """The outputs of a forward pass without nests and Nones; (out, (h, c)) becomes [out, h, c]."""
    if isinstance(result, tuple):
        return [out for item in result for out in flat(item)]
    return [] if result is None else [result]


def arrays_of(torch: Any, result: Any) -> Any:
    """The outputs as a tuple of arrays. Integers beside floats (the places of a maximum) are left out; what is no tensor stays."""
    if result is None:
        return None
    outputs = flat(result)
    floats = [out for out in outputs if not isinstance(out, torch.Tensor) or out.is_floating_point()]
    return tuple(array(out) if isinstance(out, torch.Tensor) else out for out in floats or outputs)


def asked(inputs: Mapping[str, Any], differentiable: Sequence[str] | None) -> list[str]:
    """The inputs to differentiate: as for torch those that require grad; where none does, every one of floats."""
    if differentiable is not None:
        return list(differentiable)
    floats = [name for name, tensor in inputs.items() if tensor.is_floating_point()]
    return [name for name in floats if inputs[name].requires_grad] or floats


@contextlib.contextmanager
def float64_by_default(torch: Any) -> Iterator[None]:
    """New tensors without a dtype are float64, as everything else is while slopes are measured."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
