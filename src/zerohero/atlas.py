"""The atlas: fingerprints of known wrong answers, so that a mistake can be named without shipping a solution.

It is built on the instructor's side, from files of wrong answers and from mutants of the reference answers. An entry holds
a mistake, one sentence, and a fingerprint of each **part** in which that answer is wrong: for a backward pass a part is one
gradient, over all visible cases together. A failed check is looked up here, part by part, so that two mistakes in two
gradients are both found, each by itself.
"""

import functools
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np

from .plaindata import Other

FILE = "atlas.json"
SCHEMA = 2
PROJECTIONS = 3
RTOL = 1e-7  # of one case: platforms differ in the last bits of exp and tanh
RTOL_SINGLE = 3e-6  # the answer was given in float32
FLOOR = 1e-6
"""Numbers are set beside the norm of their array; an array smaller than this is set beside this, so that rounding noise is not blown up."""
MOST_KINDS = 2
"""An answer that agrees with more kinds than this is not named."""

WHOLE = ("SWAPPED",)
"""Kinds that are proven only by agreement in every part: one result in the place of another shows where the other one is, too."""

PREFERENCE = (
    "SHAPE", "UNSTABLE", "SIGN_FLIP", "SWAPPED", "EXTRA_MEAN", "MISSING_MEAN", "DDOF", "STATS_CONST", "DIAG_JACOBIAN", "TRANSPOSED",
    "MISSING_BROADCAST_SUM", "WRONG_AXIS", "MISSING_PATH", "OVERWRITE", "DROPPED_LOCAL", "PRE_POST", "WRONG_MASK", "DOUBLE_COUNT", "NO_UPSTREAM", "WRONG_CONSTANT",
    "INDEXING", "STATE_LEAK", "MUTATES", "DTYPE", "RECURSION", "FORMULA",
)  # fmt: skip
"""Which kind is said first when several explain an answer: the one that says most about what to change."""

Part = Mapping[str, Any]
"""A fingerprint: {"form": hash of shapes and text, "numbers": floats}."""


# ---------------------------------------------------------------- fingerprints


def fingerprint(values: Sequence[Any]) -> dict[str, Any]:
    """What is kept of one part, given its value in each case (plain data): {"form": 16 hex digits, "numbers": [PROJECTIONS floats]}.

    Each array, list of numbers or lone number is a block. ``numbers`` are random projections of all blocks, each divided by its
    norm, and of the logarithms of the norms; so a difference in a case of small numbers is not hidden by one of large ones.
    """
    form: list[str] = []
    blocks: list[list[float]] = []
    for value in values:
        form.append("case")
        _walk(value, form, blocks)
    vector: list[float] = []
    for block in blocks:
        numbers = np.array(block)
        norm = max(float(np.sqrt(numbers @ numbers)), FLOOR)
        vector += [*(numbers / norm).tolist(), math.log(norm)]
    directions = _directions(len(vector))
    # 9 places are finer than the tolerance of a match, and hide the last bits in which two machines differ
    return {"form": hashlib.sha256("|".join(form).encode()).hexdigest()[:16], "numbers": [round(float(p), 9) for p in directions @ np.array(vector)]}


@functools.lru_cache(maxsize=64)
def _directions(size):
    return np.random.RandomState(size).randn(PROJECTIONS, size)


def _walk(value, form, blocks):
    """Structure and text to ``form``, finite numbers to ``blocks``."""
    if isinstance(value, dict):
        for key in value:
            form.append(f"{{{key}")
            _walk(value[key], form, blocks)
    elif isinstance(value, list):
        form.append(f"[{len(value)}")
        numbers = [v for v in value if _is_number(v)]
        _block(numbers, form, blocks)
        for item in value:
            if not _is_number(item):
                _walk(item, form, blocks)
            else:
                form.append("#")
    elif isinstance(value, np.ndarray):
        form.append(f"{value.dtype.kind}{value.shape}")
        _block(value.ravel()[:10_000].tolist(), form, blocks)
    elif _is_number(value):
        form.append("#")
        _block([value], form, blocks)
    elif isinstance(value, (bool, str, Other)) or value is None:
        form.append(repr(value))
    else:
        form.append(f"{value:.6g}" if isinstance(value, complex) else type(value).__name__)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _block(items, form, blocks):
    numbers = []
    for item in items:
        if isinstance(item, complex) or abs(item) > 1e150 or not math.isfinite(item):
            form.append(f"{item:.6g}" if not isinstance(item, int) else "huge")
        else:
            numbers.append(float(item))
    if numbers:
        blocks.append(numbers)


def same(a: Part, b: Part, cases: int = 1, rtol: float = RTOL) -> bool:
    """Whether two fingerprints are of the same values, up to ``rtol`` of each case."""
    scale = 4 * rtol * math.sqrt(max(cases, 1)) + 4e-9
    return a["form"] == b["form"] and all(abs(p - q) <= scale for p, q in zip(a["numbers"], b["numbers"], strict=True))


def parts_of(outputs: Sequence[Mapping[str, Any]], parts: Any = None) -> dict[str, list[Any]]:
    """{part: its value in each case} of probe outputs. ``parts(output value) -> {part: value}``; without it the whole output is the part "".

    An output that is no value (the answer raised) is the same for every part. {} when parts() cannot read any output.
    """
    read = [_read(output, parts) for output in outputs]
    names = list(dict.fromkeys(name for one in read if isinstance(one, dict) for name in one))
    return {name: [one.get(name) if isinstance(one, dict) else one for one in read] for name in names or ([] if parts else [""])}


