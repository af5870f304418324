"""gradcheck(): is ``backward`` the gradient of ``forward``?"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..mistakes import MISTAKES
from ..plaindata import to_plain
from ..report import Finding, Group, Report
from .compare import difference, short
from .directional import directional_derivative, numerical_gradient
from .protocol import observe, protocol_findings

DIRECTIONS = 2
SAFETY = 20.0  # times the error estimate of the slope
RTOL = {"float64": 1e-7, "float32": 2e-6}  # of the norm of gradient * direction, by the dtype that backward returned
LOCALISE = 2_000  # elements; above, only the argument is named


def gradcheck(forward: Callable[..., Any], backward: Callable[..., Any], inputs: Sequence[Any], *, seed: int = 0) -> Report:
    """Check a backward pass against slopes measured on the forward pass.

    forward  : forward(*inputs) -> float or float64 array
    backward : backward(dout, *inputs) -> the gradient of sum(dout * forward(*inputs)) for each input; a tuple or list
               when there are several inputs. dout has the shape of the output.
    inputs   : float64 arrays or floats

    Protocol first (inputs and dout unchanged, second call equal, one gradient per input, shape, float dtype, finite),
    then DIRECTIONS random directions over all inputs at once: the slope along u must be <gradient, u>. The upstream
    gradient is random, never ones. A wrong gradient passes one direction with a probability of about the tolerance
    itself. On failure, the gradient is measured element by element and the worst element named.

    At a kink (relu at exactly 0, a tie of a maximum) there is no slope to measure and a right gradient fails: choose
    inputs away from kinks.

    Returns a Report; raises TypeError when an input or the output is not float64, and what ``forward`` raises.
    """
    x = [np.asarray(value) for value in inputs]
    for index, xi in enumerate(x):
        if xi.dtype != np.float64:
            raise TypeError(f"input {index} is {xi.dtype}; gradcheck measures in float64, because a float32 forward cannot tell a gradient better than 1e-4")
    out = np.asarray(forward(*x))
    if out.dtype != np.float64:
        raise TypeError(f"forward returned {out.dtype}; it must return float64")
    rng = np.random.RandomState(seed)
    dout = rng.standard_normal(out.shape)
    names = [f"d{index}" if len(x) > 1 else "gradient" for index in range(len(x))]
    given = {"dout": dout, **{f"input {i}": xi for i, xi in enumerate(x)}}
    protocol, gradients = _read_gradients(observe(backward, given), x, names, list(given))
    if protocol:
        return _report([Group("protocol", False), Group("values", False)], [protocol])
    finding = _wrong_direction(forward, gradients, x, dout, names, rng)
    return _report([Group("protocol", True), Group("values", finding is None)], [finding] if finding else [])


def _report(groups, findings):
    from dataclasses import replace

    findings = [replace(f, because=f.because or MISTAKES[f.mistake][0], next=f.next or MISTAKES[f.mistake][1]) if f.mistake else f for f in findings]
    return Report("gradcheck", "gradient check", "failed" if findings else "passed", tuple(groups), tuple(findings))


def _read_gradients(observed, x, names, arguments):
    """(finding or None, gradients as float64 arrays)."""
    findings = protocol_findings(observed, arguments=arguments)
    if findings:
        return findings[0], []
    value = observed["value"]
    gradients = value if isinstance(value, list) and (len(x) > 1 or len(value) == 1) else [value]
    if len(gradients) != len(x):
        return Finding("the number of gradients is wrong", expected=f"{len(x)}, one per input", actual=str(len(gradients))), []
    for name, gradient, xi in zip(names, gradients, x, strict=True):
        array = _as_array(gradient)
        if array is None:
            return Finding(f"`{name}` is not an array", expected=f"shape {xi.shape}", actual=short(gradient)), []
        if array.shape != xi.shape:
            return Finding(f"`{name}` has the wrong shape", expected=f"shape {xi.shape}", actual=f"shape {array.shape}"), []
        if array.dtype.kind != "f" and not isinstance(gradient, (int, list)):
            return Finding(f"`{name}` is not of a float dtype", expected="float64", actual=str(array.dtype), mistake="DTYPE"), []
        if not np.isfinite(array).all():
            return Finding(f"`{name}` is not finite", expected="numbers", actual=short(to_plain(array))), []
    return None, [_as_array(g) for g in gradients]


def _as_array(gradient):
    """An array of numbers, also from a number or a (nested) list of numbers; None for anything else."""
    if isinstance(gradient, bool) or not isinstance(gradient, (int, float, list, np.ndarray)):
        return None
    try:
        array = np.asarray(gradient)
    except ValueError:  # lists of different lengths
        return None
    return array if array.dtype.kind in "fiu" else None


def _wrong_direction(forward, gradients, x, dout, names, rng):
    def loss(*arguments):
        return float(np.sum(dout * forward(*arguments)))

    rtol = max(RTOL.get(g.dtype.name, 1e-7) for g in gradients)
    for _ in range(DIRECTIONS):
        u = [rng.standard_normal(xi.shape) for xi in x]
        slope, error = directional_derivative(loss, x, u)
        claimed = sum(float(np.sum(g * ui)) for g, ui in zip(gradients, u, strict=True))
        size = float(np.sqrt(sum(np.sum((g * ui) ** 2) for g, ui in zip(gradients, u, strict=True))))
        if not abs(claimed - slope) <= SAFETY * error + rtol * size:
            return _localise(loss, gradients, x, names, claimed, slope)
    return None


def _localise(loss, gradients, x, names, claimed, slope):
    if sum(xi.size for xi in x) <= LOCALISE:
        for name, gradient, true in zip(names, gradients, numerical_gradient(loss, x), strict=True):
            found = difference(name, true, gradient, rtol=1e-6, atol=1e-8)
            if found:
                return found
    return Finding("the gradient is wrong", where="slope along a random direction", expected=short(slope), actual=short(claimed))
