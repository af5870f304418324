"""The atlas: fingerprints of known wrong answers, so that a mistake can be named without shipping a solution.

``zerohero build`` (instructor side) runs every file of ``course/*/wrong/`` on the visible cases and keeps, per case,
what came out: its structure as a hash and three random projections of its numbers. A failed check is looked up here.
An answer is named only when it agrees with one known mistake on every visible case; when it agrees with several
kinds, none is named.
"""

import functools
import hashlib
import json
import math
from importlib import resources
from typing import Any

import numpy as np

from .plaindata import Other

FILE = "atlas.json"
PROJECTIONS = 3
RTOL = 1e-7  # of the norm: platforms differ in the last bits of exp and tanh


def fingerprint(output: dict[str, Any]) -> dict[str, Any]:
    """What is kept of one probe output: {"form": hash of structure and text, "norm": ..., "projections": [3 floats]}."""
    form: list[str] = [output["status"], output.get("type", "")]
    numbers: list[float] = []
    _walk(output.get("value"), form, numbers)
    vector = np.array(numbers, dtype=np.float64)
    directions = np.random.RandomState(len(numbers)).randn(PROJECTIONS, len(numbers))
    return {
        "form": hashlib.sha256("|".join(form).encode()).hexdigest()[:16],
        "norm": float(np.sqrt(vector @ vector)),
        "projections": [float(p) for p in directions @ vector],
    }


def _walk(value, form, numbers):
    """Structure and text to ``form``; finite numbers, scaled down when they would overflow a product, to ``numbers``."""
    if isinstance(value, dict):
        for key in value:
            form.append(f"{{{key}")
            _walk(value[key], form, numbers)
    elif isinstance(value, list):
        form.append(f"[{len(value)}")
        for item in value:
            _walk(item, form, numbers)
    elif isinstance(value, np.ndarray):
        form.append(f"{value.dtype.kind}{value.shape}")
        for item in value.ravel()[:10_000].tolist():
            _number(item, form, numbers)
    elif isinstance(value, (bool, str, Other)) or value is None:
        form.append(repr(value))
    else:
        form.append("#")
        _number(value, form, numbers)


def _number(item, form, numbers):
    if isinstance(item, complex) or abs(item) > 1e150 or not math.isfinite(item):
        form.append(f"{item:.6g}" if not isinstance(item, int) else "huge")
    else:
        numbers.append(float(item))


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two fingerprints are of the same output, up to the last digits."""
    scale = RTOL * max(a["norm"], b["norm"]) + 1e-12
    return a["form"] == b["form"] and all(abs(p - q) <= scale for p, q in zip(a["projections"], b["projections"], strict=True))


@functools.cache
def entries() -> dict[str, list[dict[str, Any]]]:
    """The shipped atlas, {exercise id: [{"mistake", "because", "next", "cases": [fingerprint, ...]}]}; empty when not built."""
    file = resources.files("zerohero") / FILE
    try:
        return json.loads(file.read_text(encoding="utf-8"))["exercises"]
    except FileNotFoundError:
        return {}


def look_up(exercise_id: str, outputs: list[dict[str, Any]]) -> dict[str, str]:
    """The named mistake of these outputs on the visible cases: {"mistake", "because", "next"}, or {} when none is proven."""
    candidates = entries().get(exercise_id, [])
    if not candidates:
        return {}
    prints = [fingerprint(o) for o in outputs]
    hits = [e for e in candidates if len(e["cases"]) == len(prints) and all(map(same, e["cases"], prints))]
    if len({e["mistake"] for e in hits}) != 1:
        return {}
    return {key: hits[0][key] for key in ("mistake", "because", "next") if hits[0].get(key)}
