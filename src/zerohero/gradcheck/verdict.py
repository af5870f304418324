"""Are these the gradients? From the forward pass and what a backward pass returned; the student's objects are not touched.

A random direction u over all differentiable arguments at once: the measured slope along u must be <gradient, u>. A wrong
gradient passes one such direction with a probability of about the tolerance itself; where the agreement is no better than
the tolerance, a second direction is asked.

At a kink there is no slope. Where the outputs are convex (relu, a maximum) and the upstream gradient has one sign, every
valid subgradient g keeps to left slope <= <g, u> <= right slope for every u, and nothing else does; so that is what is
asked there. Elsewhere the point is moved a little off the kink, where the backward pass is asked again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import CannotCheck
from ..plaindata import describe, to_plain
from ..report import ErrorMap, Finding
from .backward import as_array, form_finding, gradient_name, listed, other_upstream, upstream
from .compare import short
from .directional import EPS, SMALLER, START, Ray, Slope, element_slopes, is_kink, norm
from .error_map import error_map
from .forward import Forward
from .protocol import protocol_findings

FIRST, BROAD = 2.0**-19, 2.0**-9
"""The first step along a direction: small, for one over all arguments moves the n numbers of a layer by the root of n times as
much; larger where rounding asks for it, which at BROAD is NOTHING."""
CERTAIN = 1e-9
"""Of the norm of gradient * direction: a claim that differs by more, though that is allowed, is asked along a second direction."""
CLASSES = 3
"""Directions at most for arguments that are too small to show in the others."""
EVALUATIONS = 15
"""Forward passes at most along the directions of one point, besides the one at the point itself."""
SAFETY = 20.0
"""Times the estimated error of the slope."""
RTOL = {8: 1e-7, 4: 2e-6}
"""Of the norm of gradient * direction, by the bytes of a number that backward returned: about 10 times its rounding, in float64 with room for long sums."""
SMALL = 1e-3
"""An argument whose share of the slope is smaller gets a direction of its own: in the sum its errors would not show."""
FINE, ROUGH = 5e-5, 1e-4
"""Relative to the slope: an allowance above FINE calls for smaller steps, one above ROUGH says nothing at all."""
DOUBTFUL = 1e-3
"""Of the slope: with a larger error it was measured far from x, and even a claim that is much larger may be right."""
NOTHING = 1e-11
"""Of the size of the outputs: a slope that agrees to within this needs no further steps, however small it is."""
LOST = 1e-4
"""Of the size of the outputs: where slopes are smaller, an allowance is measured against this."""
UNDERFLOW = 1e-307
"""Below this numbers lose their digits."""
REDRAWS = 2
"""Directions in place of one along which no slope can be measured, when it could along another: in a large layer a kink may
be closer than the smallest step."""
NUDGES = 4
SURE = 64
"""Single elements along which outputs must bend the same way before a gradient is rejected at a kink: in a sum over a
whole layer the few that bend the other way would not show."""
LOCALISE = 2_000  # elements of one argument; above, only the argument is named

Gradients = Mapping[str, np.ndarray]
Observe = Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class Claim:
    """What a backward pass says: these are the gradients for this upstream gradient."""

    dout: tuple[np.ndarray, ...]
    gradients: Gradients

    @cached_property
    def rtol(self) -> float:
        """Relative tolerance for the least precise dtype among the gradients."""
        return max(RTOL.get(g.dtype.itemsize, RTOL[8]) for g in self.gradients.values())

    @cached_property
    def _flat(self) -> np.ndarray:
        return np.concatenate([np.ravel(g) for g in self.gradients.values()])

    def along(self, ray: Ray) -> tuple[float, float]:
        """(the slope that is claimed along the ray, the norm of gradient * u)."""
        flat = self._flat if ray.names == tuple(self.gradients) else np.concatenate([np.ravel(self.gradients[name]) for name in ray.names])
        products = ray.flat * flat
        return float(np.add.reduce(products)), norm([products])


@dataclass(frozen=True)
class Mismatch:
    """A direction along which a claim and the slope differ."""

    claim: Claim
    ray: Ray
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
    found = _held_against(forward, dout, seen, seed, observe, where)
    if found:
        forward.check_repeatable()
    return found


def _held_against(forward, dout, seen, seed, observe, where):
    names = ["dout", *forward.arguments]
    if protocol_findings(seen, arguments=names):
        return protocol_findings(seen, where or described(forward), names)
    claims = []
    for value, weights in ((seen["value"], dout), (seen["other"], other_upstream(dout))):
        if form_finding(value, forward.arguments, forward.names):
            return [form_finding(value, forward.arguments, forward.names, where or described(forward))]
        claims.append(Claim(upstream(weights), read(forward, value)))
    with np.errstate(over="ignore", invalid="ignore"):  # of huge gradients: they are wrong, and said to be
        mismatch = first_mismatch(forward, claims, np.random.default_rng([seed, 2]), observe)
        return [located(forward, mismatch, where or described(forward))] if mismatch else []


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


def first_mismatch(forward: Forward, claims: Sequence[Claim], rng: np.random.Generator, observe: Observe | None = None) -> Mismatch | None:
    """None when the gradients are right at this point. The claims share every evaluation of the forward pass."""
    if all(np.size(g) == 0 for claim in claims for g in claim.gradients.values()):
        return None
    suspect, bent = _off_direction(forward, claims, rng)
    return _judge_kink(forward, suspect, rng, observe) if suspect and bent else suspect


def _off_direction(forward, claims, rng):
    """(the first mismatch or None, whether there is a kink where it was seen)."""
    before, redraws, step = forward.evaluations, REDRAWS, None
    directions = _directions(forward, claims[0], rng)
    if forward.complex_safe:
        _check_complex_step(Ray(forward, directions[0]), claims[0].dout)
    first = True
    while directions:
        ray = Ray(forward, directions.pop(0))
        glances = [_glance(ray, claim) for claim in claims]
        if first and max(glances) > CERTAIN:
            directions.append(_random(forward, forward.names, rng))
        first = False
        most = max(1, (EVALUATIONS - (forward.evaluations - before)) // 4 - len(directions))
        found = _compare(ray, [c for c, difference in zip(claims, glances, strict=True) if difference == np.inf], step, min(most, 4))
        if found is None and step and redraws:
            redraws -= 1
            directions.insert(0, _random(forward, ray.names, rng))
        elif found is None:
            raise forward.why_not()
        elif isinstance(found, tuple):
            return found
        else:
            step = found
    return None, False


def _check_complex_step(ray, dout):
    """Raise CannotCheck where the complex step and a real one tell two stories: abs, max or a cast to real takes the imaginary part away."""
    exact = ray.slope(dout)
    rough = ray.central(dout, FIRST)
    if not abs(exact.value - rough) <= 1e-3 * (abs(exact.value) + abs(rough)) + SAFETY * 4 * EPS * exact.size / FIRST:
        raise CannotCheck(
            "forward is not fit for the complex step: it holds abs, max, a comparison, a conjugate or a real buffer; check without complex_safe=True"
        )


def _compare(ray, claims, step, most):
    """The step that was good enough for all claims; (mismatch, whether there is a kink) for one that is off; None when no slope is to be had."""
    step = step or FIRST
    for claim in claims:
        slope = ray.slope(claim.dout, start=step, most=most, enough=claim.rtol * claim.along(ray)[1] / SAFETY)
        ray, slope = _settled(ray, claim, slope)
        step = slope.step or START
        allowance = _allowance(claim, ray, slope)
        known = allowance <= max(ROUGH * max(_scale(claim, ray, slope), LOST * (slope.size or norm(claim.dout))), UNDERFLOW)
        if known and _agrees(claim, ray, slope):
            continue
        bent = _bends(ray, claim.dout, step)
        if not bent and (not known or _on_one_side(claim, ray, slope)):
            return None
        return Mismatch(claim, ray, claim.along(ray)[0], slope, *sorted((slope.left, slope.right))), bent
    return max(step, SMALLER)


def _glance(ray, claim):
    """How far one central difference is from a claim that it shows to be right, as a share of its size; infinity where it shows nothing.

    Two evaluations, at a step where the rounding is no more than what rtol allows, or, for a claim of no slope at all, nothing beside
    the outputs. Its truncation is not known, but that can only make it disagree: a wrong claim would have to be off by just as much.
    """
    if ray.forward.complex_safe:
        return np.inf
    claimed, size = claim.along(ray)
    outputs = ray.size(claim.dout)
    scale, share = (outputs, NOTHING) if size <= EPS * outputs else (size, claim.rtol)
    allowed, rounding = share * scale, SAFETY * 4 * EPS * outputs  # rounding over the step, that is
    h = FIRST
    while h < BROAD and rounding > allowed * h:
        h *= 2
    if not rounding <= allowed * h < np.inf:
        return np.inf
    difference = abs(claimed - ray.central(claim.dout, h))
    return difference / (scale or 1.0) if difference <= allowed + rounding / h else np.inf


def _settled(ray, claim, slope):
    """The slope after further steps, where it is not known well enough, or before a claim is rejected for a slope that is hardly known."""

    def wanting(ray, slope):
        allowance, scale = _allowance(claim, ray, slope), _scale(claim, ray, slope)
        if not _agrees(claim, ray, slope):
            return allowance > FINE * scale or slope.error > DOUBTFUL * abs(slope.value) or _on_one_side(claim, ray, slope)
        return allowance > FINE * scale and slope.error > NOTHING * slope.size

    return ray.settled(claim.dout, slope, wanting)


def _bends(ray, dout, step):
    """Whether there is a kink: seen at the step at hand, or at a larger one, where a kink very close by is clearer."""
    one_sign = tuple(map(np.abs, dout))  # with both signs the bends of several kinks may cancel
    return any(is_kink(ray.slope(d, start=h, most=1)) for d in (dout, one_sign) for h in (step, ray.clear))


def _agrees(claim, ray, slope):
    allowance = _allowance(claim, ray, slope)
    return bool(np.isfinite(allowance)) and abs(claim.along(ray)[0] - slope.value) <= allowance  # a huge gradient allows itself no huge error


def _on_one_side(claim, ray, slope):
    """Whether the claim may be the slope to one side, where a kink close by bends the other.

    With the kink at r of the step, 0 < r < 3/7, the error is 3 / r - 7 times what was estimated: more than SAFETY for r < 0.11, while
    is_kink sees it for r < 0.09 only.
    """
    low, high = sorted((slope.left, slope.right))
    allowance = _allowance(claim, ray, slope)
    return not is_kink(slope) and low - allowance <= claim.along(ray)[0] <= high + allowance


def _allowance(claim, ray, slope):
    return SAFETY * slope.error + claim.rtol * claim.along(ray)[1] + UNDERFLOW


def _scale(claim, ray, slope):
    """What an error is large or small against."""
    return max(abs(slope.value), claim.along(ray)[1])


def _directions(forward, claim, rng):
    """One over all arguments at once, then one for each class of arguments that are too small to show in it."""
    directions = [_random(forward, forward.names, rng)]
    share = {name: norm([directions[0][name] * claim.gradients[name]]) for name in forward.names}
    rest = sorted(share, key=share.get, reverse=True)
    while rest and len(directions) <= CLASSES:
        largest = share[rest[0]]
        rest = [name for name in rest if share[name] < SMALL * largest]
        if rest:
            directions.append(_random(forward, rest, rng))
    return directions


def _random(forward, names, rng):
    """A Gaussian direction over these arguments."""
    return forward.split(names, rng.standard_normal(sum(np.size(forward.arguments[name]) for name in names)))


# ---------------------------------------------------------------- kinks


def _judge_kink(forward, suspect, rng, observe):
    """At a kink: the subgradient inequality for upstream gradients of one sign, and the ordinary check a little beside it."""
    dout = suspect.claim.dout
    rays = [suspect.ray, *(Ray(forward, u) for u in _kink_directions(forward, rng))]
    for sign in (1.0, -1.0):
        claim = Claim(tuple(sign * np.abs(d) for d in dout), suspect.claim.gradients)
        if not all(map(np.array_equal, claim.dout, dout)):
            if observe is None:
                continue
            value = observe(_shaped(claim.dout), forward.arguments)["value"]
            if form_finding(value, forward.arguments, forward.names):
                return suspect
            claim = Claim(claim.dout, read(forward, value))
        mismatch = _outside_subgradients(claim, rays)
        if mismatch is None and observe is None:  # what is wrong beside a kink may hide in the range of slopes at it
            mismatch = _outside_subgradients(claim, (Ray(forward, u) for u in _single_elements(forward, rng)))
        if (mismatch or observe is None) and _bends_one_way(forward, rays, rng if mismatch else None):
            return mismatch
    return _beside_kink(forward, suspect, rng, observe) if observe else suspect


def _shaped(dout):
    return dout if len(dout) > 1 else dout[0]


def _outside_subgradients(claim, rays):
    """A direction that no subgradient allows, or None: for outputs that are convex and an upstream gradient of one sign."""
    for ray in rays:
        slope = ray.slope(claim.dout, start=ray.clear, most=1)
        claimed, size = claim.along(ray)
        low, high = sorted((slope.left, slope.right))
        allowed = claim.rtol * size + 1e-6 * (abs(low) + abs(high)) + max(1e-9, 100 * EPS / slope.step) * slope.size
        if not is_kink(slope):
            low = high = slope.value
            allowed = SAFETY * slope.error + claim.rtol * size
        if not (np.isfinite(allowed) and low - allowed <= claimed <= high + allowed):
            return Mismatch(claim, ray, claimed, slope, low, high)
    return None


def _bends_one_way(forward, rays, rng):
    """Whether all outputs are convex, or all concave, as far as can be seen; before a verdict against it more directions are tried."""
    more = [Ray(forward, u) for u in _single_elements(forward, rng)] if rng else []
    return len(set().union(*(ray.bends() for ray in [*rays, *more]))) == 1


def _kink_directions(forward, rng):
    """A random one, and the one that moves all elements together: along it a tie stays a tie, so the slope is exact."""
    yield _random(forward, forward.names, rng)
    yield {name: np.ones(np.shape(forward.arguments[name])) for name in forward.names}


def _single_elements(forward, rng):
    places = [(name, index) for name in forward.names for index in np.ndindex(np.shape(forward.arguments[name]))]
    for chosen in rng.permutation(len(places))[:SURE]:
        name, index = places[chosen]
        u = np.zeros(np.shape(forward.arguments[name]))
        u[index] = 1.0
        yield {name: u}


def _beside_kink(forward, suspect, rng, observe):
    """The ordinary check at a point a little off the kink, where the same backward pass is asked again."""
    for nudge in range(NUDGES):
        arguments = dict(forward.arguments)
        for name in forward.names:
            x = forward.arguments[name]
            scale = np.sqrt(np.mean(np.square(x))) if np.any(x) else 1.0
            arguments[name] = x + 10.0 ** -(2 + nudge) * scale * rng.standard_normal(np.shape(x))
        try:
            moved = forward.moved_to(arguments)
        except CannotCheck:  # outside the domain of a logarithm or a root
            continue
        value = observe(_shaped(suspect.claim.dout), arguments)["value"]
        if form_finding(value, moved.arguments, moved.names):
            return suspect
        mismatch, bent = _off_direction(moved, [Claim(suspect.claim.dout, read(moved, value))], rng)
        if not (mismatch and bent):
            return suspect if mismatch else None
    return suspect


# ---------------------------------------------------------------- where


def located(forward: Forward, mismatch: Mismatch, where: str) -> Finding:
    """On failure only: which argument, and if it is small enough which element, with its error map."""
    gradients = mismatch.claim.gradients
    for name in mismatch.ray.names:
        if not _argument_is_off(forward, mismatch, name):
            continue
        if np.size(gradients[name]) > LOCALISE:
            return Finding(
                f"the gradient of `{name}` is wrong",
                where=f"along a random direction; {where}",
                expected=short(mismatch.slope.value),
                actual=short(mismatch.claimed),
            )
        true = element_slopes(forward, name, [mismatch.claim.dout])[0]
        worst = worst_element(true, gradients[name])
        if worst is not None:
            return _element(name, nearest(true, gradients[name]), gradients[name], worst, where)
    names = " and ".join(f"`{name}`" for name in mismatch.ray.names)
    return Finding(f"the gradient of {names} is wrong", where=f"along one direction; {where}", expected=_range(mismatch), actual=short(mismatch.claimed))


def _range(mismatch):
    if mismatch.low == mismatch.high or not is_kink(mismatch.slope):
        return short(mismatch.slope.value)
    return f"{short(mismatch.low)} to {short(mismatch.high)}: at a kink every slope between is right"


def _argument_is_off(forward, mismatch, name):
    if len(mismatch.ray.names) == 1:
        return True
    ray = Ray(forward, {name: mismatch.ray.u[name]})
    ray, slope = _settled(ray, mismatch.claim, ray.slope(mismatch.claim.dout))
    claimed, size = mismatch.claim.along(ray)
    allowed = SAFETY * slope.error + mismatch.claim.rtol * size
    low, high = sorted((slope.left, slope.right)) if is_kink(slope) else (slope.value, slope.value)
    return not (np.isfinite(allowed) and low - allowed <= claimed <= high + allowed)


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
