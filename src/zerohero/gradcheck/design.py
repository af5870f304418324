"""The input designer: from the declared signature of an operation, the inputs on which a wrong backward pass shows.

    takes = signature(x=Array("N D"), w=Array("D M"), b=Array("M"))
    for case in design(takes, forward, np.random.RandomState(0)):
        case.group, case.arguments, case.dout

What most often hides a mistake is the input: a batch of one hides a missing 1/N, a square matrix a missing transpose, p = 0.5
a 1/p for 1/(1 - p), distinct ids an assignment in place of an addition, a stride as long as the window the same. So
sizes are pairwise different primes, each special input is a group of its own with a name a student understands, and the
upstream gradient is random. Where kinks are what the group is about (zeros, ties), the upstream gradient has one sign,
because there only the subgradient inequality can tell right from wrong; elsewhere kinks are kept away from.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from .arguments import (
    Argument,
    Array,
    Choice,
    Ids,
    Integer,
    Labels,
    Mask,
    Padding,
    Plan,
    Probability,
    Size,
    Stride,
    names_in,
    shape_of,
    tokens,
    upstream,
)

__all__ = ["Array", "Choice", "Designed", "Ids", "Integer", "Labels", "Mask", "Padding", "Probability", "Signature", "Size", "Stride", "design", "signature"]

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)  # without 2, which is also a factor that formulas hold
KERNELS = (2, 4, 6)
BATCH = ("N", "B")
"""Names that stand for the size of the batch."""
REACH = 2e-3
"""Kinks are looked for this far along DIRECTIONS random directions; where there is one, other numbers are drawn, REDRAWS times."""
DIRECTIONS = 2
REDRAWS = 10
NUMBER = ("no axes", "one axis", "two axes", "three axes", "four axes", "five axes", "six axes")
GROUPS = {"nearly_equal": "nearly equal numbers", "huge": "large numbers", "zeros": "zeros", "ties": "ties"}
PARTS = {"nearly_equal": 2, "huge": 2, "zeros": 1, "ties": 1}
KINKS = ("zeros", "ties")


@dataclass(frozen=True)
class Designed:
    """One case: ``backward(dout, *arguments.values())`` is to be called."""

    group: str
    arguments: dict[str, Any]
    """Plain data, by name, in the order of the signature."""
    dout: Any
    """Upstream gradient: a float64 array of the shape of the output, a float when it is one number, a tuple of these for several outputs."""


# ---------------------------------------------------------------- sizes


@dataclass(frozen=True)
class Signature:
    """The arguments of an operation, by name and in order. Made by ``signature``."""

    arguments: Mapping[str, Argument]
    smallest: Mapping[str, int] = field(default_factory=dict)

    def at_least(self, **sizes: int) -> "Signature":
        """The same, for an operation that has no meaning on smaller sizes: at_least(N=2) where N - 1 is divided by."""
        unknown = [name for name in sizes if name not in self.names]
        if unknown:
            raise ValueError(f"at_least({unknown[0]}=...): no argument has an axis {unknown[0]!r}; there are {', '.join(self.names)}")
        return replace(self, smallest={**self.smallest, **sizes})

    @property
    def differentiable(self) -> tuple[str, ...]:
        """Names of the arguments that have a gradient, in order."""
        return tuple(name for name, one in self.arguments.items() if isinstance(one, Array))

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups that ``design`` gives, in order."""
        return tuple(dict.fromkeys(plan.group for plan in self.plans(np.random.RandomState(0))))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of sizes in the order they first stand."""
        shown = (one.axes if hasattr(one, "axes") else one.name for one in self.arguments.values() if hasattr(one, "axes") or isinstance(one, Size))
        return tuple(dict.fromkeys(name for text in shown for name in names_in(text)))

    @property
    def _shaped(self):
        return [one for one in self.arguments.values() if hasattr(one, "axes")]

    @property
    def _stride(self):
        return next((one for one in self.arguments.values() if isinstance(one, Stride)), None)

    def _has(self, kind):
        return any(isinstance(one, kind) for one in self.arguments.values())

    def _special(self, what):
        return any(isinstance(one, Array) and getattr(one, what) for one in self.arguments.values())

    # ------------------------------------------------ what cases there are

    def plans(self, rng: np.random.RandomState) -> Iterator[Plan]:
        """What each case is to be like, group by group."""
        window, batch = self._stride, next((name for name in self.names if name in BATCH), None)
        over, kernel = (names_in(window.over), names_in(window.kernel)) if window else ([], [])
        for _ in range(2):  # two sets of sizes: what is larger in one may be smaller in the other
            yield Plan("values", self.sizes(rng))
        if batch and self.smallest.get(batch, 1) <= 1:
            yield Plan("batch of one", self.sizes(rng, {batch: 1}))
        yield from self._plans_of_leading_axes(rng)
        for one in [[name] for name in self.names if name != batch and name not in over + kernel] + [kernel][: len(kernel)]:
            if all(self.smallest.get(name, 1) <= 1 for name in one):
                yield Plan("an axis of size one", self.sizes(rng, dict.fromkeys(one, 1)))
        if self._has(Ids):
            yield Plan("repeated ids", self.sizes(rng), "repeats")
        if window:
            yield Plan("overlapping windows", self.sizes(rng, stride=1))
            if self._has(Padding):
                yield Plan("strides and padding", self.sizes(rng, stride=1, padding=1))
                yield Plan("strides and padding", self.sizes(rng, stride=2, padding=1))
            yield Plan("strides and padding" if self._has(Padding) else "strides", self.sizes(rng, stride=2, left_over=1))
        for special, group in GROUPS.items():
            if self._special(special):
                for part in range(PARTS[special]):
                    yield Plan(group, self.sizes(rng), special, part)
        if self._special("empty"):
            first = next(tokens(one.axes)[0] for one in self.arguments.values() if isinstance(one, Array) and one.empty)
            yield Plan("empty", self.sizes(rng, {"...": (0, *self._leading(rng)[1:])} if first == "..." else {first: 0}))

    def _plans_of_leading_axes(self, rng):
        """More leading axes than usual and, where no others are left, fewer; then each of them of size one."""
        if not self._has_leading:
            return
        axes = next(tokens(one.axes) for one in self._shaped if "..." in tokens(one.axes))
        usual, others = self._usual_leading, len(axes) - 1
        for count in (usual - 1, usual + 1) if others == 0 else (usual + 1,):
            yield Plan(NUMBER[count + others], self.sizes(rng, {"...": self._leading(rng, count)}))
        for place in range(usual):
            leading = self._leading(rng)
            yield Plan("an axis of size one", self.sizes(rng, {"...": (*leading[:place], 1, *leading[place + 1 :])}))

    @property
    def _has_leading(self):
        return any("..." in one.axes for one in self._shaped)

    @property
    def _usual_leading(self):
        """A matrix at least: two leading axes where there are no others, else one."""
        return 1 if any("..." in one.axes and len(tokens(one.axes)) > 1 for one in self._shaped) else 2

    def _leading(self, rng, count=None):
        count = count or self._usual_leading
        return tuple(rng.permutation(PRIMES[: max(3, count)]).tolist()[:count])

    # ------------------------------------------------ sizes that fit together

    def sizes(
        self, rng: np.random.RandomState, fixed: Mapping[str, Any] | None = None, *, stride: int = 0, padding: int = 0, left_over: int = 0
    ) -> dict[str, Any]:
        """{name: size}, pairwise different but for those in ``fixed``.

        Primes, but for the axes under windows: those are as long as windows need that start every ``stride``, side by side
        for 0, and reach the end of the padding up to ``left_over``. Rows that ids pick from are as many as there are ids, or more.
        Raises ValueError when the signature cannot be satisfied.
        """
        sizes = dict(fixed or {})
        window = self._stride
        kernel, over = (names_in(window.kernel), names_in(window.over)) if window else ([], [])
        rows = [one.below for one in self.arguments.values() if isinstance(one, Ids)]
        for name, size in zip(kernel, rng.permutation(KERNELS[: len(kernel)]).tolist(), strict=True):
            sizes.setdefault(name, size)
        stride = stride or max((sizes[name] for name in kernel), default=1)
        if self._has_leading:
            sizes.setdefault("...", self._leading(rng))
        taken = set(sizes.get("...", ())) | {size for size in sizes.values() if isinstance(size, int)}
        free = [name for name in self.names if name not in sizes and name not in over and name not in rows]
        images = {name for one in self._shaped if set(over) & set(names_in(one.axes)) for name in names_in(one.axes)}
        for names in ([name for name in free if name in images], [name for name in free if name not in images]):  # large arrays get the small sizes
            spare = 0 if window or len(free) + len(sizes.get("...", ())) > 3 else 1
            for done, name in enumerate(rng.permutation(names).tolist() if names else ()):
                fit = [p for p in PRIMES if p not in taken and p >= self.smallest.get(name, 1)]
                if not fit:
                    raise ValueError(
                        f"no size is left for the axis {name!r}: at most {PRIMES[-1]}, different from the others, at least {self.smallest.get(name, 1)}"
                    )
                sizes[name] = fit[int(rng.randint(min(len(fit), len(names) - done + spare)))]
                taken.add(sizes[name])
        for name in dict.fromkeys(rows):
            sizes.setdefault(name, self._enough_rows(name, sizes, taken))
            taken.add(sizes[name])
        few = 3 if stride > 1 else 5
        counts = [*rng.permutation(np.arange(2, few + 1)).tolist(), *range(few + 1, 40)]
        for name, k in zip(over, kernel, strict=True):
            lengths = {n: (n - 1) * stride + sizes[k] - 2 * padding + left_over for n in counts}
            count = next(n for n in counts if lengths[n] > padding and lengths[n] not in taken)
            sizes[name] = lengths[count]
            counts.remove(count)
            taken.add(sizes[name])
        return sizes | ({"stride": stride, "padding": padding} if window else {})

    def _enough_rows(self, name, sizes, taken):
        count = max(math.prod(shape_of(one.axes, sizes)) for one in self.arguments.values() if isinstance(one, Ids) and one.below == name)
        size = max(count, 3, self.smallest.get(name, 1))
        while size in taken or any(size % p == 0 for p in range(2, size)):
            size += 1
        return size


def signature(**arguments: Argument) -> Signature:
    """The signature of an operation: forward(*arguments), backward(dout, *arguments).

    Raises ValueError for a signature that cannot be satisfied: a name that no axis has, an argument named "dout".
    """
    made = Signature(dict(arguments))
    if "dout" in arguments:
        raise ValueError('an argument cannot be called "dout": that is the upstream gradient')
    if not made.differentiable:
        raise ValueError("no argument has a gradient: at least one must be an Array")
    for name, one in arguments.items():
        if tokens(getattr(one, "axes", "")).count("...") > 1:
            raise ValueError(f'{name}: "..." can stand once only')
        for size in [one.below] if isinstance(one, (Ids, Labels)) else names_in(one.over) if isinstance(one, Stride) else []:
            if size not in made.names:
                raise ValueError(f"{name}: no argument has an axis {size!r}; there are {', '.join(made.names)}")
        if isinstance(one, Stride) and not len(names_in(one.over)) == len(names_in(one.kernel)) <= len(KERNELS):
            raise ValueError(f"{name}: as many sizes of the window as axes under it, at most {len(KERNELS)}; not {one.kernel!r} over {one.over!r}")
    if made._has(Padding) and not made._stride:
        raise ValueError("a Padding needs a Stride beside it, which says what the windows are")
    return made


# ---------------------------------------------------------------- cases


def design(takes: Signature, forward: Callable[..., Any], rng: np.random.RandomState) -> list[Designed]:
    """Cases on which a wrong backward pass of ``forward`` shows, group by group, always the same for one state of ``rng``.

    forward : forward(*arguments) -> float64 array, number, or tuple of these; needed for the shape of the upstream
              gradient, and to keep away from its kinks
    """
    cases = []
    for plan in takes.plans(rng):
        arguments = _draw(takes, plan, rng)
        for _ in range(REDRAWS):
            if plan.special or not _bends(forward, arguments, takes.differentiable, rng):
                break
            arguments = _draw(takes, plan, rng)
        out = forward(*arguments.values())
        for sign in (1, -1) if plan.special in KINKS else (0,):
            cases.append(Designed(plan.group, arguments, upstream(rng, out, sign)))
    return cases


def _draw(takes, plan, rng):
    return {name: one.draw(plan, rng) for name, one in takes.arguments.items()}


def _bends(forward, arguments, moved, rng):
    """Whether a kink is close by: along random directions, does the second difference fall to a quarter when the step is halved, twice?

    Twice, because a kink at a third of one step looks smooth at that step.
    """

    def at(t):
        out = forward(*[value + t * u[name] if name in u else value for name, value in arguments.items()])
        return np.concatenate([np.ravel(one) for one in (out if isinstance(out, (tuple, list)) else [out])])

    for _ in range(DIRECTIONS):
        u = {name: rng.standard_normal(np.shape(arguments[name])) for name in moved}
        centre, ends = at(0.0), [(at(t), at(-t)) for t in (REACH, REACH / 2, REACH / 4)]
        second = [up - 2 * centre + down for up, down in ends]
        moves = np.max(np.abs(ends[0][0] - centre), initial=0.0)
        if any(np.any(np.abs(wide - 4 * narrow) > 0.01 * moves + 1e-9) for wide, narrow in pairwise(second)):
            return True
    return False
