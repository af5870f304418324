"""gradcheck(): is ``backward`` the gradient of ``forward``?"""

import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..mistakes import with_texts
from ..report import Finding, Group, Report
from .backward import observe_backward
from .forward import Forward, argument_names, check_backward_count
from .hypotheses import Trial, name_gradients
from .verdict import described, judged

SLOW = 1.0  # seconds of one forward pass, above which a smaller input is advised


def gradcheck(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    dout: Any = None,
    differentiable: Sequence[str] | None = None,
    complex_safe: bool = False,
    seed: int = 0,
) -> Report:
    """Check a backward pass against slopes measured on the forward pass.

    forward  : forward(*inputs) -> float or float64 array, or a tuple of these
    backward : backward(dout, *inputs) -> the gradient of sum(dout * forward(*inputs)) for each float input, in their order;
               a tuple or list when there are several. dout has the shape of the output; a tuple for several outputs.
    inputs   : float64 arrays or floats; anything else (integers, a mask, a stride) is handed on as it is
    dout     : upstream gradient; random by default, and never ones: a sum hides too much
    differentiable : names of the arguments that have a gradient; all float ones by default
    complex_safe   : the forward pass is free of abs, max, comparisons and conjugates, so that slopes may be taken by the
                     complex step, exact to the last digits (Squire and Trapp, SIAM Review 40, 1998)

    Protocol first (inputs and dout unchanged, second call equal, one gradient per input, shape, float dtype, finite), then
    random directions over all inputs at once: the slope along u must be <gradient, u>. The number of forward passes does
    not depend on the size of the inputs. On failure the worst element is named and, where it can be proven, the mistake.
    At a kink (relu at exactly 0, a tie of a maximum) every valid subgradient is accepted.

    Returns a Report; raises CannotCheck when there is no slope to measure (forward is not deterministic, not float64, ...).
    """
    arguments = dict(zip(argument_names(forward, len(inputs)), inputs, strict=True))
    measured = Forward(forward, arguments, differentiable, complex_safe=complex_safe)
    if measured.seconds > SLOW:
        warnings.warn(f"one forward pass takes {measured.seconds:.0f} s, and a check needs about ten: smaller inputs find the same mistakes", stacklevel=2)
    check_backward_count(backward, list(arguments))
    dout = random_upstream(measured, seed) if dout is None else dout

    def observe(dout, arguments):
        return observe_backward(backward, dout, arguments)

    try:
        seen = observe(dout, measured.arguments)
    except Exception as error:
        return _report(measured, [_raised(error, measured)], protocol=False)
    found = judged(measured, dout, seen, seed=seed, observe=observe)
    if not found or found[0].mistake:
        return _report(measured, found, protocol=not found)
    named = name_gradients([Trial(measured, dout, seen)])
    if named:
        found = [replace(found[0], mistake=named[0], because=named[1], alternatives=tuple(named[2:]))]
    return _report(measured, found, protocol="is wrong" in found[0].what)


def random_upstream(forward: Forward, seed: int = 0) -> Any:
    """An upstream gradient for the outputs of ``forward``: normal numbers; for a single number 0.5 to 2, never 1."""
    rng = np.random.RandomState(seed)
    douts = [rng.standard_normal(out.shape) if out.ndim else np.float64(rng.uniform(0.5, 2.0)) for out in forward.start]
    return tuple(douts) if len(douts) > 1 else douts[0]


def _raised(error: Exception, forward: Forward) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    line = frames[-1].line or "" if frames else ""
    return Finding(
        f"backward raised {type(error).__name__}", where=described(forward), actual=f"{type(error).__name__}: {str(error)[:200]}" + (f"   in: {line}" if line else ""),
        next="call backward on these inputs in a cell of its own and read the traceback",
    )  # fmt: skip


def _report(forward, findings, protocol):
    groups = (Group("protocol", bool(protocol) or not findings), Group("values", not findings))
    return Report("gradcheck", "gradient check", "failed" if findings else "passed", groups, tuple(map(with_texts, findings)))
