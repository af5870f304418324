"""Are these the gradients? From the forward pass and what a backward pass returned; the student's objects are not touched.

A random direction u over all differentiable arguments at once: the measured slope along u must be <gradient, u>. A wrong
gradient passes one such direction with a probability of about the tolerance itself.

At a kink there is no slope. Where the outputs are convex (relu, a maximum) and the upstream gradient has one sign, every
valid subgradient g keeps to left slope <= <g, u> <= right slope for every u, and nothing else does; so that is what is
asked there. Elsewhere the point is moved a little off the kink, where the backward pass is asked again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import CannotCheck
from ..plaindata import describe, to_plain
from ..report import ErrorMap, Finding
from .backward import as_array, form_finding, gradient_name, listed, other_upstream, upstream
from .compare import short
from .directional import Ray, Slope, element_slopes, is_kink, norm, weighted_sum
from .error_map import error_map
from .forward import Forward
from .protocol import protocol_findings

DIRECTIONS = 2
SAFETY = 20.0
"""Times the estimated error of the slope."""
RTOL = {"float64": 1e-7, "float32": 2e-6}
"""Of the norm of gradient * direction, by the dtype that backward returned: about 10 times its rounding, in float64 with room for long sums."""
SMALL = 1e-3
"""An argument whose share of the slope is smaller gets a direction of its own: in the sum its errors would not show."""
ROUGH = 1e-4
"""Relative error of a slope above which nothing can be said."""
NUDGES = 4
LOCALISE = 2_000  # elements of one argument; above, only the argument is named

Gradients = Mapping[str, np.ndarray]
Observe = Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class Mismatch:
    """A direction along which the gradients and the slope differ."""

    dout: tuple[np.ndarray, ...]
    u: Mapping[str, np.ndarray]
    claimed: float
    slope: Slope
    low: float
    high: float


def judge_backward(
    forward: Callable[..., Any],
    dout: Any,
    arguments: Mapping[str, Any],
    seen: Mapping[str, Any],
    *,
    differentiable: Sequence[str] | None = None,
    seed: int = 0,
    observe: Observe | None = None,
    where: str = "",
) -> list[Finding]:
    """What is wrong with the gradients in ``seen``; nothing when they are right.

    forward   : the trusted forward pass, forward(*arguments) -> float64 array or a tuple of them
    seen      : what ``observe_backward(backward, dout, arguments)`` saw
    observe   : observe(dout, arguments) -> another observation, at another point or for another upstream gradient; needed
                only at kinks where ``dout`` has both signs
    Raises CannotCheck when the forward pass or the arguments are not fit to measure on.
    """
    return judged(Forward(forward, arguments, differentiable), dout, seen, seed=seed, observe=observe, where=where)


def judged(forward: Forward, dout: Any, seen: Mapping[str, Any], *, seed: int = 0, observe: Observe | None = None, where: str = "") -> list[Finding]:
    """``judge_backward`` for a Forward at hand."""
    where = where or described(forward)
    rng = np.random.RandomState(seed)
    protocol = protocol_findings(seen, where, ["dout", *forward.arguments])
    if protocol:
        return protocol
    for value, weights in ((seen["value"], dout), (seen["other"], other_upstream(dout))):
        found = form_finding(value, forward.arguments, forward.names, where)
        if found:
            return [found]
        gradients = read(forward, value)
        mismatch = first_mismatch(forward, upstream(weights), gradients, rng, observe)
        if mismatch:
            return [located(forward, mismatch, gradients, where)]
    return []


def read(forward: Forward, value: Any) -> dict[str, np.ndarray]:
    """The gradients by argument name, in the dtype they came in. Only for a value without ``form_finding``."""
    values = listed(value, forward.arguments, forward.names)
    return {name: as_array(v) for name, v in zip(forward.names, values, strict=True)}


def described(forward: Forward) -> str:
    """The point, short: shapes of arrays, numbers in full."""
    return ", ".join(f"{name} = {_short(value)}" for name, value in forward.arguments.items())


def _short(value):
    if isinstance(value, np.ndarray) and value.size > 6:
        return describe(value).partition(" ")[0]
    return describe(to_plain(value), 60)


# ---------------------------------------------------------------- one point


def first_mismatch(
    forward: Forward, dout: Sequence[np.ndarray], gradients: Gradients, rng: np.random.RandomState, observe: Observe | None = None
) -> Mismatch | None:
    """None when the gradients are right at this point."""
    if all(np.size(g) == 0 for g in gradients.values()):
        return None
    suspect = _off_direction(forward, dout, gradients, rng)
    if suspect is None or not _at_kink(suspect):
        return suspect
    return _judge_kink(forward, dout, gradients, rng, observe, suspect)


def _off_direction(forward, dout, gradients, rng):
    rtol = tolerance(gradients)
    start = {}
    for u in _directions(forward, gradients, rng):
        ray = Ray(forward, u)
        size = norm([u[name] for name in u], [gradients[name] for name in u])
        slope = ray.slope(dout, enough=rtol * size / SAFETY, **start)
        claimed = weighted_sum([u[name] for name in u], [gradients[name] for name in u])
        allowed = SAFETY * slope.error + rtol * size
        if not abs(claimed - slope.value) <= allowed:
            return Mismatch(tuple(dout), u, claimed, slope, *sorted((slope.left, slope.right)))
        if slope.error > ROUGH * max(abs(slope.value), size) and slope.error > 1e-8 * slope.size:
            raise CannotCheck(
                "forward is too rough to measure a slope on: nearby inputs give outputs that jump (float32 inside, rounding, noise?); keep it smooth and in float64"
            )
        start = {"start": slope.step} if slope.step else {}
    return None


def tolerance(gradients: Gradients) -> float:
    """Relative tolerance for the least precise dtype among the gradients."""
    return max(RTOL.get(g.dtype.name, RTOL["float64"]) for g in gradients.values())


def _directions(forward, gradients, rng):
    """DIRECTIONS over all arguments at once, then one more for each class of arguments that are too small to show in these."""
    for _ in range(DIRECTIONS):
        u = {name: rng.standard_normal(np.shape(forward.arguments[name])) for name in forward.names}
        yield u
    share = {name: norm([u[name]], [gradients[name]]) for name in forward.names}
    rest = sorted(share, key=share.get, reverse=True)
    while rest:
        largest = share[rest[0]]
        rest = [name for name in rest if share[name] < SMALL * largest]
        if rest:
            yield {name: rng.standard_normal(np.shape(forward.arguments[name])) for name in rest}


# ---------------------------------------------------------------- kinks


def _at_kink(mismatch):
    """Whether the mismatch could be a kink's: the two one-sided slopes differ, and by enough to explain it."""
    gap = mismatch.high - mismatch.low
    return is_kink(mismatch.slope) and abs(mismatch.claimed - mismatch.slope.value) <= 4 * gap


