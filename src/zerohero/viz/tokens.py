"""A text as a tokenizer cuts it: pieces, ids and bytes, and how byte-pair merges made them.

tokens(text, ids, pieces)                  # pieces: the bytes of each token, or {id: bytes}
tokens(text, ids, vocab, merges=merges)    # merges: [((97, 97), 256), ...] in the order in which they were learnt
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import WrongObject
from . import scene, still
from .chart import CHAR
from .palette import SERIES
from .scene import Frame, Mark, Steps, Table, View, plain

MOST = 128  # tokens drawn: 60 kB
BYTES, MERGES = 64, 24  # bytes of the text whose merging is replayed, and merges that are
ACROSS = 680.0  # px of a line
ROW, BOX = 48.0, 38.0  # px from line to line, and of a box
SLOT, STRIP = 26.0, 64.0  # px of a byte in the replay, and from line to line there
IN_LINE = 24  # bytes of a line there


def tokens(text: str, ids: Sequence[int], pieces: Any, merges: Any = None) -> None:
    """Show the tokens of ``text`` in boxes, each with its id, and step through them; with ``merges``, how they came about.

    tokens("aaabdaaabac", [258, 100, 258, 97, 99], vocab, merges=[((97, 97), 256), ((256, 97), 257), ((257, 98), 258)])

    ids: the token ids of the text. pieces: the bytes (or str) of each token in turn, or a mapping id -> bytes. merges: a list of
    ((left id, right id), new id) in the order in which they are applied, or a mapping (left, right) -> new id; the text is taken
    as its UTF-8 bytes, whose ids are 0 to 255. A piece that is not whole UTF-8 is shown as its bytes.
    Raises WrongObject when ids and pieces do not fit, or merges are not pairs.
    """
    still.show(tokens_view(text, ids, pieces, merges))


def tokens_view(text: str, ids: Sequence[int], pieces: Any, merges: Any = None) -> View:
    """As tokens(), as a View. At most MOST tokens, BYTES bytes of the replay and MERGES merges are drawn; the summary says so."""
    if not isinstance(text, str):
        raise WrongObject(f"`text` is of type {type(text).__name__}; it must be the str that was cut into tokens")
    ids = [_id(one, "ids") for one in _listed(ids, "ids")]
    pieces = _pieces(pieces, ids)
    data = text.encode("utf-8", "surrogatepass")
    notes = [f"The first {MOST} are drawn."] if len(ids) > MOST else []
    joined = b"".join(pieces)
    if joined != data:
        notes.insert(0, _difference(joined, pieces, data))
    boxes = _laid_out(ids[:MOST], pieces[:MOST])
    height = (max((box.row for box in boxes), default=0) + 1) * ROW + 8
    marks = _drawn(boxes) or [scene.text(8, 24, "no tokens")]
    frames = (Frame("all", f"{len(ids):,} tokens of {len(data):,} bytes." if ids else "There are no tokens."), *(box.frame() for box in boxes))
    steps = [Steps("token", frames)]
    if merges is not None:
        replay = _Replay(data, _pairs(merges), ids)
        marks += [scene.text(0, height + 14, "how the merges make them", bold=True), *replay.characters(height + 24)]
        steps.insert(0, Steps("merge", tuple(replay.frames(height + 24))))
        notes += replay.notes
        height += 24 + replay.lines * STRIP
    table = Table("tokens", ("token", "text", "id", "bytes"), tuple((str(n), _seen(box.piece), str(box.id), _hex(box.piece)) for n, box in enumerate(boxes)))
    summary = " ".join([f"{len(text):,} characters, {_ratio(len(data), len(ids))}.", *notes])
    return View("tokens", "Tokens", summary, ACROSS + 2, height, tuple(marks), tuple(steps), table)


def _ratio(count, made):
    per = f", {count / made:.2f} bytes per token" if made else ""
    return f"{count:,} byte{'s' * (count != 1)} in {made:,} token{'s' * (made != 1)}{per}"


# ---- what was handed in ------------------------------------------------------------------------------------------------


def _listed(values, called):
    if hasattr(values, "tolist"):  # an array or a tensor
        values = values.tolist()
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise WrongObject(f"`{called}` is of type {type(values).__name__}; it must be a list, one entry for each token")
    return list(values)


def _id(value, called):
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise WrongObject(f"`{called}` holds an entry of type {type(value).__name__}; token ids are ints") from None


def _pieces(pieces, ids):
    if isinstance(pieces, Mapping):
        if unknown := [one for one in ids if one not in pieces]:
            raise WrongObject(f"`pieces` has no entry for id {unknown[0]}; it needs the bytes of every id")
        pieces = [pieces[one] for one in ids]
    pieces = _listed(pieces, "pieces")
    if len(pieces) != len(ids):
        raise WrongObject(f"`pieces` has {len(pieces)} entries for {len(ids)} ids: it needs the bytes of each token, or to be a mapping id -> bytes")
    found = []
    for piece in pieces:
        if isinstance(piece, str):
            piece = piece.encode("utf-8", "surrogatepass")
        if not isinstance(piece, (bytes, bytearray)):
            raise WrongObject(f"`pieces` holds an entry of type {type(piece).__name__}; each piece is the bytes of a token")
        found.append(bytes(piece))
    return found


def _pairs(merges):
    entries = merges.items() if isinstance(merges, Mapping) else merges
    try:
        return [(_id(left, "merges"), _id(right, "merges"), _id(new, "merges")) for (left, right), new in entries]
    except (TypeError, ValueError) as error:
        if isinstance(error, WrongObject):
            raise
        raise WrongObject("`merges` must be a list of ((left id, right id), new id), or a mapping (left id, right id) -> new id") from None


def _difference(joined, pieces, data):
    """Where the pieces put together are not the text: a tokenizer that does not round-trip."""
    at = next((n for n, (one, other) in enumerate(zip(joined, data, strict=False)) if one != other), min(len(joined), len(data)))
    end = 0
    for n, piece in enumerate(pieces):
        end += len(piece)
        if at < end:
            return f"The pieces put together are not the text: they differ from byte {at:,} on, in token {n:,}."
    return f"The pieces put together are not the text: they end after {len(joined):,} of {len(data):,} bytes."


# ---- how pieces look ---------------------------------------------------------------------------------------------------


def _seen(piece: bytes) -> str:
    """A piece as it is drawn: a space as ␣, what cannot be seen by its name, a mark that combines on a circle, no whole text as bytes."""
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"\\x{byte:02x}" for byte in piece)
    if text and unicodedata.combining(text[0]):
        text = "\N{DOTTED CIRCLE}" + text
    return plain(text.replace(" ", "\N{OPEN BOX}"))


def _hex(piece, most=12):
    return " ".join(f"{byte:02x}" for byte in piece[:most]) + (f" ... ({len(piece)} bytes)" if len(piece) > most else "")


def _said(n, id, piece):
    """What is read of a token: "token 3: ' the' id 262, bytes 20 74 68 65"."""
    try:
        what = f"'{plain(piece.decode('utf-8'), 32)}'"
    except UnicodeDecodeError:
        what = "not whole characters,"
    return f"token {n}: {what} id {id}, bytes {_hex(piece) or 'none'}"


def _wide(text):
    """px of a text at size 13; East Asian characters and emoji are about twice as wide."""
    return sum(14.0 if unicodedata.east_asian_width(c) in "WF" else 0.0 if unicodedata.combining(c) else 8.0 for c in text)


@dataclass(frozen=True)
class _Box:
    n: int
    id: int
    piece: bytes
    shown: str
    x: float
    row: int
    width: float

    def texts(self) -> list[Mark]:
        x, y = self.x + self.width / 2, self.row * ROW
        return [scene.text(x, y + 18, self.shown, "middle", size=13), scene.text(x, y + 33, str(self.id), "middle", size=10)]

    def frame(self) -> Frame:
        box = (self.x - 1, self.row * ROW + 1, self.width + 2, BOX + 2)
        return Frame(str(self.n), f"T{_said(self.n, self.id, self.piece)[1:]}.", (scene.rects([box], "focus"),))


def _drawn(boxes: Sequence[_Box]) -> list[Mark]:
    """A box with an underline for each token: the same id, the same colour; that it is the same id, the number says."""
    if not boxes:
        return []
    marks = [scene.rects([(box.x, box.row * ROW + 2, box.width, BOX) for box in boxes], "ink", [_said(box.n, box.id, box.piece) for box in boxes])]
    for n, look in enumerate(SERIES[:4]):
        if lines := [(box.x, box.row * ROW + BOX - 2, box.width, 4) for box in boxes if box.id % 4 == n]:
            marks.append(scene.rects(lines, look))
    return marks + [mark for box in boxes for mark in box.texts()]


def _laid_out(ids, pieces):
    boxes, x, row = [], 1.0, 0
    for n, (id, piece) in enumerate(zip(ids, pieces, strict=True)):
        shown = plain(_seen(piece), 40)
        width = min(max(_wide(shown), len(str(id)) * CHAR) + 10, ACROSS)
        if x + width > ACROSS and x > 1:
            x, row = 1.0, row + 1
        boxes.append(_Box(n, id, piece, shown, x, row, round(width, 1)))
        x += width + 3
    return boxes


# ---- the replay of merges ------------------------------------------------------------------------------------------------


class _Replay:
    """The bytes of the text stand still, and the boxes around them grow, merge by merge."""

    def __init__(self, data: bytes, merges: Sequence[tuple[int, int, int]], ids: Sequence[int]):
        self.data, self.drawn = data, data[:BYTES]
        self.lines = max(1, -(-len(self.drawn) // IN_LINE))
        self.states: list[tuple[str, str, list[tuple[int, int]]]] = []  # (label, sentence, [(id, bytes), ...])
        self.notes: list[str] = []
        self._run(merges)
        made = [id for id, _ in self.last]
        if made != list(ids):
            where = next((n for n, (one, other) in enumerate(zip(made, ids, strict=False)) if one != other), min(len(made), len(ids)))
            self.notes.append(
                f"The merges alone give other ids, from token {where:,} on: the tokenizer splits the text first, has special tokens, or is wrong."
            )
        if len(self.drawn) < len(data):
            self.notes.append(f"The merges are drawn on the first {BYTES} of {len(data):,} bytes.")

    def _run(self, merges):
        names = {byte: bytes([byte]) for byte in range(256)}
        now = [(byte, 1) for byte in self.data]
        self.states.append(("bytes", f"Before any merge: {_ratio(len(self.data), len(now))}.", now))
        used = skipped = 0
        for order, (left, right, new) in enumerate(merges, 1):
            names[new] = names.get(left, b"?") + names.get(right, b"?")
            merged = _merge(now, left, right, new)
            if len(merged) == len(now):
                continue  # a pair that this text does not have
            used += 1
            found, now = len(now) - len(merged), merged
            if used > MERGES:
                skipped += 1
                continue
            says = (f"Merge {order} of {len(merges)}: {left} '{_seen(names[left])}' and {right} '{_seen(names[right])}' become {new} '{_seen(names[new])}', "
                    f"{found:,} time{'s' * (found != 1)}: {_ratio(len(self.data), len(now))}.")  # fmt: skip
            self.states.append((f"{order}: {new}", says.replace("'?", "'"), now))
        self.last = now
        if used < len(merges):
            self.notes.append(f"{len(merges) - used:,} of {len(merges):,} merges change nothing here, and have no step.")
        if skipped:
            self.notes.append(f"Of {used:,} merges the first {MERGES} are drawn.")

    def characters(self, top: float) -> list[Mark]:
        """The text over its bytes; a character of several bytes stands in their middle."""
        marks, at = [], 0
        for character in self.drawn.decode("utf-8", "replace"):
            size = len(character.encode("utf-8", "surrogatepass"))
            if character == "\N{REPLACEMENT CHARACTER}" and self.drawn[at : at + 3] != b"\xef\xbf\xbd":
                size = 1  # the end of the drawn bytes, or half a surrogate pair
            else:
                row, place = divmod(at, IN_LINE)
                room = min(size, IN_LINE - place) * SLOT
                shown = _seen(character.encode("utf-8"))
                small = len(shown) > 2  # the name of a character that cannot be seen
                marks.append(scene.text(1 + place * SLOT + room / 2, top + row * STRIP + 18, shown, "middle", size=8 if small else 13))
            at += size
        for n, byte in enumerate(self.drawn):
            row, place = divmod(n, IN_LINE)
            marks.append(scene.text(1 + (place + 0.5) * SLOT, top + row * STRIP + 32, f"{byte:02x}", "middle", look="faint", size=9))
        return marks

    def frames(self, top: float) -> Iterable[Frame]:
        for n, (label, says, now) in enumerate(self.states):
            new = {id for id, _ in now} - {id for id, _ in self.states[n - 1][2]} if n else set()
            yield Frame(label, says, tuple(self._boxes(now, top, new)))

    def _boxes(self, now, top, new):
        boxes: dict[str, list[tuple[float, float, float, float]]] = {"ink": [], "flow": []}
        marks, start = [], 0
        for id, size in now:
            end = min(start + size, len(self.drawn))
            if start >= end:
                break
            for row in range(start // IN_LINE, (end - 1) // IN_LINE + 1):  # a token may go over the end of a line
                first, last = max(start, row * IN_LINE), min(end, (row + 1) * IN_LINE)
                x = 1 + (first - row * IN_LINE) * SLOT
                boxes["flow" if id in new else "ink"].append((x + 1.5, top + row * STRIP + 2, (last - first) * SLOT - 3, 50))
                if size > 1 and first == start:
                    marks.append(scene.text(x + (last - first) * SLOT / 2, top + row * STRIP + 46, str(id), "middle", size=10, bold=id in new))
            start += size
        return [scene.rects(some, look) for look, some in boxes.items() if some] + marks


def _merge(now, left, right, new):
    """Every pair (left, right), from the left and without overlap, becomes one token."""
    made, n = [], 0
    while n < len(now):
        if n + 1 < len(now) and now[n][0] == left and now[n + 1][0] == right:
            made.append((new, now[n][1] + now[n + 1][1]))
            n += 2
        else:
            made.append(now[n])
            n += 1
    return made
