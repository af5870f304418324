"""Attention weights: which token looks at which, head by head.

attention(weights, tokens)      # (T, T), (heads, T, T) or (layers, heads, T, T)
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import scene, still
from .arrays import numbers_of
from .chart import number
from .matrix import matrix, room
from .scene import Frame, Mark, Steps, Table, View, plain

MOST = 48  # tokens drawn
LEAST, HEADS = 8, 36  # tokens drawn of each head at least, and heads at most
CELLS = 48 * 48 * 3  # of all heads together: about 100 kB
NAME = 12  # characters of a token that are shown
SUMS = 1e-2  # a row sums to 1 within this; bfloat16 keeps three digits


def attention(weights: Any, tokens: Sequence[Any], from_end: bool = False) -> None:
    """Show attention weights as tokens by tokens, one frame for each head, one sequence for each layer.

    attention(weights, ["the", " cat", " sat"])

    weights  : [T, T], [heads, T, T] or [layers, heads, T, T]: weights[..., i, j] is how much token i looks at token j, so each row
               sums to 1; array, tensor, or a list of one for each layer. Of a batch hand in one example: weights[0].
    tokens   : T strings, bytes or ids
    from_end : of more tokens than can be drawn (at most 48, fewer for many heads), draw the last instead of the first
    Raises WrongObject when the two do not fit. Rows that do not sum to 1, and weights that look ahead where others do not, are said.
    """
    still.show(attention_view(weights, tokens, from_end))


def attention_view(weights: Any, tokens: Sequence[Any], from_end: bool = False) -> View:
    """As attention(), as a View."""
    found = _stacked(weights)
    names = [f"{n} {_seen(token)}" for n, token in enumerate(tokens.tolist() if hasattr(tokens, "tolist") else tokens)]
    layers, heads, count, _ = found.shape
    if len(names) != count:
        raise WrongObject(f"`tokens` has {len(names)} entries for weights between {count} tokens: it needs one for each row")
    title, kind = "Attention", f"{_many(layers, 'layer')}{_many(heads, 'head')}{count} tokens: each row is a token, its cells how much it looks at each other."
    if not found.size:
        return View("attention", title, f"{kind} There is nothing in it.", 320, 40, (scene.text(8, 24, "no tokens"),))
    shown = min(layers * heads, HEADS)
    drawn = min(count, MOST, max(LEAST, math.isqrt(CELLS // shown)))
    part = slice(count - drawn, count) if from_end else slice(0, drawn)
    notes = [f"Drawn: the {'last' if from_end else 'first'} {drawn} tokens."] if drawn < count else []
    notes += [f"Drawn: the first {shown} of {layers * heads} heads; hand in one layer to see its others."] if shown < layers * heads else []
    draw = _Draw(names[part])
    steps, odd = [], []
    for layer in range(layers):
        frames = []
        for head in range(heads):
            called = f"layer {layer}, head {head}" if layers > 1 else f"head {head}" if heads > 1 else ""
            one = _Head(found[layer, head], names)
            odd += [(called, problem) for problem in one.problems]
            if layer * heads + head < shown:
                frames.append(Frame(f"head {head}", one.says(called), (draw.cells(found[layer, head, part, part]),), one.table(part)))
        if frames:
            steps.append(Steps(f"layer {layer}" if layers > 1 else "head", tuple(frames)))
    return View("attention", title, " ".join([kind, *notes, *_told(odd)]), *draw.size, marks=tuple(draw.names), steps=tuple(steps))


def _many(count, what):
    return f"{count} {what}s, " if count > 1 else ""


def _told(odd):
    """The first problem, and in how many heads there are any."""
    if odd:
        heads = len({called for called, _ in odd})
        yield _capital(f"in {odd[0][0]} " * bool(odd[0][0]) + odd[0][1]) + "." + (f" {heads} heads have such faults." if heads > 1 else "")


def _capital(sentence):
    return sentence[0].upper() + sentence[1:]


def _stacked(weights):
    """float64[layers, heads, T, T]"""
    if isinstance(weights, (list, tuple)) and any(hasattr(one, "detach") for one in weights):  # one tensor for each layer
        parts = [numbers_of(one, "weights") for one in weights]
        if len({part.shape for part in parts}) > 1:
            raise WrongObject(f"`weights` holds tensors of shapes {', '.join(str(part.shape) for part in parts[:4])}; those of all layers must be alike")
        found = np.stack(parts)
    else:
        found = numbers_of(weights, "weights")
    if not 2 <= found.ndim <= 4 or found.shape[-1] != found.shape[-2]:
        raise WrongObject(f"`weights` has shape {found.shape}; it must be (T, T), (heads, T, T) or (layers, heads, T, T); of a batch, hand in one example")
    return found.reshape((1,) * (4 - found.ndim) + found.shape).astype(np.float64)


def _seen(token):
    """A token as it is drawn: a space as ␣, a newline as \\n, what is long cut."""
    if isinstance(token, (bytes, bytearray)):
        token = bytes(token).decode("utf-8", "backslashreplace")
    return plain(plain(token).replace(" ", "\N{OPEN BOX}"), NAME)


class _Head:
    """The weights of one head between all tokens."""

    def __init__(self, weights: np.ndarray, names: Sequence[str]):
        self._weights, self._names = weights, names
        scores = bool((weights < 0).any())
        self.problems = ["weights are below 0: they are scores, of which the softmax is to be taken"] if scores else [*_sums(weights, names), *_looks_ahead(weights, names)]  # fmt: skip

    def says(self, called: str) -> str:
        """The strongest link; the first token of a text has none but itself to look at, and is left out."""
        later = self._weights[1:] if len(self._weights) > 1 else self._weights
        if not np.isfinite(later).any():
            said = "no weight is a number"
        else:
            row, column = np.unravel_index(int(np.argmax(np.where(np.isfinite(later), later, -np.inf))), later.shape)
            row += len(self._weights) - len(later)
            said = f"the strongest link, {self._names[row]} looks at {self._names[column]}, {number(self._weights[row, column], 3)}"
        return _capital(f"{called}: " * bool(called) + "; ".join([said, *self.problems])) + "."

    def table(self, part: slice) -> Table:
        rows = []
        for n in range(*part.indices(len(self._names))):
            row = self._weights[n]
            best = int(np.argmax(np.where(np.isfinite(row), row, -np.inf)))
            rows.append((self._names[n], self._names[best], number(row[best], 3), number(row.sum(), 4)))
        return Table("what each token looks at most", ("token", "looks at", "weight", "sum of its row"), tuple(rows))


def _sums(weights, names) -> Iterable[str]:
    sums = weights.sum(axis=1)
    broken = np.flatnonzero(~np.isfinite(sums))
    if len(broken):
        yield f"the row of {names[broken[0]]} holds what is not a number" + (f" ({len(broken)} of {len(names)} rows do)" if len(broken) > 1 else "")
    off = np.flatnonzero(np.isfinite(sums) & ~(np.abs(sums - 1) <= SUMS))
    if len(off):
        columns = weights.sum(axis=0)
        why = ", but each column does: was the softmax taken over the wrong axis?" if (np.abs(columns - 1) <= SUMS).all() else ""
        yield f"the row of {names[off[0]]} sums to {number(sums[off[0]])}, not to 1 ({len(off)} of {len(names)} rows do not{why})"


def _looks_ahead(weights, names) -> Iterable[str]:
    """Weights above the diagonal, where most are 0: a causal mask with a hole."""
    above = np.triu(np.nan_to_num(weights) != 0, 1)
    count, room_for = int(above.sum()), len(weights) * (len(weights) - 1) // 2
    if 0 < count < room_for / 2:
        row, column = (int(n[0]) for n in np.nonzero(above))
        yield f"the mask has a hole: {names[row]} looks ahead at {names[column]}, {number(weights[row, column], 3)} ({count} of {room_for} weights above the diagonal are not 0)"


class _Draw:
    def __init__(self, names: Sequence[str]):
        self._names = names
        self._cell = 22.0 if len(names) <= 20 else 14.0
        left, above = room(names, names, self._cell)
        self._at = (left + 4, above + 20)
        across = len(names) * self._cell
        self.size = (max(self._at[0] + across + 24, 340.0), self._at[1] + across + 8)
        nothing = np.zeros((len(names), len(names)))
        _, *named = self._matrix(nothing)
        self.names = [scene.text(self._at[0], 12, "looked at", size=11), *named]

    def _matrix(self, weights):
        words = [[number(weight, 2) for weight in row] for row in weights.tolist()]
        # for the eye the root of a weight: of a hundred tokens each gets about a hundredth
        return matrix(np.sqrt(np.maximum(weights, 0)), self._names, self._names, at=self._at, size=(self._cell, self._cell), top=1.0, words=words)

    def cells(self, weights: np.ndarray) -> Mark:
        """Without the names, which are the same for all heads."""
        return self._matrix(weights)[0]