def _judge_kink(forward, dout, gradients, rng, observe, suspect):
    """At a kink: the subgradient inequality for upstream gradients of one sign, and the ordinary check a little beside it."""
    for sign in (1.0, -1.0):
        one_sign = tuple(sign * np.abs(d) for d in dout)
        if all(np.array_equal(a, b) for a, b in zip(one_sign, dout, strict=True)):
            mine = gradients
        elif observe is None:
            continue
        else:
            again = observe(_shaped(one_sign), forward.arguments)
            if form_finding(again["value"], forward.arguments, forward.names):
                return suspect
            mine = read(forward, again["value"])
        mismatch, curved = _outside_subgradients(forward, one_sign, mine, rng)
        if curved and mismatch:
            return mismatch
        if curved and observe is None:
            return None
    if observe is None:
        return suspect if not suspect.low <= suspect.claimed <= suspect.high else None
    return _beside_kink(forward, dout, rng, observe, suspect)


def _shaped(dout):
    return dout if len(dout) > 1 else dout[0]


def _outside_subgradients(forward, dout, gradients, rng):
    """(a direction that no subgradient allows or None, whether the loss is convex or concave along all directions tried)."""
    rtol = tolerance(gradients)
    found, bends = None, set()
    for u in _kink_directions(forward, rng):
        slope = Ray(forward, u).slope(dout)
        claimed = weighted_sum([u[name] for name in u], [gradients[name] for name in u])
        size = norm([u[name] for name in u], [gradients[name] for name in u])
        low, high = sorted((slope.left, slope.right))
        if is_kink(slope):
            bends.add(np.sign(slope.right - slope.left))
            allowed = rtol * size + 1e-6 * (abs(low) + abs(high)) + 1e-9 * slope.size
        else:
            low = high = slope.value
            allowed = SAFETY * slope.error + rtol * size
        if not low - allowed <= claimed <= high + allowed:
            found = found or Mismatch(tuple(dout), u, claimed, slope, low, high)
    return found, len(bends) == 1


