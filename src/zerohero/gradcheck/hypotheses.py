"""Generic hypotheses about a wrong gradient: kinds of mistake that the truth itself proves, without knowing the reference.

Each rule predicts what the wrong gradient of one argument would be, from the measured truth, the upstream gradient and the
arguments; it names the mistake only when its prediction holds in every trial. Where several kinds predict the same, the
first is named and the others are given as further possibilities.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .backward import as_array, listed, upstream
from .directional import ElementSlopes, Ray, element_slopes
from .forward import Forward
from .naming import ENOUGH, constant

LOCALISE = 2_000  # elements of one argument: the truth is measured element by element
RTOL = 1e-6
IN_ORDER = 5  # different numbers for a rule that changes their order alone: three stand in any order by chance
PERMUTED_AXES = 4  # arrays with more are not tried in every order of their axes

Named = tuple[str, ...]
"""(kind, one sentence, further kinds)."""


class Trial:
    """One call of a backward pass, beside the truth, which is measured when a rule first asks for it."""

    def __init__(self, forward: Forward, dout: Any, seen: Mapping[str, Any]) -> None:
        self.forward = forward
        self.names = forward.names
        self.dout = upstream(dout)
        self.given = self._read(seen["value"])
        self.given_other = self._read(seen["other"])
        self._slopes: dict[str, ElementSlopes] = {}

    def _read(self, value):
        values = listed(value, self.forward.arguments, self.names)
        arrays = {} if values is None else {name: as_array(v) for name, v in zip(self.names, values, strict=True)}
        return {name: array for name, array in arrays.items() if array is not None}

    def slopes(self, name: str) -> ElementSlopes:
        if name not in self._slopes:
            self._slopes[name] = element_slopes(self.forward, name, [self.dout])[0]
        return self._slopes[name]

    def true(self, name: str) -> np.ndarray:
        """The gradient; at a kink the valid one nearest to what was given."""
        slopes, given = self.slopes(name), self.given.get(name)
        fits = given is not None and given.shape == slopes.value.shape
        return np.clip(given, slopes.low, slopes.high) if fits else slopes.value

    def right(self, name: str) -> bool:
        given = self.given.get(name)
        return given is not None and equal(given, self.true(name))


def name_gradients(trials: Sequence[Trial]) -> Named | None:
    """The mistake that explains every trial of one backward pass, or None when none is proven.

    The trials hold different points of the same operation: more of them, of other sizes, prove more. The first wrong
    gradient that can be named names the whole.
    """
    if not trials or any(np.size(t.forward.arguments[name]) > LOCALISE for t in trials for name in t.names):
        return None
    for name in trials[0].names:
        if all(name in t.given for t in trials) and not all(t.right(name) for t in trials):
            for rule in RULES:
                named = rule(trials, name)
                if named:
                    return named
    return next(filter(None, (_all_ties(trials, name) for name in trials[0].names if all(name in t.given for t in trials))), None)


def equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Same shape and, to a millionth of the largest, the same finite values."""
    if a.shape != b.shape or not np.isfinite(a).all():
        return False
    return bool(np.all(np.abs(a - b) <= RTOL * np.max(np.abs(b), initial=0.0) + 1e-9))


def holds(trials: Sequence[Trial], name: str, predict: Callable[[Trial, np.ndarray], np.ndarray | None], enough: int = ENOUGH) -> bool:
    """Whether ``predict(trial, true gradient)`` is what was given in every trial, with enough different numbers to mean it."""
    seen: set[float] = set()
    for trial in trials:
        true = trial.true(name)
        with np.errstate(all="ignore"):
            predicted = predict(trial, true)
        if predicted is None or not equal(trial.given[name], predicted):
            return False
        if not equal(predicted, true):
            seen.update(np.round(np.abs(predicted[predicted != 0]) / (np.max(np.abs(predicted)) or 1.0), 9).tolist())
            seen.add(float(np.max(np.abs(predicted), initial=0.0)))
    return len(seen) >= enough


# ---------------------------------------------------------------- the upstream gradient


def _no_upstream(trials, name):
    unchanged = [np.array_equal(t.given[name], t.given_other.get(name)) and t.given[name].any() for t in trials]
    if all(unchanged) and any(t.true(name).any() for t in trials):
        return "NO_UPSTREAM", f"your gradient of `{name}` does not change when the upstream gradient does"
    return None


def _dropped_local(trials, name):
    def passed_on(trial, true):
        if len(trial.dout) != 1:
            return None
        return _fitted(trial.dout[0], np.shape(true))

    if holds(trials, name, passed_on):
        return "DROPPED_LOCAL", f"what arrives at the output is passed on to `{name}` as it came, without the local slope"
    return None


