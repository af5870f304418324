"""Where two runs of one notebook gave different outputs: what was drawn without a seed, read from a clock, or kept in a file.

Both outputs are what a stranger sent, so they are read in a child process with limits, as a judge does.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from zerohero.errors import NotPlainData
from zerohero.exercise import Case
from zerohero.plaindata import decode, describe

from ..child import lines_from_child
from ..flags import Flag

RTOL, ATOL = 1e-6, 1e-9
"""Sums in another order differ in their last digits; that is no other result."""
SECONDS, WALL = 20.0, 120.0
ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,16}")
"""Where an object lies in memory, in the text of an exception."""


def differences(outputs: Mapping[str, tuple[Sequence[str], Sequence[str]]], cases: Mapping[str, Sequence[Case]]) -> list[Flag]:
    """One flag per exercise with other outputs in the second run than in the first. ``outputs``: as text, per exercise. Never raises for anything in it."""
    differ = {id: pair for id, pair in outputs.items() if tuple(pair[0]) != tuple(pair[1])}

    def work(say, allow):
        for id, (first, second) in differ.items():
            allow(SECONDS)
            try:
                evidence = next(_differences(first, second, cases[id]), "")
            except (NotPlainData, RecursionError, MemoryError) as error:
                evidence = f"the outputs differ, and cannot be compared ({type(error).__name__})"
            say(json.dumps([id, evidence]).encode("ascii"))

    lines, _ = lines_from_child(work, WALL)
    told = dict(map(json.loads, lines))
    unfinished = {id: "the outputs differ; to compare them took too long" for id in differ if id not in told}
    return [Flag("NOT_REPEATABLE", id, evidence) for id, evidence in {**told, **unfinished}.items() if evidence]


def _differences(first, second, cases) -> Iterator[str]:
    if len(first) != len(second):
        yield f"the check handed over {len(first)} outputs in the first run, {len(second)} in the second"
        return
    for one, other in zip(first, second, strict=True):
        one, other = decode(one), decode(other)
        if not (isinstance(one, list) and isinstance(other, list) and len(one) == len(other) == len(cases)):
            yield "outputs of another form"
            return
        for case, a, b in zip(cases, one, other, strict=True):
            for left, right in _leaves(a, b):
                yield f"{case.group}, input {describe(case.inputs)}: first {describe(left)}, then {describe(right)}"


def _leaves(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of two outputs that differ by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            yield from _leaves(a[key], b[key])
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        for left, right in zip(a, b, strict=True):
            yield from _leaves(left, right)
    elif isinstance(a, str) and isinstance(b, str):
        if ADDRESS.sub("0x", a) != ADDRESS.sub("0x", b):
            yield a, b
    elif not _close(a, b):
        yield a, b


def _close(a, b):
    if isinstance(a, (float, np.ndarray)) and isinstance(b, (float, np.ndarray)) and np.shape(a) == np.shape(b):
        numbers = all(np.asarray(one).dtype.kind in "fiubc" for one in (a, b))
        with np.errstate(all="ignore"):
            return np.allclose(a, b, RTOL, ATOL, equal_nan=True) if numbers else np.array_equal(a, b)
    return type(a) is type(b) and bool(np.all(a == b))
