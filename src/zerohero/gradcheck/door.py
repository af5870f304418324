"""gradcheck(): is this the gradient of ``forward``?"""

import os
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import CannotCheck
from ..mistakes import with_texts
from ..plaindata import to_plain
from ..report import Finding, Group, Report
from .backward import observe_backward
from .directional import norm
from .engine_door import engine_pair
from .forward import Forward, argument_names, check_backward_count
from .pair import Pair, Wrong
from .torch_door import torch_pair
from .verdict import described, judged

UNEVEN = 1e-3  # sizes of two outputs
SLOW = 1.0  # seconds of one forward pass, above which a smaller input is advised


def gradcheck(
    forward: Any,
    backward: Callable[..., Any] | None = None,
    inputs: Sequence[Any] = (),
    *,
    dout: Any = None,
    differentiable: Sequence[str] | None = None,
    complex_safe: bool = False,
    seed: int = 0,
) -> Report:
    """Check a gradient against slopes measured on the forward pass.

    A pair of NumPy functions:

        >>> import numpy as np
        >>> gradcheck(np.matmul, lambda dout, x, w: (dout @ w.T, x.T @ dout), [np.ones((2, 3)), np.ones((3, 5))]).passed
        True

    forward  : forward(*inputs) -> float or float64 array, or a tuple of these
    backward : backward(dout, *inputs) -> the gradient of sum(dout * forward(*inputs)) for each float input, in their order;
               a tuple or list when there are several. dout has the shape of the output; a tuple for several outputs.
    inputs   : float64 arrays or floats; anything else (integers, a mask, a stride) is handed on as it is
    dout     : upstream gradient; random by default, and never ones: a sum hides too much
    differentiable : names of the arguments that have a gradient; all float ones by default
    complex_safe   : the forward pass is free of abs, max, comparisons and conjugates, so that slopes may be taken by the
                     complex step, exact to the last digits (Squire and Trapp, SIAM Review 40, 1998); NumPy pairs only

    A torch.autograd.Function, whose backward is called as it is, with its ctx: the autograd engine would sum a gradient to
    the shape of its input, cast it to its dtype and take None for zeros, and so hide these mistakes:

        >>> import torch
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.at = x
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, dout):
        ...         return 2 * ctx.at * dout
        >>> gradcheck(Square, inputs=[torch.ones(2, 3)]).passed
        True

    A function of tensors, or a module with all its parameters that require grad, under their dotted names. Here the
    gradient is autograd's: what is checked is that the graph is whole. inputs may hold tuples, lists and dicts of tensors;
    outputs may be tuples of tensors, nested or not. The module is copied, and parameters, buffers (running statistics begin
    anew in each call) and inputs are float64, so neither precision nor state of the original matters or changes:

        >>> gradcheck(torch.nn.functional.softplus, inputs=[torch.ones(3)]).passed
        True
        >>> gradcheck(torch.nn.Linear(3, 2), inputs=[torch.ones(5, 3)]).passed
        True

    Where an input of a Function, function or module requires grad, only those that do are checked, as torch has it.

    Scalars of an engine, objects with .data, .grad and .backward(); f(*inputs) returns one of them. Lists of them may stand
    in the inputs. Each evaluation makes new ones by type(v)(number):

        >>> import math
        >>> class Value:
        ...     def __init__(self, data):
        ...         self.data, self.grad, self.pull = data, 0.0, lambda: None
        ...     def sin(self):
        ...         out = Value(math.sin(self.data))
        ...         def pull():
        ...             self.grad += math.cos(self.data) * out.grad
        ...             self.pull()
        ...         out.pull = pull
        ...         return out
        ...     def backward(self):
        ...         self.grad = 1.0
        ...         self.pull()
        >>> gradcheck(lambda a: a.sin().sin(), inputs=[Value(2.0)]).passed
        True

    Protocol first (inputs and dout unchanged, second call equal, one gradient per input, shape, float dtype, finite), then
    random directions over all inputs at once: the slope along u must be <gradient, u>. The number of forward passes does
    not depend on the size of the inputs. On failure the worst element is named and, where it can be proven, the mistake.
    At a kink (relu at exactly 0, a tie of a maximum) every valid subgradient is accepted.

    Returns a Report; raises CannotCheck when there is no slope to measure (forward is not deterministic, not float64, ...).
    """
    pair = _pair(forward, backward, inputs, differentiable)
    measured = Forward(pair.forward, pair.arguments, pair.differentiable, complex_safe=complex_safe and backward is not None)
    if measured.seconds > SLOW:
        warnings.warn(f"one forward pass takes {measured.seconds:.0f} s, and a check needs about ten: smaller inputs find the same mistakes", stacklevel=2)
    if backward is not None:
        check_backward_count(backward, list(pair.arguments))
    dout = pair.dout if dout is None else dout
    dout = random_upstream(measured, seed) if dout is None else _fitting(dout, measured)

    def observe(dout, arguments):
        return observe_backward(pair.backward, dout, arguments)

    try:
        seen = observe(dout, measured.arguments)
        found = judged(measured, dout, seen, seed=seed, observe=observe, where=pair.where)
    except CannotCheck:
        raise
    except Wrong as wrong:
        measured.check_repeatable()
        return _report([replace(wrong.finding, where=pair.where or described(measured))], protocol=False)
    except (Exception, SystemExit) as error:
        return _report([_raised(error, pair.where or described(measured))], protocol=False)
    if not found or found[0].mistake:
        return _report(found, protocol=not found)
    named = _unstable(measured, dout, found[0], observe) or pair.name(measured, dout, seen)
    if named:
        found = [replace(found[0], mistake=named[0], because=named[1], alternatives=tuple(named[2:]))]
    if any(f"`{name}`" in found[0].what for name in pair.unreached):
        found = [replace(found[0], next=pair.no_gradient)]
    return _report(found, protocol="is wrong" in found[0].what)