def _fitted(dout, shape):
    """dout in the shape of an argument: as it is, stretched along axes, or summed over those that were broadcast."""
    if dout.shape == shape:
        return dout
    if dout.ndim < len(shape) or dout.size < np.prod(shape):
        for axis in range(len(shape) + 1):
            try:
                return np.broadcast_to(np.expand_dims(dout, axis) if axis <= dout.ndim else dout, shape)
            except ValueError:
                continue
    return unbroadcast(dout, shape)


def unbroadcast(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """Summed over the axes along which an operand of ``shape`` was stretched; None when it was not."""
    lead = array.ndim - len(shape)
    if lead < 0:
        return None
    summed = array.sum(axis=tuple(range(lead)))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and summed.shape[i] != 1)
    summed = summed.sum(axis=axes, keepdims=True) if axes else summed
    return summed if summed.shape == shape else None


# ---------------------------------------------------------------- shapes


def _not_summed(trials, name):
    """Summed over some of its axes it would be right, so these sums are missing."""
    wrong = [t for t in trials if t.given[name].shape != t.true(name).shape]
    if (
        not any(t.given[name].size > t.true(name).size for t in wrong)
        or not all(_summable(t.given[name], t.true(name)) for t in wrong)
        or not _right_elsewhere(trials, wrong, name)
    ):
        return None
    return "MISSING_BROADCAST_SUM", f"the gradient of `{name}` still has axes along which `{name}` was stretched; it is not summed over all of them"


def _summable(given, true):
    if given.ndim > 6 or given.size < true.size:
        return False
    for count in range(given.ndim + 1):
        for axes in itertools.combinations(range(given.ndim), count):
            for keep in (False, True):
                summed = given.sum(axis=axes, keepdims=keep)
                if summed.shape == true.shape and equal(summed, true):
                    return True
    return False


def _right_elsewhere(trials, wrong, name):
    return all(t.right(name) for t in trials if t not in wrong)


def _shape(trials, name):
    wrong = [t for t in trials if t.given[name].shape != t.true(name).shape]
    same_values = all(t.given[name].size == t.true(name).size and equal(t.given[name].reshape(t.true(name).shape), t.true(name)) for t in wrong)
    if wrong and same_values and _right_elsewhere(trials, wrong, name):
        return "SHAPE", f"the values of the gradient of `{name}` are right, its shape is not that of `{name}`"
    return None


def _row_per_use(trials, name):
    """A table of rows looked up by ids: one row for each id instead of one for each row of the table."""

    def rows(trial, true):
        ids = [v for v in trial.forward.arguments.values() if isinstance(v, np.ndarray) and v.dtype.kind in "iu" and v.size]
        for one in ids if true.ndim and len(trial.dout) == 1 else ():
            if trial.dout[0].shape != (*one.shape, *true.shape[1:]):
                continue
            each, used = trial.dout[0].reshape(-1, *true.shape[1:]), np.unique(one)
            for made in (each, trial.dout[0], true[used] if used[0] >= 0 and used[-1] < len(true) else each):
                if equal(trial.given[name], made):
                    return made
        return None

    if any(t.given[name].shape != t.true(name).shape for t in trials) and holds(trials, name, rows):
        return "SHAPE", f"the gradient of `{name}` has one row for each row that was looked up; it is to have one for each row of `{name}`"
    return None


def _one_number(trials, name):
    """Everything summed into one number, which then fits any shape by broadcasting."""
    wrong = [t for t in trials if not t.right(name)]
    totals = [
        t.given[name].size and np.ptp(t.given[name]) == 0 and abs(t.given[name].flat[0] - t.true(name).sum()) <= RTOL * np.abs(t.true(name)).sum()
        for t in wrong
    ]
    if wrong and all(totals) and any(t.true(name).size > 2 for t in wrong) and any(t.true(name).any() for t in wrong):
        return "WRONG_AXIS", f"the gradient of `{name}` is summed over all axes to one number; only some of them should vanish"
    return None


