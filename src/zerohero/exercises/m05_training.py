"""m05: training. Judged from the parameters that come back, on windows that the judge holds.

An answer is handed a ``gradients`` of ours, so that a mistake in the student's own backward pass is not counted here again. It
also watches: how the parameters moved from the first call to the second, and which rows came. That proves a name for the
mistakes after which a network does not learn; it never decides whether an answer is right.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..data import names
from ..exercise import Case, Exercise
from ..gradcheck import difference, protocol_findings
from ..gradcheck.protocol import copied, same
from ..plaindata import to_plain
from ..report import Finding
from .kinds import function_exercise
from .m05_network import NAMES, loss_and_gradients, loss_of, read_parameters, start
from .m05_windows import windows

# ---------------------------------------------------------------- watching


@dataclass
class Watch:
    """loss_and_gradients for an answer to train with, and what it did with it."""

    data: set[tuple[int, ...]]
    """Every row of X with its Y, as a tuple: what may come in a batch."""
    calls: int = 0
    moves: list[float] = field(default_factory=list)
    """Per parameter, how far it moved from the first call to the second, in units of its gradient: minus the learning rate."""
    strange: int = 0
    """Rows that are not in the data, as far as they were looked at."""
    batches: set[bytes] = field(default_factory=set)
    rows: int = 0
    """Rows of the first batch."""
    _first: tuple[list[np.ndarray], list[np.ndarray]] | None = None

    def gradients(self, parameters, X, Y):
        """What the answer calls: (loss, [dC, dW1, db1, dW2, db2])."""
        X, Y = np.asarray(X), np.asarray(Y)
        loss, slopes = loss_and_gradients(list(parameters), X, Y)
        self.calls += 1
        if self.calls == 1:
            self._first = [p.copy() for p in parameters], [g.copy() for g in slopes]
            self.rows = len(X)
        elif self.calls == 2:
            before, slope = self._first
            pairs = zip(parameters, before, slope, strict=True)
            self.moves = [float(np.sum((p - b) * g) / max(float(np.sum(g * g)), 1e-30)) for p, b, g in pairs]
        if self.calls <= 20:
            self.batches.add(X.tobytes())
            self.strange += sum((*row, y) not in self.data for row, y in zip(X.tolist(), Y.tolist(), strict=True))
        return loss, slopes


def _watched(function, inputs, *more):
    """function(gradients, parameters, X, Y, *more) on copies: what came back, and what was seen."""
    parameters, X, Y = copied(inputs["parameters"]), inputs["X"].astype(np.int64), inputs["Y"].astype(np.int64)
    watch = Watch({(*row, y) for row, y in zip(X.tolist(), Y.tolist(), strict=True)})
    before = X.copy(), Y.copy()
    value = to_plain(function(watch.gradients, parameters, X, Y, *more))
    given = {"parameters": same(parameters, inputs["parameters"]), "X": same(X, before[0]), "Y": same(Y, before[1])}
    return {
        "parameters": value,
        "changed": [name for name, kept in given.items() if not kept],
        "calls": watch.calls,
        "moves": watch.moves,
        "strange": watch.strange,
        "batches": len(watch.batches),
        "rows": watch.rows,
    }


def _known_cause(seen: Mapping[str, Any], found: Finding, size: int) -> Finding:
    """``found`` with the mistake that was seen to be made, when one was."""
    moves = dict(zip(NAMES, seen["moves"], strict=False))
    still = [name for name, move in moves.items() if move == 0]
    if seen["calls"] and seen["strange"]:
        kind = "INDEXING", "a batch holds windows together with letters that do not follow them: X and Y are not picked with the same rows"
    elif moves and len(still) == len(moves):
        kind = "MISSING_PATH", "the parameters do not move from one step to the next: the update is missing, or made on other arrays than the next step uses"
    elif moves and all(move > 0 for move in moves.values()):
        kind = "SIGN_FLIP", "the step goes uphill: the gradient is added, not subtracted"
    elif still and len(still) < len(moves):
        kind = "MISSING_PATH", f"not every parameter moves; still are {', '.join(still)}"
    elif seen["calls"] > 1 and seen["batches"] == 1 and seen["rows"] < size:
        kind = "INDEXING", "every step uses the same batch; draw new rows in each step"
    else:
        return found
    return replace(found, mistake=kind[0], because=kind[1])


def _returned(case, seen, vocab, where):
    """(parameters, what is wrong before any loss is worked out)."""
    if seen["changed"]:
        said = " and ".join(f"`{name}`" for name in ("parameters", "X", "Y") if name in seen["changed"])
        step = "copy the parameters first, [p.copy() for p in parameters], and train the copies"
        return [], [Finding(f"{said or 'an argument'} was changed by the call", where=where, mistake="MUTATES", next=step)]
    parameters, found = read_parameters(seen["parameters"], vocab, case.inputs["X"].shape[1], where)
    return parameters, [_known_cause(seen, one, len(case.inputs["X"])) for one in found]


# ---------------------------------------------------------------- one batch by heart

SLACK = 0.1
"""How far above the lowest possible loss a batch counts as learnt by heart. The reference ends at most 0.015 above it (3 batches for each of 60 seeds)."""


def floor_of(X: np.ndarray, Y: np.ndarray) -> float:
    """The lowest loss any network can have on these rows: where one window comes with several letters, it can only learn their shares."""
    counts: dict[tuple[int, ...], dict[int, int]] = {}
    for row, y in zip(np.asarray(X).tolist(), np.asarray(Y).tolist(), strict=True):
        after = counts.setdefault(tuple(row), {})
        after[y] = after.get(y, 0) + 1
    total = 0.0
    for after in counts.values():
        n = sum(after.values())
        total -= sum(k * np.log(k / n) for k in after.values())
    return float(total / len(Y))


def batch_case(group: str, rng: np.random.RandomState, rows: int, dots: int = 1) -> Case:
    """``rows`` windows of names drawn by rng; ``dots`` of them start a name, so that one window is followed by several letters."""
    X, Y = _some_windows(rng, 60)
    first = (X == 0).all(axis=1)
    picked = np.concatenate([np.flatnonzero(first)[:dots], np.flatnonzero(~first)[: rows - dots]])
    return Case(group, {"parameters": start(rng, 27, 3, 6, 40), "X": X[picked].astype(np.int8), "Y": Y[picked].astype(np.int8)})


def _some_windows(rng, count):
    pool = names()
    return windows([pool[k] for k in rng.permutation(len(pool))[:count]], 3)


def _judge_batch(case, seen):
    i = case.inputs
    X, Y = i["X"].astype(np.int64), i["Y"].astype(np.int64)
    where = f"{len(X)} windows, {len(np.unique(X, axis=0))} of them different"
    parameters, found = _returned(case, seen, len(i["parameters"][0]), where)
    if found:
        return found
    loss, lowest = loss_of(parameters, X, Y), floor_of(X, Y)
    if loss <= lowest + SLACK:
        return []
    found = Finding(
        "the batch is not known by heart", where=where, expected=f"a loss of at most {lowest + SLACK:.3f} ({lowest:.3f} is the lowest there can be)",
        actual=f"{loss:.3f}", next="more steps, or longer ones; always on this batch",
    )  # fmt: skip
    return [_known_cause({**seen, "batches": 0}, found, len(X))]


overfit_batch = Exercise(
    "m05-overfit-batch",
    "One batch by heart",
    "overfit_batch(gradients, parameters, X, Y)",
    lambda rng: [
        batch_case("every window once", rng, 16),
        batch_case("every window once", rng, 32),
        batch_case("one window, several letters", rng, 32, dots=12),
    ],
    lambda function, inputs: _watched(function, inputs),
    _judge_batch,
    (
        "No drawing of rows here: every step uses all of X and Y. If the loss of one batch does not go to its floor, the network or its gradients are broken.",
        "Copy the parameters. Then, again and again: gradients(copies, X, Y), and each copy moves by the learning rate against its gradient. Return the copies.",
        "A few hundred steps with a rate around 1 do. loss, slopes = gradients(copies, X, Y), then a loop over zip(copies, slopes) that changes each array in place.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- the range test


def range_case(group: str, rng: np.random.RandomState, steps: int, rows: int, low: float, high: float) -> Case:
    X, Y = _some_windows(rng, 40)
    picks = rng.randint(len(X), size=(steps, rows))
    batches = [[X[picked], Y[picked]] for picked in picks]
    return Case(group, {"parameters": start(rng, 27, 3, 3, 8), "batches": batches, "low": low, "high": high})


def range_curve(inputs: Mapping[str, Any], variant: str = "") -> list[np.ndarray]:
    """[rates, losses] of the range test; ``variant`` makes one known mistake."""
    batches, low, high = inputs["batches"], inputs["low"], inputs["high"]
    count = len(batches)
    rates = np.linspace(low, high, count) if variant == "even steps" else np.geomspace(low, high, count + (variant == "stops short"))[:count]
    now = [p.copy() for p in inputs["parameters"]]
    losses = []
    for (X, Y), rate in zip(batches, rates, strict=True):
        loss, slopes = loss_and_gradients(now, X, Y)
        sign = 1.0 if variant == "uphill" else -1.0
        moved = [p + sign * rate * g for p, g in zip(now, slopes, strict=True)]
        losses.append(loss_of(moved, X, Y) if variant == "after the move" else loss)
        now = now if variant == "starts anew" else moved
    return [rates, np.array(losses)]


RANGES = {
    "even steps": ("FORMULA", "the rates grow by the same difference; they are to grow by the same factor"),
    "stops short": ("INDEXING", "the last rate is not high: from low to high there is one factor less than there are rates"),
    "uphill": ("SIGN_FLIP", "the step goes uphill: the gradient is added, not subtracted"),
    "after the move": ("PRE_POST", "each loss is worked out after the move; it is to be the loss before"),
    "starts anew": ("MISSING_PATH", "the steps do not build on each other: the parameters are those of the start in every step"),
}


def _judge_range(case, seen):
    where = f"{len(case.inputs['batches'])} steps from {case.inputs['low']:g} to {case.inputs['high']:g}"
    found = protocol_findings(seen, where, list(case.inputs))
    value = seen["value"]
    if found:
        return found
    if not isinstance(value, list) or len(value) != 2:
        return [difference("result", [0.0, 0.0], value, where=where) or Finding("the result is not (rates, losses)", where=where)]
    for name, true, given in zip(("rates", "losses"), range_curve(case.inputs), value, strict=True):
        one = difference(name, true, given, where=where, rtol=1e-6)
        if one:
            return [one]
    return []


def _name_range(cases, outputs):
    rows = [(case.inputs, output["value"]["value"]) for case, output in zip(cases, outputs, strict=True) if output["status"] == "ok"]
    for variant, mistake in RANGES.items():
        if len(rows) == len(cases) and all(difference("", range_curve(inputs, variant), given, rtol=1e-6) is None for inputs, given in rows):
            return mistake
    return None


lr_finder = replace(
    function_exercise(
        "m05-lr-finder",
        "The learning-rate range test",
        "lr_finder(gradients, parameters, batches, low, high)",
        cases=lambda rng: [
            range_case("two steps", rng, 2, 4, 0.01, 1.0),
            range_case("two steps", rng, 2, 1, 0.2, 0.3),
            range_case("many steps", rng, 9, 8, 1e-3, 3.0),
            range_case("many steps", rng, 15, 5, 0.02, 1.0),
        ],
        prepare=lambda inputs: {"gradients": loss_and_gradients, **inputs},
        hints=(
            "One training run in which every step is a little longer than the one before; the losses, drawn over the rates, tell which rates are good.",
            "With n batches, rate k is low * (high / low) ** (k / (n - 1)): low for the first, high for the last, the same factor in between.",
            "For each batch (X, Y): ask gradients for the loss and the slopes, keep the loss, then move each copy of a parameter. Return two arrays of length n.",
        ),
    ),
    judge=_judge_range,
    name=_name_range,
)  # fmt: skip


# ---------------------------------------------------------------- training

BASELINES = {"better than single letters": 1, "better than pairs of letters": 2}
"""Group: how many letters the count looks at that the network has to beat on names held back. Pairs are the model of the last lesson."""


def training_case(group: str, rng: np.random.RandomState, steps: int, permuted: bool = False) -> Case:
    """Windows of 1,500 names to learn from; the windows of 800 others are the judge's, and the loss that counting has on them is the bar.

    permuted : the letters change places, so that parameters that were trained elsewhere are of no use
    """
    pool = names()
    order = rng.permutation(len(pool))
    X, Y = windows([pool[k] for k in order[:1500]], 3)
    X_dev, Y_dev = windows([pool[k] for k in order[1500:2300]], 3)
    if permuted:
        new = np.concatenate([[0], 1 + rng.permutation(26)])
        X, Y, X_dev, Y_dev = new[X], new[Y], new[X_dev], new[Y_dev]
    bar = counted(X, Y, X_dev, Y_dev, BASELINES[group])
    inputs = {"parameters": start(rng, 27, 3, 8, 64), "X": X.astype(np.int8), "Y": Y.astype(np.int8), "steps": steps, "seed": int(rng.randint(1000))}
    return Case(group, inputs, {"X": X_dev, "Y": Y_dev, "bar": bar})


def counted(X: np.ndarray, Y: np.ndarray, X_dev: np.ndarray, Y_dev: np.ndarray, letters: int) -> float:
    """Loss on the dev windows of a count over the others, with 1 added to each count: of single letters (1) or of pairs (2)."""
    before, before_dev = (np.zeros(len(Y), int), np.zeros(len(Y_dev), int)) if letters == 1 else (X[:, -1], X_dev[:, -1])
    table = np.ones((27, 27)) + np.bincount(27 * before + Y, minlength=27 * 27).reshape(27, 27)
    return float(-np.mean(np.log((table / table.sum(axis=1, keepdims=True))[before_dev, Y_dev])))


def _probe_training(function, inputs):
    return _watched(function, inputs, inputs["steps"], np.random.RandomState(inputs["seed"]))


def _judge_training(case, seen):
    i, held = case.inputs, case.truth
    where = f"{i['steps']} steps on {len(i['X']):,} windows; judged on {len(held['X']):,} windows of other names"
    parameters, found = _returned(case, seen, len(i["parameters"][0]), where)
    if found:
        return found
    loss = loss_of(parameters, held["X"], held["Y"])
    if loss < held["bar"]:
        return []
    found = Finding(
        f"the network is not {case.group}", where=where, expected=f"a dev loss below {held['bar']:.3f}", actual=f"{loss:.3f}",
        next="which rate did your range test find? And do the steps get shorter towards the end?",
    )  # fmt: skip
    return [_known_cause(seen, found, len(i["X"]))]


train_mlp = Exercise(
    "m05-train-mlp",
    "Minibatches, a rate, and a bar to clear",
    "train_mlp(gradients, parameters, X, Y, steps, rng)",
    lambda rng: [training_case("better than single letters", rng, 400), training_case("better than pairs of letters", rng, 1000)],
    _probe_training,
    _judge_training,
    (
        "One batch by heart, with two changes: each step draws its own rows at random, and the rate falls towards the end, so that the noise of the batches dies out.",
        "rng.randint(len(X), size=batch) draws row numbers; X and Y must be picked with the same ones. Take the rate from your range test, not from another lesson.",
        "Copies first. Step k: rows, gradients of X[rows] and Y[rows], a rate that falls from large to a tenth of it with k / steps, and a move against the slopes.",
    ),
)  # fmt: skip