def _unstable(forward, dout, finding, observe):
    """The name UNSTABLE, when a gradient that is not finite is right once the inputs are a thousand times smaller."""
    if "is not finite" not in finding.what:
        return None
    small = {name: value / 1000 if name in forward.names else value for name, value in forward.arguments.items()}
    try:
        right = not judged(forward.moved_to(small), dout, observe(dout, small), observe=observe)
    except Exception:  # whatever fails there, it is not right there
        return None
    return ("UNSTABLE", "right on inputs a thousand times smaller, not finite on these") if right else None


def _pair(forward, backward, inputs, differentiable):
    """What was handed in, as NumPy functions. Raises CannotCheck, in one sentence, when it is none of the forms."""
    if backward is not None and not callable(backward):
        raise CannotCheck("backward is no function; without one, hand the inputs in by name: gradcheck(forward, inputs=[x, w])")
    if not isinstance(inputs, (list, tuple)):
        raise CannotCheck(f"inputs is a {type(inputs).__name__}; it must be a list with one entry for each argument: inputs=[x]")
    if backward is not None:
        arguments = dict(zip(argument_names(forward, len(inputs)), inputs, strict=True))
        return Pair(forward, backward, arguments, differentiable)
    pair = torch_pair(forward, inputs, differentiable) or engine_pair(forward, inputs, differentiable)
    if pair is None:
        raise CannotCheck("backward is missing: without it, inputs must hold tensors, or objects with .data, .grad and .backward()")
    return pair


def _fitting(dout, forward):
    """An upstream gradient that was handed in, as arrays. Raises CannotCheck when it does not have the shapes of the outputs."""
    several = isinstance(dout, tuple) or (isinstance(dout, list) and len(forward.start) > 1)
    given = [np.asarray(to_plain(d)) for d in (dout if several else (dout,))]
    wanted = [out.shape for out in forward.start]
    if [d.shape for d in given] != wanted or any(d.dtype.kind not in "fiu" for d in given):
        shapes = [" and ".join(map(str, s)) for s in ([d.shape for d in given], wanted)]
        raise CannotCheck(f"dout has the shape {shapes[0]}; it needs the shape of the output, {shapes[1]}, and numbers")
    if not all(np.isfinite(d).all() for d in given):
        raise CannotCheck("dout holds NaN or infinity; leave it out, and a random one is taken")
    if all(not d.any() for d in given) and any(d.size for d in given):
        raise CannotCheck("dout is all zeros, which hides every mistake; leave it out, and a random one is taken")
    floats = [d.astype(np.float64) if d.ndim else np.float64(d) for d in given]
    return tuple(floats) if len(floats) > 1 else floats[0]


def random_upstream(forward: Forward, seed: int = 0) -> Any:
    """An upstream gradient for the outputs of ``forward``: normal numbers; for a single number 0.5 to 2, never 1. Larger for an output that is far smaller than others."""
    rng = np.random.default_rng([seed, 271828])  # a stream of its own: x may well be drawn from default_rng(seed)
    douts = [rng.standard_normal(out.shape) if out.ndim else np.float64(rng.uniform(0.5, 2.0)) for out in forward.start]
    sizes = [norm([d * out]) for d, out in zip(douts, forward.start, strict=True)]
    if min(filter(None, sizes), default=1.0) < UNEVEN * max(sizes, default=1.0):  # else the errors of a small output would not show beside a large one
        douts = [d * (max(sizes) / size if size else 1.0) for d, size in zip(douts, sizes, strict=True)]
    return tuple(douts) if len(douts) > 1 else douts[0]


OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _raised(error: Exception, where: str) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith(OURS) and "site-packages" not in f.filename]
    line = (own or frames)[-1].line or "" if frames else ""
    return Finding(
        f"backward raised {type(error).__name__}", where=where, actual=f"{type(error).__name__}: {str(error)[:200]}" + (f"   in: {line}" if line else ""),
        next="call backward on these inputs in a cell of its own and read the traceback",
    )  # fmt: skip


def _report(findings, protocol):
    groups = (Group("protocol", bool(protocol) or not findings), Group("values", not findings))
    return Report("gradcheck", "gradient check", "failed" if findings else "passed", groups, tuple(map(with_texts, findings)))