def _transposed(trials, name):
    axes = {np.ndim(t.true(name)) for t in trials}
    if not axes or max(axes) > PERMUTED_AXES or max(axes) < 2:
        return None
    for change in ("swapped", "flipped", *(itertools.permutations(range(max(axes))) if len(axes) == 1 else ())):

        def turned(trial, true, change=change):
            if true.ndim < 2:
                return true
            if change == "swapped":
                result = true.swapaxes(-1, -2)
            elif change == "flipped":
                result = true[..., ::-1, ::-1]
            else:
                result = true.transpose(change)
            fits = trial.given[name].shape in (true.shape, result.shape)
            return np.ascontiguousarray(result).reshape(trial.given[name].shape) if fits else None

        if holds(trials, name, turned, IN_ORDER):
            what = "reversed along its last two axes" if change == "flipped" else "transposed"
            return "TRANSPOSED", f"the gradient of `{name}` has the right values, but {what}"
    return None


def _swapped(trials, name):
    if any(len(t.given) != len(t.names) for t in trials):
        return None
    for other in trials[0].names:
        if other != name and all(equal(t.given[name], t.slopes(other).value) and equal(t.given[other], t.slopes(name).value) for t in trials):
            return "SWAPPED", f"the gradients of `{name}` and `{other}` are returned in each other's place"
    return None


# ---------------------------------------------------------------- factors


def _scaled(trials, name):
    """Every trial is the truth times a number of its own: -1, a count of the sizes involved, or another constant."""
    factors = [_factor(t.given[name], t.true(name)) for t in trials if t.true(name).size and t.true(name).any()]
    if not factors or any(f is None for f in factors) or not holds(trials, name, lambda t, true: (_factor(t.given[name], true) or 1.0) * true):
        return None
    trials = [t for t in trials if t.true(name).size and t.true(name).any()]
    if all(abs(f + 1) <= RTOL for f in factors):
        return "SIGN_FLIP", f"a sign is wrong: the gradient of `{name}` is the right one negated"
    counts = _counts(trials)
    one = len({round(f, 6) for f in factors}) == 1
    kinds = []
    if any(_all_near(factors, [1 / c for c in count]) for count in counts):
        kinds.append(("EXTRA_MEAN", f"the gradient of `{name}` is divided by a count: there is a mean where a sum is due"))
    if any(_all_near(factors, count) for count in counts):
        kinds.append(("MISSING_MEAN", f"the gradient of `{name}` is not divided by the count that the mean divides by"))
    if any(min(count) > 1 and (_all_near(factors, [c / (c - 1) for c in count]) or _all_near(factors, [(c - 1) / c for c in count])) for count in counts):
        kinds.append(("DDOF", f"in the gradient of `{name}` one place divides by N, another by N - 1"))
    if one and (not kinds or not _sizes_differ(trials)):
        kinds.append(("WRONG_CONSTANT", f"the gradient of `{name}` is the right one times {constant(factors[0])}"))
    if not kinds and any(_all_near(factors, wanted) for wanted in _other_factors(trials, counts)):
        kinds.append(("WRONG_CONSTANT", f"the gradient of `{name}` is the right one times a number that depends on the inputs' sizes or settings"))
    return (*kinds[0], *(kind for kind, _ in kinds[1:])) if kinds else None


def _all_near(factors, wanted):
    return all(abs(f - w) <= RTOL * abs(w) for f, w in zip(factors, wanted, strict=True))


def _factor(given, true):
    """c with given = c * true, or None."""
    if given.shape != true.shape or not np.isfinite(given).all() or not true.any():
        return None
    c = float(np.sum(given * true) / np.sum(true * true))
    return c if c and np.all(np.abs(given - c * true) <= RTOL * abs(c) * np.max(np.abs(true))) else None


def _counts(trials):
    """Sizes that a mean could divide by, each as a list with one number a trial: neighbouring axes of an argument or of the output."""
    columns = []
    for arrays in ([t.dout[0] for t in trials], *([t.forward.arguments[n] for t in trials] for n in trials[0].forward.arguments)):
        if not all(isinstance(a, np.ndarray) for a in arrays):
            continue
        axes = min(a.ndim for a in arrays)
        ends = [*range(-axes + 1, 0), None]  # counted from the last axis, and, where arrays differ in their number of axes, from the first
        for first, last in itertools.product([*range(-axes, 0), None], ends):
            columns.append([max(int(np.prod(a.shape[first:last])), 1) for a in arrays])
        for first, last in itertools.combinations(range(axes + 1), 2):
            columns.append([max(int(np.prod(a.shape[first:last])), 1) for a in arrays])
    return columns


def _other_factors(trials, counts):
    """Constants that formulas hold besides counts: roots of a count, and what is made of a probability among the arguments."""
    for count in counts:
        yield [np.sqrt(c) for c in count]
        yield [1 / np.sqrt(c) for c in count]
    for name in trials[0].forward.arguments:
        values = [t.forward.arguments[name] for t in trials]
        if all(isinstance(v, float) and 0 < v < 1 for v in values):
            for make in (
                lambda p: p,
                lambda p: 1 - p,
                lambda p: 1 / p,
                lambda p: 1 / (1 - p),
                lambda p: p / (1 - p),
                lambda p: (1 - p) / p,
                lambda p: 1 / (1 - p) ** 2,
            ):
                yield [make(v) for v in values]


