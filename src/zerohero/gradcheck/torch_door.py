"""torch as NumPy pairs: a function of tensors, a module with its parameters; their gradient is autograd's.

torch is looked up among the loaded modules and never imported: whoever hands in a tensor has loaded it.
"""

import copy
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import CannotCheck
from .forward import argument_names, check_count
from .nested import leaves, with_leaves
from .pair import Pair
from .torch_function import function_pair
from .torch_tensors import argument, array, arrays_of, asked, flat, float64_by_default, is_tensor, tensor_like, tensors

NO_GRADIENT = "look between it and the output for .detach(), .data, .item(), .numpy() or torch.no_grad(): each of them ends the graph"


def torch_pair(forward: Any, inputs: Sequence[Any], differentiable: Sequence[str] | None) -> Pair | None:
    """``forward`` as a Pair, or None when neither it nor an input is torch's. Raises CannotCheck."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "autograd"):
        return None
    owner = forward if isinstance(forward, type) else getattr(forward, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, torch.autograd.Function):  # also when handed in as MyFunction.apply
        return function_pair(torch, owner, inputs, differentiable)
    if isinstance(forward, torch.nn.Module):
        return _module_pair(torch, forward, inputs, differentiable)
    if any(True for value in inputs for _ in leaves("", value, is_tensor(torch))):
        return _autograd_pair(torch, lambda own, *arguments: forward(*arguments), _names(forward, inputs), inputs, {}, differentiable)
    return None


def _names(function, inputs):
    names = argument_names(function, len(inputs))
    check_count("forward", function, len(inputs), f"forward({', '.join(names)})")
    return names


def _module_pair(torch, module, inputs, differentiable):
    try:
        module = copy.deepcopy(module).double()
    except Exception as error:
        raise CannotCheck(f"the module cannot be copied to float64: {type(error).__name__}: {str(error)[:200]}") from error
    names = _names(module.forward, inputs)
    taken = {name for outer, value in zip(names, inputs, strict=True) for name, _ in leaves(outer, value, is_tensor(torch))}
    own_name = {f"self.{name}" if name in taken else name: name for name, p in module.named_parameters() if p.requires_grad}

    def function(parameters, *arguments):
        buffers = {name: buffer.clone() for name, buffer in module.named_buffers()}  # running statistics begin anew in every call
        return torch.func.functional_call(module, {**buffers, **{own_name[name]: p for name, p in parameters.items()}}, arguments)

    parameters = {name: module.get_parameter(own).detach() for name, own in own_name.items()}
    return _autograd_pair(torch, function, names, inputs, parameters, differentiable)


def _autograd_pair(
    torch: Any, function: Callable[..., Any], names: Sequence[str], inputs: Sequence[Any], parameters: Mapping[str, Any], differentiable: Sequence[str] | None
) -> Pair:
    """``function(parameters by name, *inputs)``; the inputs may be nests of tensors, and anything else is handed on as it is."""
    given = dict(leaf for name, value in zip(names, inputs, strict=True) for leaf in leaves(name, value, is_tensor(torch)))
    everything = {**given, **parameters}
    wanted = asked(given, differentiable) + (list(parameters) if differentiable is None else [])
    unreached: set[str] = set()

    def run(made):
        waiting = iter([made[name] for name in given])
        with float64_by_default(torch):
            return function({name: made[name] for name in parameters}, *[with_leaves(value, is_tensor(torch), waiting) for value in inputs])

    def forward(*values):
        with torch.no_grad():
            return arrays_of(torch, run(tensors(torch, everything, values)))

    def backward(dout, *values):
        made = tensors(torch, everything, values, wanted)
        with torch.enable_grad():
            result = run(made)
        outputs = [out for out in flat(result) if not isinstance(out, torch.Tensor) or out.is_floating_point()]
        traced = [
            (out, tensor_like(torch, weights, out))
            for out, weights in zip(outputs, dout if isinstance(dout, tuple) else (dout,), strict=True)
            if isinstance(out, torch.Tensor) and out.requires_grad
        ]
        found = [None] * len(wanted)
        if traced:
            ends, weights = zip(*traced, strict=True)
            found = torch.autograd.grad(ends, [made[name] for name in wanted], weights, allow_unused=True)
        unreached.clear()
        unreached.update(name for name, gradient in zip(wanted, found, strict=True) if gradient is None)
        gradients = [np.zeros(made[name].shape) if gradient is None else array(gradient) for name, gradient in zip(wanted, found, strict=True)]
        return gradients if len(gradients) > 1 else gradients[0]

    return Pair(
        forward, backward, {name: argument(t) for name, t in everything.items()}, wanted or None,
        where=_where(given), unreached=unreached, no_gradient=NO_GRADIENT,
    )  # fmt: skip


def _where(given):
    return ", ".join(f"{name} = {str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for name, t in given.items())