def _read(output, parts):
    """{part: value}, or text that stands for all parts."""
    if output["status"] != "ok":
        return f"{output['status']} {output.get('type', '')}"
    if parts is None:
        return {"": output["value"]}
    try:
        return {str(name): value for name, value in parts(output["value"]).items()}
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError):
        return "not to be read"


def tolerance(values: Sequence[Any]) -> float:
    """RTOL_SINGLE when all arrays in ``values`` hold nothing that float32 could not, else RTOL."""
    arrays = [v for v in values if isinstance(v, np.ndarray) and v.dtype.kind == "f" and v.size]
    with np.errstate(over="ignore", invalid="ignore"):
        single = bool(arrays) and all(np.array_equal(v, v.astype(np.float32), equal_nan=True) for v in arrays)
    return RTOL_SINGLE if single else RTOL


# ---------------------------------------------------------------- the look-up


@functools.cache
def entries() -> dict[str, list[dict[str, Any]]]:
    """The shipped atlas, {exercise id: [{"mistake", "because", "next", "parts": {part: fingerprint}}]}; empty when not built."""
    file = resources.files("zerohero") / FILE
    try:
        atlas = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    if atlas.get("schema") != SCHEMA:
        return {}  # built by another version: nothing is named until `zerohero build` has run again
    return {exercise: [unpacked(entry, atlas["sentences"]) for entry in found] for exercise, found in atlas["exercises"].items()}


def unpacked(entry: Sequence[Any], sentences: Sequence[str]) -> dict[str, Any]:
    """An entry as it stands in the file: [mistake, because, next, {part: [form, numbers...]}], sentences by their place in a list."""
    mistake, because, step, parts = entry
    prints = {part: {"form": form, "numbers": numbers} for part, (form, *numbers) in parts.items()}
    return {"mistake": mistake, "because": sentences[because], "next": sentences[step], "parts": prints}


def look_up(
    exercise_id: str, outputs: Sequence[Mapping[str, Any]], parts: Any = None, about: str = "", more: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The named mistake of these outputs on the visible cases: {"mistake", "because", "next", "alternatives"}, or {} when none is proven.

    ``parts``: see parts_of. ``about``: the part that the report is about, when it is about one. ``more``: entries that come before
    the shipped ones.
    """
    candidates = [*more, *entries().get(exercise_id, [])]
    return named(candidates, parts_of(outputs, parts), about) if candidates else {}


def prints_of(outputs: Sequence[Mapping[str, Any]], parts: Any = None) -> dict[str, dict[str, Any]]:
    """{part: fingerprint} of an answer's outputs on the visible cases."""
    return {part: fingerprint(values) for part, values in parts_of(outputs, parts).items()}


def agrees(entry: Mapping[str, Any], prints: Mapping[str, Part]) -> bool:
    """Whether an answer with these fingerprints could be the one of ``entry``: as loosely as for an answer in float32."""
    return all(part in prints and same(one, prints[part], 20, RTOL_SINGLE) for part, one in entry["parts"].items())


def named(candidates: Sequence[Mapping[str, Any]], values: Mapping[str, Sequence[Any]], about: str = "") -> dict[str, Any]:
    """As look_up, of these entries and ``values`` = {part: value per case}.

    Entries that agree in all the parts they are wrong in come first, among them those that explain most parts; else the entries
    that agree in the first part in which any does. Among equals those given first, in order of PREFERENCE.
    """
    candidates = [e for e in candidates if e["mistake"] not in WHOLE or all(_matches(e, part, values) for part in e["parts"])]
    agrees = {part: _agreeing(candidates, part, given) for part, given in values.items()}
    agrees = {part: hits for part, hits in agrees.items() if hits and (not about or about not in values or part == about)}
    if not agrees:
        return {}
    whole = [entry for entry in candidates if any(part in agrees for part in entry["parts"]) and all(_matches(entry, p, values) for p in entry["parts"])]
    if whole:
        most = max(len(entry["parts"]) for entry in whole)
        first = next(entry["parts"].keys() for entry in whole if len(entry["parts"]) == most)
        hits = [entry for entry in whole if entry["parts"].keys() == first]
    else:
        hits = agrees[next(iter(agrees))]
    if any(entry.get("given") for entry in hits):
        hits = [entry for entry in hits if entry.get("given")]
    kinds = sorted({entry["mistake"] for entry in hits}, key=PREFERENCE.index)
    if len(kinds) > MOST_KINDS:
        return {}
    chosen = next(entry for entry in hits if entry["mistake"] == kinds[0])
    return {"mistake": kinds[0], "because": chosen["because"], "next": chosen.get("next", ""), "alternatives": tuple(kinds[1:])}


def _agreeing(candidates, part, given):
    printed, rtol = fingerprint(given), tolerance(given)
    return [entry for entry in candidates if part in entry["parts"] and same(entry["parts"][part], printed, len(given), rtol)]


def _matches(entry, part, values):
    return part in values and same(entry["parts"][part], fingerprint(values[part]), len(values[part]), tolerance(values[part]))
