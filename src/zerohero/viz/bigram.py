"""A table of pairs: how likely each symbol is after each other one, and a name drawn from it step by step.

bigram(counts, chars)                # counts[i, j]: how often symbol j came after symbol i
bigram(P, chars, walk="emma")        # probabilities; the walk goes along a name instead of drawing one

Symbol 0 is the boundary, as in the course: a name begins after it, and ends where it is drawn.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..dice import Dice
from ..errors import WrongObject
from . import scene, still
from .arrays import numbers_of
from .chart import number
from .matrix import LABEL, matrix, room
from .scene import Frame, Mark, Steps, Table, View, plain

MOST = 65  # symbols: as many as the GPT lecture's text has
LETTERS = 40  # steps of a walk
LISTED = 400  # rows of all tables together
BARS = 200.0  # px of the longest bar
GAP = 24.0  # px from the cells to the names beside the bars
SUMS = 1e-6  # a row that sums to 1 within this holds probabilities, as Dice.choice has it


def bigram(table: Any, alphabet: Sequence[str], walk: str | None = None, seed: int | Dice = 1) -> None:
    """Show a table of pairs, the distribution of each row, and a walk: a name drawn from the table, symbol by symbol.

    bigram(counts, chars, seed=7)

    table    : [V, V], what comes first down, what comes next across; counts, or probabilities whose rows sum to 1; array, tensor or lists
    alphabet : the V symbols, at most 65; the first is the boundary
    walk     : a name to go along, in place of one that is drawn
    seed     : of zerohero.dice, or Dice: the same name each time, and the one that dice.choice(P[i]) draws
    Raises WrongObject when the two do not fit, and for negative numbers: of logits, hand in their softmax.
    """
    still.show(bigram_view(table, alphabet, walk, seed))


def bigram_view(table: Any, alphabet: Sequence[str], walk: str | None = None, seed: int | Dice = 1) -> View:
    """As bigram(), as a View. Its sequence "row" has a frame for each symbol, "walk" one for each step."""
    pairs = _Pairs(table, alphabet)
    drawing = _Drawing(pairs)
    rows = tuple(Frame(pairs.names[i], pairs.says(i), tuple(drawing.row(i)), pairs.table(i)) for i in range(len(pairs.names)))
    steps = (Steps("row", rows), Steps("walk", tuple(_walk(pairs, drawing, walk, seed))))
    return View("bigram", "What comes next", pairs.summary(), *drawing.size, marks=tuple(drawing.marks), steps=steps)


class _Pairs:
    """A table with its symbols. P[i, j]: probability of j after i, nan throughout a row from which nothing can be drawn."""

    def __init__(self, table: Any, alphabet: Sequence[str]):
        found = numbers_of(table, "table")
        self.symbols = [str(symbol) for symbol in alphabet]
        self.names = [symbol.replace(" ", "\N{OPEN BOX}") for symbol in map(plain, self.symbols)]
        count = len(self.symbols)
        if found.ndim != 2 or found.shape[0] != found.shape[1]:
            raise WrongObject(f"`table` has shape {found.shape}; it must be square: a row and a column for each symbol")
        if count != len(found):
            raise WrongObject(f"`alphabet` has {count} symbols for a table of shape {found.shape}: it needs one for each row")
        if not 1 <= count <= MOST:
            raise WrongObject(f"`alphabet` has {count} symbols; 1 to {MOST} can be drawn")
        self.found = found = found.astype(np.float64)
        if (found < 0).any():
            raise WrongObject("`table` holds negative numbers: it must hold counts or probabilities; of logits, hand in their softmax")
        with np.errstate(all="ignore"):
            self.sums = found.sum(axis=1)
            parts = found[np.isfinite(found)] % 1  # of counts to which something was added, all the same
            self.counted = bool((np.abs(parts - parts[:1]) < 1e-9).all() and (self.sums > 1 + SUMS).any())
            exact = np.abs(self.sums - 1) <= SUMS
            # a row of probabilities is taken as it is: so are the draws those of the student's own dice.choice(P[i])
            self.P = np.where(exact[:, None], found, found / self.sums[:, None])
        self.P[~np.isfinite(self.sums) | (self.sums == 0)] = np.nan
        self._exact = exact

    def summary(self) -> str:
        count = len(self.names)
        kind = f"{np.nansum(self.sums):,.12g} pairs" if self.counted else "Probabilities"
        return " ".join(
            [
                f"{kind} of {count} symbols: what comes first down, what comes next across. Each row sums to 1; bars beside the table show the row that is chosen.",
                *self._problems(),
            ]
        )

    def _problems(self):
        odd = [i for i, total in enumerate(self.sums) if math.isfinite(total) and total and not self._exact[i]]
        if odd and not self.counted:
            lost = f"The row of {self.names[odd[0]]} sums to {number(self.sums[odd[0]])}, not to 1 ({len(odd)} of {len(self.names)} rows do not): each is divided by its sum here."
            columns = self.found.sum(axis=0)
            yield lost + (" The columns sum to 1: were they meant to be rows?" if (np.abs(columns - 1) <= SUMS).all() else "")
        if empty := [self.names[i] for i, total in enumerate(self.sums) if total == 0]:
            yield f"Nothing comes after {_listed(empty)}: {'its row sums' if len(empty) == 1 else 'their rows sum'} to 0."
        if broken := [self.names[i] for i, total in enumerate(self.sums) if not math.isfinite(total)]:
            yield f"Not a number in the {'row' if len(broken) == 1 else 'rows'} of {_listed(broken)}."

    def can_draw(self, i: int) -> bool:
        return not np.isnan(self.P[i, 0])

    def why_not(self, i: int) -> str:
        return f"the row of {self.names[i]} {'sums to 0' if self.sums[i] == 0 else 'holds what is not a number'}"

    def order(self, i: int) -> list[int]:
        """Symbols that can come after i, the likeliest first."""
        return [int(j) for j in np.argsort(-self.P[i], kind="stable") if self.P[i, j] > 0] if self.can_draw(i) else []

    def said(self, i: int, j: int) -> str:
        """0.913 (206 times)"""
        if not self.can_draw(i):
            return number(self.found[i, j])
        times = self.found[i, j]
        return number(self.P[i, j], 3) + (f" ({'once' if times == 1 else f'{number(times, 12)} times'})" if self.counted and times else "")

    def says(self, i: int) -> str:
        if not self.can_draw(i):
            return f"Nothing can be drawn: {self.why_not(i)}."
        likeliest = ", ".join(f"{self.names[j]} {number(self.P[i, j], 3)}" for j in self.order(i)[:5])
        return f"After {self.names[i]}: {likeliest}" + (f"; {number(self.sums[i], 12)} times in all." if self.counted else ".")

    def table(self, i: int) -> Table:
        order = self.order(i)
        kept = order[: max(8, LISTED // len(self.names))]
        caption = f"after {self.names[i]}, " + (f"the {len(kept)} likeliest of {len(order)}" if len(kept) < len(order) else "the likeliest first")
        if self.counted:
            return Table(caption, ("next", "probability", "times"), tuple((self.names[j], number(self.P[i, j]), number(self.found[i, j], 12)) for j in kept))
        return Table(caption, ("next", "probability"), tuple((self.names[j], number(self.P[i, j])) for j in kept))


def _listed(names):
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


# ---- the drawing: cells, and the bars of the row that is chosen ---------------------------------------------


class _Drawing:
    def __init__(self, pairs: _Pairs):
        self._pairs = pairs
        count = len(pairs.names)
        self._cell = cell = 18.0 if count <= 32 else 11.0
        left, above = room(pairs.names, pairs.names, cell)
        self._x, self._y = left + 22, above + 22
        self._bars = self._x + count * cell + GAP + left  # where they begin
        self.size = (self._bars + BARS + 16, max(self._y + count * cell, 80.0) + 8)
        # for the eye the root of a probability: most are far below the few large ones
        shades = np.where(np.isnan(pairs.P), np.where(np.isfinite(pairs.found), 0.0, np.nan), np.sqrt(pairs.P))
        words = [[pairs.said(i, j) for j in range(count)] for i in range(count)]
        after = [f"after {name}" for name in pairs.names]
        every = math.ceil(LABEL / cell)
        self.marks: list[Mark] = [
            *matrix(shades, pairs.names, pairs.names, at=(self._x, self._y), size=(cell, cell), top=1.0, words=words, read=after, selects="row"),
            scene.text(self._x, 12, "next", size=11),
            scene.text(12, self._y + count * cell / 2, "first", "middle", size=11, turned=True),
            scene.line([(self._bars, self._y), (self._bars, self._y + count * cell)], "ink", 1),
            *(scene.text(self._bars - 6, self._middle(j) + 4, name, "end", size=11) for j, name in enumerate(pairs.names) if j % every == 0),
        ]

    def _middle(self, j):
        return self._y + (j + 0.5) * self._cell

    def row(self, i: int, drawn: int | None = None) -> list[Mark]:
        """The row in a frame, and its bars; ``drawn``: the symbol that was drawn from it."""
        pairs, cell, x, y = self._pairs, self._cell, self._x, self._y
        count = len(pairs.names)
        marks = [scene.rects([(x - 1, y + i * cell - 1, count * cell + 2, cell + 2)], "focus")]
        if not pairs.can_draw(i):
            return [*marks, scene.text(self._bars + 8, y + 14, pairs.why_not(i))]
        top = float(pairs.P[i].max())
        marks.append(scene.text(self._bars, y - 20, f"after {pairs.names[i]}", bold=True))
        marks += [scene.line([(self._bars + BARS, y), (self._bars + BARS, y + count * cell)], "faint", 1)]
        marks += [scene.text(self._bars + BARS, y - 6, number(top, 3), "end", size=11)]
        bars = {j: (self._bars, y + j * cell + 2, math.ceil(BARS * pairs.P[i, j] / top), cell - 4) for j in sorted(pairs.order(i))}
        if rest := [bar for j, bar in bars.items() if j != drawn]:
            marks.append(scene.rects(rest, "series0"))
        if drawn is not None:
            column = x + (drawn + 0.5) * cell
            marks.append(scene.rects([(column - cell / 2 - 1, y + i * cell - 1, cell + 2, cell + 2)], "flow"))
            marks += [scene.rects([bars[drawn]], "series1")] if drawn in bars else []
            # from the row of the symbol to the row of the one that was drawn: the next step begins there
            marks += [scene.arrow([(column, self._middle(i)), (column, self._middle(drawn))], "flow", 2)] if drawn != i else []
        return marks


# ---- the walk --------------------------------------------------------------------------------------------------------------


def _walk(pairs, drawing, along, seed) -> Iterable[Frame]:
    """A frame for each symbol that is drawn; the last says the name and its log probability."""
    nexts = _drawn(pairs, seed) if along is None else _read(pairs, along)
    at, name, total, count = 0, "", 0.0, 0
    for step, j in enumerate(nexts, start=1):
        if j is None:
            yield Frame(f"step {step}", f"The walk ends: {pairs.why_not(at)}. {_so_far(name)}", tuple(drawing.row(at)), pairs.table(at))
            return
        probability = float(pairs.P[at, j])
        total, count = total + (math.log(probability) if probability > 0 else -math.inf), count + 1
        name += pairs.symbols[j] if j else ""
        said = f"After {pairs.names[at]} comes {pairs.names[j]}, with probability {number(probability, 3)}. "
        if j == 0:
            said += f"The name is {_quoted(name)}: log probability {number(total)}, {number(-total / count)} nats a symbol."
        else:
            said += _so_far(name)
            if step == LETTERS:
                said += f" The walk stops here, after {LETTERS} symbols: log probability {number(total)}."
        yield Frame(f"step {step}", said, tuple(drawing.row(at, j)), pairs.table(at))
        at = j


def _so_far(name):
    return f"So far: {_quoted(name)}." if name else "There is no letter yet."


def _quoted(name):
    return f"'{plain(name, 60)}'"


def _drawn(pairs, seed):
    """Symbols one after another, the boundary last; None where nothing can be drawn."""
    dice = seed if isinstance(seed, Dice) else Dice(seed)
    at = 0
    for _ in range(LETTERS):
        if not pairs.can_draw(at):
            yield None
            return
        at = dice.choice(pairs.P[at].tolist())
        yield at
        if at == 0:
            return


def _read(pairs, name):
    """As _drawn, along a name."""
    number_of = {symbol: j for j, symbol in enumerate(pairs.symbols) if j}
    if not isinstance(name, str):
        raise WrongObject(f"`walk` is of type {type(name).__name__}; it must be a name, or None for one that is drawn")
    if odd := [letter for letter in name if letter not in number_of]:
        raise WrongObject(f"`walk` holds {odd[0]!r}, which is no letter of `alphabet`")
    if len(name) >= LETTERS:
        raise WrongObject(f"`walk` has {len(name)} letters; fewer than {LETTERS} can be shown")
    at = 0
    for letter in [*name, ""]:
        if not pairs.can_draw(at):
            yield None
            return
        at = number_of.get(letter, 0)
        yield at