def _sizes_differ(trials):
    """Whether some trial has another batch size, so that a count and a constant can be told apart."""
    return any(len(set(column)) > 1 for column in _counts(trials))


# ---------------------------------------------------------------- masks, paths, places


def _inverted_mask(trials, name):
    def inverted(trial, true):
        if len(trial.dout) != 1 or trial.dout[0].shape != true.shape:
            return None
        dout = trial.dout[0]
        through, blocked = np.isclose(true, dout, rtol=RTOL, atol=1e-12), np.isclose(true, 0, atol=1e-9)
        bent = trial.slopes(name).low < trial.slopes(name).high  # at the kink itself both are right
        return np.where(bent, trial.given[name], np.where(blocked, dout, 0.0)) if (through | blocked).all() else None

    if holds(trials, name, inverted):
        return "WRONG_MASK", f"the gradient gets through to `{name}` exactly where it should not"
    return None


def _all_ties(trials, name):
    """At ties every element by itself could be right, but all of them together pass on more than arrives."""
    tied = [t for t in trials if not equal(t.slopes(name).low, t.slopes(name).high)]
    if not tied or not all(t.right(name) for t in trials):
        return None
    for t in tied:
        slopes, given = t.slopes(name), t.given[name]
        if given.shape != slopes.value.shape or len(t.dout) != 1:
            return None
        kinks = ~np.isclose(slopes.low, slopes.high, rtol=RTOL, atol=1e-9)
        furthest = np.where(np.abs(slopes.high) > np.abs(slopes.low), slopes.high, slopes.low)
        if not np.allclose(given[kinks], furthest[kinks], rtol=1e-5, atol=1e-8) or abs(given.sum() - t.dout[0].sum()) <= RTOL * np.abs(given).sum():
            return None
    return "WRONG_MASK", "where several elements tie for the largest, each of them gets the whole gradient"


def _nothing(trials, name):
    wrong = [t for t in trials if not t.right(name)]
    due = np.concatenate([np.ravel(t.true(name)) for t in wrong]) if wrong else np.zeros(0)
    if np.count_nonzero(due) >= ENOUGH and all(t.given[name].shape == np.shape(t.true(name)) and not t.given[name].any() for t in wrong):
        return "MISSING_PATH", f"no gradient comes back to `{name}` at all, although the output depends on it"
    return None


def _diagonal(trials, name):
    """Each output is taken to depend on its own input only."""

    def diagonal(trial, true):
        if len(trial.dout) != 1 or trial.dout[0].shape != true.shape or true.ndim == 0:
            return None
        result = np.zeros(true.shape)
        for index in np.ndindex(true.shape):
            u, only = np.zeros(true.shape), np.zeros(true.shape)
            u[index], only[index] = 1.0, trial.dout[0][index]
            ray = Ray(trial.forward, {name: u})
            result[index] = ray.slope((only,)).value / ray.u[name][index]
        return result

    if holds(trials, name, diagonal):
        return "DIAG_JACOBIAN", f"each output is taken to depend on its own element of `{name}` only; the others move it too"
    return None


def _shifted(trials, name):
    for axis in (-1, -2, 0):
        for step in (1, -1):

            def rolled(trial, true, axis=axis, step=step):
                return np.roll(true, step, axis) if true.ndim >= (2 if axis == -2 else 1) else true

            if holds(trials, name, rolled, IN_ORDER):
                return "INDEXING", f"the gradient of `{name}` has the right values one place off"
    return None


def _overflows(trials, name):
    """Right in a trial with small numbers, not finite in one with large ones."""
    broken = [t for t in trials if t.given[name].shape == np.shape(t.true(name)) and not np.isfinite(t.given[name]).all()]
    fine = [t for t in trials if t not in broken]
    if broken and fine and all(t.right(name) for t in fine):
        return "UNSTABLE", f"the gradient of `{name}` is right on small numbers, and overflows on large ones"
    return None


RULES: tuple[Callable[[Sequence[Trial], str], Named | None], ...] = (
    _overflows, _not_summed, _shape, _row_per_use, _swapped, _no_upstream, _inverted_mask, _scaled, _dropped_local, _diagonal, _nothing, _one_number, _transposed, _shifted,
)  # fmt: skip