def _kink_directions(forward, rng):
    """Gaussian ones, and the one that moves all elements together: along it a tie stays a tie, so the slope is exact."""
    for _ in range(3):
        yield {name: rng.standard_normal(np.shape(forward.arguments[name])) for name in forward.names}
    for name in forward.names:
        yield {name: np.ones(np.shape(forward.arguments[name]))}


def _beside_kink(forward, dout, rng, observe, suspect):
    """The ordinary check at a point a little off the kink, the same backward pass asked again there."""
    for nudge in range(NUDGES):
        arguments = dict(forward.arguments)
        for name in forward.names:
            x = forward.arguments[name]
            scale = np.sqrt(np.mean(np.square(x))) or 1.0
            arguments[name] = x + 10.0 ** -(2 + nudge) * scale * rng.standard_normal(np.shape(x))
        try:
            moved = forward.moved_to(arguments)
        except CannotCheck:  # outside the domain of a logarithm or a root
            continue
        seen = observe(_shaped(tuple(dout)), arguments)
        if form_finding(seen["value"], moved.arguments, moved.names):
            return suspect
        mismatch = _off_direction(moved, dout, read(moved, seen["value"]), rng)
        if mismatch is None or not _at_kink(mismatch):
            return suspect if mismatch else None
    return suspect


# ---------------------------------------------------------------- where


def located(forward: Forward, mismatch: Mismatch, gradients: Gradients, where: str) -> Finding:
    """On failure only: which argument, and if it is small enough which element, with its error map."""
    for name in mismatch.u:
        if not _argument_is_off(forward, mismatch, name, gradients):
            continue
        if np.size(gradients[name]) > LOCALISE:
            return Finding(
                f"the gradient of `{name}` is wrong",
                where=f"along a random direction; {where}",
                expected=short(mismatch.slope.value),
                actual=short(mismatch.claimed),
            )
        true = element_slopes(forward, name, [mismatch.dout])[0]
        worst = worst_element(true, gradients[name])
        if worst is not None:
            return _element(name, nearest(true, gradients[name]), gradients[name], worst, where)
    names = " and ".join(f"`{name}`" for name in mismatch.u)
    return Finding(f"the gradient of {names} is wrong", where=f"along one direction; {where}", expected=_range(mismatch), actual=short(mismatch.claimed))


def _range(mismatch):
    if mismatch.low == mismatch.high or not is_kink(mismatch.slope):
        return short(mismatch.slope.value)
    return f"{short(mismatch.low)} to {short(mismatch.high)}: at a kink every slope between is right"


def _argument_is_off(forward, mismatch, name, gradients):
    if len(mismatch.u) == 1:
        return True
    u = {name: mismatch.u[name]}
    slope = Ray(forward, u).slope(mismatch.dout)
    claimed = float(np.sum(u[name] * gradients[name]))
    allowed = SAFETY * slope.error + tolerance(gradients) * norm([u[name]], [gradients[name]])
    low, high = sorted((slope.left, slope.right)) if is_kink(slope) else (slope.value, slope.value)
    return not low - allowed <= claimed <= high + allowed


def nearest(true, given: np.ndarray) -> np.ndarray:
    """The right value nearest to the given one: at a kink everything between the one-sided slopes is right."""
    return np.clip(given, true.low, true.high)


def worst_element(true, given: np.ndarray) -> tuple[int, ...] | None:
    """The index of the element that is furthest off; None when each by itself is right."""
    right = nearest(true, given)
    error = np.abs(given - right)
    scale = float(np.max(np.abs(right), initial=0.0))
    wrong = ~(error <= 1e-6 * np.abs(right) + 1e-7 * scale + 1e-10)
    if not wrong.any():
        return None
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(np.where(wrong, error, -1.0))), np.shape(given)))


def _element(name, right, given, index, where):
    label = gradient_name(name)
    off = int(np.sum(np.abs(given - right) > 1e-6 * np.abs(right) + 1e-10))
    place = f"{label}[{', '.join(map(str, index))}], {off} of {given.size} wrong" if index else label
    drawn: ErrorMap | None = error_map(label, right, given) if given.size > 1 else None
    return Finding(
        f"the gradient of `{name}` is wrong", where=f"{place}; {where}", expected=short(float(right[index])), actual=short(float(given[index])), error_map=drawn
    )
