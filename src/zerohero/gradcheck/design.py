"""The input designer: from the declared signature of an operation, the inputs on which a wrong backward pass shows.

    takes = signature(x=Array("N D"), w=Array("D M"), b=Array("M"))
    for case in design(takes, forward, np.random.RandomState(0)):
        case.group, case.arguments, case.dout

What most often hides a mistake is the input: a batch of one hides a missing 1/N, a square matrix a missing transpose, p = 0.5
a 1/p for 1/(1 - p), distinct ids an assignment in place of an addition, a stride as long as the window the same. So
sizes are pairwise different primes, each special input is a group of its own with a name a student understands, and the
upstream gradient is random. Numbers keep away from 0 and from each other, so that no kink is near; where kinks are what the group is
about (zeros, ties), the upstream gradient has one sign, because there only the subgradient inequality can tell right from
wrong.

Arrays are contiguous and may be written into: they must come out of plain data as they went in, and an answer that writes
into its arguments is told so by name, which a read-only array would prevent.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)  # without 2, which is also a factor that formulas hold
KERNELS = (2, 4, 6)
BATCH = ("N", "B")
"""Names that stand for the size of the batch."""
MARGIN = 0.05
"""Numbers are at least this far from 0."""
REACH = 2e-3
"""Kinks are looked for this far along DIRECTIONS random directions; where there is one, other numbers are drawn, REDRAWS times."""
DIRECTIONS = 2
REDRAWS = 10
NUMBER = ("no axes", "one axis", "two axes", "three axes", "four axes", "five axes", "six axes")


@dataclass(frozen=True)
class Plan:
    """What one case is to be like, before any number is drawn."""

    group: str
    sizes: Mapping[str, Any]
    """{"N": 5, "...": (3, 7)}; also "stride" and "padding"."""
    special: str = ""
    """"zeros", "ties", "huge", "nearly_equal" or "repeats": which property of the arguments the group is about."""
    part: int = 0
    """Which of several cases of one special kind."""


@dataclass(frozen=True)
class Designed:
    """One case: ``backward(dout, *arguments.values())`` is to be called."""

    group: str
    arguments: dict[str, Any]
    """Plain data, by name, in the order of the signature."""
    dout: Any
    """Upstream gradient: a float64 array of the shape of the output, a float when it is one number, a tuple of these for several outputs."""


# ---------------------------------------------------------------- kinds of arguments


@dataclass(frozen=True)
class Array:
    """A float64 array that has a gradient.

    axes : sizes by name, "N D"; one name is one size in all arguments. A number is itself, "(4 H)" a product, "..." any
           leading axes, "" none at all.

    The rest says what is special about its values; each gives a group of its own, but for ``scale`` and ``positive``.
    """

    axes: str
    scale: float = 1.0
    """Typical size of a number."""
    positive: bool = False
    zeros: bool = False
    """Exact zeros: relu, abs."""
    ties: bool = False
    """Equal numbers beside each other: max."""
    huge: float = 0.0
    """Rows of this size, typically 1000: one number far above the rest, all far from 0, far apart. For whatever holds exp."""
    nearly_equal: bool = False
    """Rows and columns of small variance: normalisation."""
    empty: bool = False
    """The first axis may have size 0."""

    def draw(self, plan: Plan, rng: np.random.RandomState) -> np.ndarray:
        x = numbers(rng, shape_of(self.axes, plan.sizes))
        x = np.abs(x) if self.positive else x
        if plan.special in SPECIAL and getattr(self, plan.special):
            return SPECIAL[plan.special](x, self, plan.part, rng)
        return x if self.scale == 1 else self.scale * x


@dataclass(frozen=True)
class Ids:
    """An int64 array of numbers from 0 to below - 1 that pick rows: distinct when there is room, and in a group of their own repeated."""

    axes: str
    below: str

    def draw(self, plan, rng):
        shape, below = shape_of(self.axes, plan.sizes), plan.sizes[self.below]
        count = math.prod(shape)
        if plan.special == "repeats" and count > 1:
            few = rng.permutation(below)[: max(1, min(below - 1, count // 2))]  # one row at least is never picked
            picked = few[np.concatenate([np.arange(len(few)), rng.randint(len(few), size=count - len(few))])]
        else:
            picked = np.concatenate([rng.permutation(below) for _ in range(-(-count // below))])[:count] if count else np.empty(0)
        return rng.permutation(picked).reshape(shape).astype(np.int64)


@dataclass(frozen=True)
class Labels:
    """An int64 array of classes from 0 to below - 1; the first and the last class are among them when there is room."""

    axes: str
    below: str

    def draw(self, plan, rng):
        shape, below = shape_of(self.axes, plan.sizes), plan.sizes[self.below]
        labels = rng.randint(below, size=math.prod(shape))
        labels[:2] = [0, below - 1][: len(labels[:2])]
        return rng.permutation(labels).reshape(shape).astype(np.int64)


@dataclass(frozen=True)
class Mask:
    """A float64 array of 0.0 and 1.0, both of which occur when there is room. It has no gradient."""

    axes: str

    def draw(self, plan, rng):
        shape = shape_of(self.axes, plan.sizes)
        mask = (rng.uniform(size=math.prod(shape)) < 0.7).astype(np.float64)
        mask[:2] = [1.0, 0.0][: len(mask[:2])]
        return rng.permutation(mask).reshape(shape)


@dataclass(frozen=True)
class Size:
    """The int that a name of the axes stands for."""

    name: str

    def draw(self, plan, rng):
        return plan.sizes[self.name]


@dataclass(frozen=True)
class Stride:
    """The int by which windows of the sizes ``kernel``, "A B", move over axes ``over``, "H W".

    The sizes of ``over`` are chosen so that the windows fit: side by side, overlapping, and with a padding when the signature has one.
    """

    kernel: str
    over: str

    def draw(self, plan, rng):
        return plan.sizes["stride"]


@dataclass(frozen=True)
class Padding:
    """The int number of zeros that the operation puts before and after each axis under the windows."""

    def draw(self, plan, rng):
        return plan.sizes["padding"]


@dataclass(frozen=True)
class Probability:
    """A float between 0.15 and 0.85 that is not near 0.5, where p and 1 - p are the same."""

    def draw(self, plan, rng):
        return round(float(rng.choice([rng.uniform(0.15, 0.4), rng.uniform(0.6, 0.85)])), 3)


@dataclass(frozen=True)
class Integer:
    """An int from low to high, both included."""

    low: int
    high: int

    def draw(self, plan, rng):
        return int(rng.randint(self.low, self.high + 1))


@dataclass(frozen=True)
class Choice:
    """One of some values, whatever they are."""

    values: Sequence[Any]

    def draw(self, plan, rng):
        return self.values[int(rng.randint(len(self.values)))]


Argument = Array | Ids | Labels | Mask | Size | Stride | Padding | Probability | Integer | Choice


# ---------------------------------------------------------------- numbers


def numbers(rng: np.random.RandomState, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Random numbers of about size 1 to four decimals, float64: none within MARGIN of 0, no two alike."""
    n = math.prod(shape)
    x = rng.standard_normal(n)
    apart = min(0.02, 4.0 / max(n, 1)) * (np.arange(n) - n // 2)  # what is added in the order of size keeps neighbours apart
    x[np.argsort(x)] += apart
    return np.round(x + np.where(x < 0, -MARGIN, MARGIN), 4).reshape(shape)


def signed(rng: np.random.RandomState, low: float = 0.3, high: float = 3.0) -> float:
    """One number of either sign, of a size between low and high, to three decimals."""
    return round(float(rng.uniform(low, high) * rng.choice([-1.0, 1.0])), 3)


def upstream_number(rng: np.random.RandomState) -> float:
    """The upstream gradient of one number: of either sign, of a size between 1.2 and 3.5, so never 1 and never 0."""
    return signed(rng, 1.2, 3.5)


def upstream(rng: np.random.RandomState, out: Any, sign: int = 0) -> Any:
    """A random upstream gradient for an output: of both signs, or of the one given."""
    if isinstance(out, (tuple, list)):
        return tuple(upstream(rng, one, sign) for one in out)
    dout = numbers(rng, np.shape(out)) if np.ndim(out) else upstream_number(rng)
    return sign * abs(dout) if sign else dout


def _with_zeros(x, array, part, rng):
    at = rng.permutation(x.size)[: max(1, x.size // 4)]
    x.ravel()[at] = 0.0
    return array.scale * x


def _with_ties(x, array, part, rng):
    x = rng.randint(0 if array.positive else -1, 3, x.shape).astype(np.float64)
    pairs = x.shape[-1] // 2 if x.ndim else 0
    x[..., 1 : 2 * pairs : 2] = x[..., 0 : 2 * pairs : 2]
    return array.scale * x


def _huge(x, array, part, rng):
    """Row by row one of five kinds; two parts together have all of them, for three rows too."""
    rows = x.reshape(-1, x.shape[-1]) if x.ndim > 1 else x.reshape(-1, 1)
    for number, row in enumerate(rows):
        kind = (number + 3 * part) % 5
        if kind == 0:
            row[rng.randint(row.size)] = array.huge  # saturated
        elif kind == 1:
            row += 0.99 * array.huge  # far from 0, close to each other
        elif kind == 2:
            row -= 0.99 * array.huge
        elif kind == 3:
            row *= 0.4 * array.huge  # far apart
    return np.abs(x) if array.positive else x


def _nearly_equal(x, array, part, rng):
    x = np.abs(x) if array.positive else x
    if part:
        return array.scale * (5 + 3 * x * np.where(np.arange(x.shape[-1]) % 2, 0.01, 1.0))  # some columns
    rows = x.reshape(-1, x.shape[-1])
    return array.scale * (rows * np.where(np.arange(len(rows)) % 2, 0.003, 1.0)[:, None]).reshape(x.shape)


SPECIAL = {"zeros": _with_zeros, "ties": _with_ties, "huge": _huge, "nearly_equal": _nearly_equal}
GROUPS = {"nearly_equal": "nearly equal numbers", "huge": "large numbers", "zeros": "zeros", "ties": "ties"}
PARTS = {"nearly_equal": 2, "huge": 2, "zeros": 1, "ties": 1}
KINKS = ("zeros", "ties")


# ---------------------------------------------------------------- sizes


def _tokens(axes):
    return re.findall(r"\([^()]*\)|[^\s()]+", axes)


def _names(axes):
    """Names in the order they stand: "N (T D) 4 ..." -> ["N", "T", "D"]."""
    return [token for token in re.findall(r"\w+", axes) if not token.isdigit()]


def shape_of(axes: str, sizes: Mapping[str, Any]) -> tuple[int, ...]:
    """("N (4 H) ...", {"N": 3, "H": 5, "...": (2, 7)}) -> (3, 20, 2, 7)."""
    shape: list[int] = []
    for token in _tokens(axes):
        if token == "...":
            shape += sizes["..."]
        elif token.startswith("("):
            shape.append(math.prod(shape_of(token[1:-1], sizes)))
        else:
            shape.append(int(token) if token.isdigit() else sizes[token])
    return tuple(shape)


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
        return tuple(dict.fromkeys(name for text in shown for name in _names(text)))

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
        over, kernel = (_names(window.over), _names(window.kernel)) if window else ([], [])
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
            first = next(_tokens(one.axes)[0] for one in self.arguments.values() if isinstance(one, Array) and one.empty)
            yield Plan("empty", self.sizes(rng, {"...": (0, *self._leading(rng)[1:])} if first == "..." else {first: 0}))

    def _plans_of_leading_axes(self, rng):
        """More leading axes than usual and, where no others are left, fewer; then each of them of size one."""
        if not self._has_leading:
            return
        axes = next(_tokens(one.axes) for one in self._shaped if "..." in _tokens(one.axes))
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
        return 1 if any("..." in one.axes and len(_tokens(one.axes)) > 1 for one in self._shaped) else 2

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
        kernel, over = (_names(window.kernel), _names(window.over)) if window else ([], [])
        rows = [one.below for one in self.arguments.values() if isinstance(one, Ids)]
        for name, size in zip(kernel, rng.permutation(KERNELS[: len(kernel)]).tolist(), strict=True):
            sizes.setdefault(name, size)
        stride = stride or max((sizes[name] for name in kernel), default=1)
        if self._has_leading:
            sizes.setdefault("...", self._leading(rng))
        taken = set(sizes.get("...", ())) | {size for size in sizes.values() if isinstance(size, int)}
        free = [name for name in self.names if name not in sizes and name not in over and name not in rows]
        images = {name for one in self._shaped if set(over) & set(_names(one.axes)) for name in _names(one.axes)}
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
        if _tokens(getattr(one, "axes", "")).count("...") > 1:
            raise ValueError(f'{name}: "..." can stand once only')
        for size in [one.below] if isinstance(one, (Ids, Labels)) else _names(one.over) if isinstance(one, Stride) else []:
            if size not in made.names:
                raise ValueError(f"{name}: no argument has an axis {size!r}; there are {', '.join(made.names)}")
        if isinstance(one, Stride) and not len(_names(one.over)) == len(_names(one.kernel)) <= len(KERNELS):
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
