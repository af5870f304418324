"""Reading what comes out of a jail: everything here is untrusted bytes.

``Lines`` reads the events of runner.py and zerohero.grading, ``Printed`` the cells' stdout and stderr. Both take any
bytes in any chunks, raise for none of them, and hold no more than their limits.
"""

import json
import re
import time
from dataclasses import dataclass, field

from zerohero.plaindata import MAX_BYTES

SHORT = 4096
"""Longest line read as a small event."""
LONGEST = 2 * MAX_BYTES
"""Longest line kept at all: the quotes inside outputs are escaped once more."""
KEPT = 4
"""Outputs kept per exercise, the newest: a check called in a loop must not make the judge work without end."""
MOST_LINES = 20_000
"""Lines read beyond those of the cells themselves: a flood of empty ones must not keep the reader busy."""
MOST_MARKERS = 5_000  # beyond the cells' own
MOST_PRINTED = 16 * 2**20
"""Printed bytes kept of all cells together: a thousand cells that each print all they may would be gigabytes in the graded notebook."""
MOST_CALLS = 1_000_000_000
STATUSES = ("ok", "error", "timeout")

_OUTPUTS = re.compile(rb'\{"event": "outputs", "exercise": "([A-Za-z0-9_-]{1,100})", "outputs": (?=")')
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass
class Lines:
    """The events of one run."""

    cells: int
    exercises: frozenset[str]
    limit: int
    received: int = 0
    read: int = 0
    """Lines."""
    ignored: int = 0
    """Lines that were no event of ours."""
    begun: int = -1
    """Index of the last cell that began; the number of cells once all are done."""
    ended: bool = False
    statuses: dict[int, tuple[str, str]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    """Per cell, from the arrival of its begin to that of its end."""
    outputs: dict[str, list[str]] = field(default_factory=dict)
    calls: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    _rest: bytearray = field(default_factory=bytearray)
    _skipping: bool = False
    _since: float = 0.0

    @property
    def too_much(self) -> bool:
        return self.received > self.limit or self.read > MOST_LINES + 8 * self.cells

    def feed(self, data: bytes) -> bool:
        """Take in what was read. True when it held an event."""
        self.received += len(data)
        seen = False
        *whole, rest = data.split(b"\n")
        for piece in whole:
            if self.too_much:
                return seen
            self.read += 1
            self._add(piece)
            seen = (not self._skipping and self._line(bytes(self._rest))) or seen
            self._rest.clear()
            self._skipping = False
        self._add(rest)
        return seen

    def _add(self, piece):
        if self._skipping:
            return
        if len(self._rest) + len(piece) > LONGEST:
            self._skipping = True
            self.ignored += 1
            self._rest.clear()
        else:
            self._rest += piece

    def _line(self, line):
        event = _event(line)
        if event and self._take(event):
            return True
        self.ignored += bool(line)
        return False

    def _take(self, event):
        kind, index = event.get("event"), event.get("index")
        if kind == "outputs":
            if event["exercise"] not in self.exercises or len(event["outputs"]) > MAX_BYTES or not event["outputs"].isascii():
                return False
            kept = self.outputs.setdefault(event["exercise"], [])
            kept.append(event["outputs"])
            del kept[:-KEPT]
        elif kind == "begin" and type(index) is int and self.begun < index <= self.cells:
            self.begun, self._since = index, time.monotonic()
        elif kind == "cell" and type(index) is int and 0 <= index < self.cells and event.get("status") in STATUSES:
            error = event.get("error")
            if index == self.begun:
                self.seconds[index] = time.monotonic() - self._since
            self.statuses[index] = (event["status"], plain(error[:400]) if isinstance(error, str) else "")
        elif kind == "calls":
            exercise, name, calls, numbers = (event.get(key) for key in ("exercise", "name", "calls", "numbers"))
            if not (
                isinstance(exercise, str)
                and exercise in self.exercises
                and isinstance(name, str)
                and type(calls) is int
                and type(numbers) is int
                and 0 < numbers <= calls < MOST_CALLS
            ):
                return False
            self.calls.setdefault(exercise, (plain(name[:100]), calls, numbers))  # the first: what is said later takes nothing back
        elif kind == "end":
            self.ended = True
        else:
            return False
        return True


def _event(line):
    """The event in one line, or None.

    Only one string is parsed out of a long line: json.loads on the whole of it would let "[[],[],..." grow twentyfold in memory.
    """
    start = _OUTPUTS.match(line)
    try:
        if start and line.endswith(b'"}'):
            return {"event": "outputs", "exercise": start[1].decode("ascii"), "outputs": json.loads(line[start.end() : -1])}
        event = json.loads(line) if len(line) <= SHORT else None
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and event.get("event") != "outputs" else None


@dataclass
class Printed:
    """What the cells printed, divided by the marker lines that runner.py writes between them."""

    cells: int
    marker: bytes
    limit: int
    """Bytes kept per cell."""
    received: int = 0
    _cell: int = -1
    _markers: int = 0
    _kept: dict[int, bytearray] = field(default_factory=dict)
    _dropped: dict[int, int] = field(default_factory=dict)
    _room: int = MOST_PRINTED
    _held: bytes = b""

    def feed(self, data: bytes) -> None:
        """Take in what was read. A marker is looked for across the chunks."""
        self.received += len(data)
        data = self._held + data
        start = 0
        while (at := data.find(self.marker, start) if self._markers < MOST_MARKERS + self.cells else -1) >= 0:
            self._markers += 1  # a student who prints markers gets a muddled picture, not a slow grader
            end = data.find(b"\n", at + len(self.marker), at + len(self.marker) + 16)
            if end < 0 and len(data) - at < len(self.marker) + 16:
                break  # the rest of the marker line is still to come
            number = data[at + len(self.marker) : end].strip() if end >= 0 else b""
            if not number.isdigit():  # the student's own text
                self._keep(data[start : at + len(self.marker)])
                start = at + len(self.marker)
                continue
            self._keep(data[start:at])
            self._cell = min(int(number), self.cells)
            start = end + 1
        # hold back what could be the beginning of a marker line
        cut = at if at >= 0 else max(start, len(data) - len(self.marker) + 1)
        self._keep(data[start:cut])
        self._held = data[cut:]

    def _keep(self, data):
        kept = self._kept.setdefault(self._cell, bytearray())
        room = max(min(self.limit - len(kept), self._room), 0)
        kept += data[:room]
        self._room -= min(room, len(data))
        if len(data) > room:
            self._dropped[self._cell] = self._dropped.get(self._cell, 0) + len(data) - room

    def text(self, cell: int) -> str:
        """What a cell printed, as plain text. -1 is what came before the first."""
        text = plain(bytes(self._kept.get(cell, b"")).decode("utf-8", "replace"))
        dropped = self._dropped.get(cell)
        return f"{text}\n[{dropped:,} more bytes were printed and are not kept]" if dropped else text

    def close(self) -> None:
        """No more is to come: what was held back is text."""
        self._keep(self._held)
        self._held = b""


def plain(text: str) -> str:
    """Text without terminal colours and control characters."""
    return _CONTROL.sub("", text).encode("utf-8", "replace").decode("utf-8")  # a lone surrogate could not be written to any file
