"""bank(): the mutants of reference answers, run and kept as entries of the atlas."""

import contextlib
import io
import signal
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from zerohero.atlas import RTOL_SINGLE, fingerprint, same

from .mutate import Mutant, mutants

SECONDS = 0.5
"""Processor time that one mutant may take."""

Values = Mapping[str, Sequence[Any]]
"""{part: its value in each case}"""


def bank(
    sources: Sequence[str],
    namespace: Mapping[str, Any],
    name: str | Sequence[str],
    run: Callable[[Any], Values],
    *,
    right: Callable[[Any], bool] | None = None,
    kinds: frozenset[str] | None = None,
    seconds: float = SECONDS,
) -> list[dict[str, Any]]:
    """Entries of the atlas, [{"mistake", "because", "next", "parts": {part: fingerprint}}], for all mutants of ``sources``.

    sources   : reference answers to one exercise, in several ways of writing; the first one is the measure of what is wrong
    namespace : what a source may use; each is executed in a copy of it
    name      : of the function, class or other object that a source makes; a list when each source has its own
    run       : run(that object) -> {part: value per case}, float64 arrays or other plain data; text for a case in which the
                object raises, the same as zerohero.atlas.parts_of puts there. What run itself raises drops the mutant
    right     : tells whether an object is right although its values are not those of the first source, as another subgradient is
    kinds     : keep mutants of these kinds only
    seconds   : processor time for each mutant (in the main thread; elsewhere there is no limit)

    Raises ValueError when a source does not give the values of the first one: a mutant of a wrong answer has two mistakes.
    """
    names = [name] * len(sources) if isinstance(name, str) else list(name)
    reference = _run(sources[0], namespace, names[0], run, 60.0)[1]
    if isinstance(reference, BaseException):
        raise ValueError(f"the first source raises {type(reference).__name__}: {reference}")
    for place, source in enumerate(sources[1:], 2):
        made, values = _run(source, namespace, names[place - 1], run, 60.0)
        if isinstance(values, BaseException) or (differing(values, reference) and not (right and right(made))):
            raise ValueError(f"source {place} is not right: {values if isinstance(values, BaseException) else ', '.join(differing(values, reference))}")
    found: dict[tuple[str, str], dict[str, Any]] = {}
    gone: dict[tuple[int, int, str], bool] = {}
    strong: dict[tuple[str, str], bool] = {}
    places: list[tuple[tuple[str, str], tuple[int, int, str]]] = []
    for number, (source, made_as) in enumerate(zip(sources, names, strict=True)):
        for mutant in mutants(source):
            if kinds is None or mutant.kind in kinds:
                made, values = _run(mutant.source, namespace, made_as, run, seconds)
                for entry in [] if isinstance(values, BaseException) else entries_of(mutant, values, reference):
                    parts = repr(entry["parts"])
                    key, place = (mutant.kind, parts), (number, mutant.line, parts)
                    strong[key] = strong.get(key, False) or not mutant.weak
                    if key in found or not (right and _is_right(right, made, seconds)):
                        found.setdefault(key, entry)
                        places.append((key, place))
                        gone[place] = gone.get(place, False) or mutant.kind == "MISSING_PATH"
    # a term that comes to nothing because something in it is wrong is as good as not there: where leaving it out gives the same, that is the name
    kept = {key for key, place in places if key[0] in ("MISSING_PATH", "OVERWRITE") or not gone[place]}
    return told_apart([(entry, strong[key]) for key, entry in found.items() if key in kept])


def told_apart(entries: Sequence[tuple[dict[str, Any], bool]]) -> list[dict[str, Any]]:
    """Of entries with the same fingerprints those that explain them best; each is given with whether it says something by itself."""
    groups: dict[str, list[tuple[dict[str, Any], bool]]] = {}
    for entry, strong in entries:
        near = repr({part: (one["form"], [round(n, 5) for n in one["numbers"]]) for part, one in entry["parts"].items()})
        groups.setdefault(near, []).append((entry, strong))
    return [entry for group in groups.values() for entry in _best(group)]


def _best(group):
    kinds = {entry["mistake"] for entry, _ in group}
    if {"NO_UPSTREAM", "MISSING_PATH"} <= kinds:  # where it makes no difference what arrives, nothing is handed on
        return [entry for entry, _ in group if entry["mistake"] in ("MISSING_PATH", "OVERWRITE", "STATS_CONST")]
    return [entry for entry, strong in group if strong] or [entry for entry, _ in group]


def entries_of(mutant: Mutant, values: Values, reference: Values) -> list[dict[str, Any]]:
    """The entries of one mutant with these values: none when it is right, two or more when a gradient of the wrong shape could be made to fit."""
    made = []
    for fitted in (values, *_fitted(values, reference)):
        wrong = differing(fitted, reference)
        if not wrong or not _fair(mutant.kind, [(v, r) for part in wrong for v, r in zip(fitted[part], reference[part], strict=True)]):
            continue
        parts = {part: fingerprint(fitted[part]) for part in wrong}
        made.append({"mistake": mutant.kind, "because": mutant.because + _where(wrong, reference), "next": "", "parts": parts})
    return made


def differing(values: Values, reference: Values) -> list[str]:
    """The parts of ``values`` that are not those of ``reference``: further off than a right answer in float32 may be."""
    far = 2 * RTOL_SINGLE
    return [part for part in values if part not in reference or not same(fingerprint(values[part]), fingerprint(reference[part]), len(values[part]), far)]


def _where(wrong, reference):
    """Which gradient, when it is one of several."""
    if len(wrong) == 1 and len(reference) > 1 and wrong[0].startswith("d") and len(wrong[0]) > 1:
        return f" (in the gradient of `{wrong[0][1:]}`)"
    return ""


def _fair(kind, pairs):
    """Whether (value, right value) of the wrong parts can be what ``kind`` says: right numbers in another shape, a slope left out of numbers of the same shape."""
    arrays = [(v, r) for v, r in pairs if isinstance(v, np.ndarray) and isinstance(r, np.ndarray)]
    if not arrays and any(isinstance(r, np.ndarray) for _, r in pairs):
        return False  # it raised in every case
    if kind == "SHAPE":
        return all(v.size == r.size and np.allclose(v.ravel(), r.ravel(), equal_nan=True) for v, r in arrays)
    return kind != "DROPPED_LOCAL" or all(v.shape == r.shape for v, r in arrays)


def _fitted(values, reference):
    """The values with each array of the wrong shape made to fit, in the ways students do: repeated or cut, and spread."""
    for fit in (np.resize, np.broadcast_to):
        with contextlib.suppress(ValueError, IndexError):
            made = {p: [_fit(v, r, fit) for v, r in zip(given, reference[p], strict=True)] for p, given in values.items() if p in reference}
            if any(v is not w for p, given in values.items() if p in made for v, w in zip(given, made[p], strict=True)):
                yield {**values, **made}


def _fit(value, reference, fit):
    if isinstance(value, np.ndarray) and isinstance(reference, np.ndarray) and value.shape != reference.shape:
        return np.array(fit(value, reference.shape))
    return value


# ---------------------------------------------------------------- running


class TooSlow(KeyboardInterrupt):
    """A mutant took its time. As Ctrl-C, it is caught neither by an answer's `except Exception` nor by a probe."""


def _run(source, namespace, name, run, seconds):
    """(the object, {part: value per case}), or (None, what was raised)."""
    try:
        with limited(seconds):
            names = {**namespace, "__name__": "__answer__"}
            exec(compile(source, "<answer>", "exec"), names)
            return names[name], run(names[name])
    except (Exception, TooSlow, SystemExit, GeneratorExit) as error:
        return None, error


def _is_right(right, made, seconds):
    try:
        with limited(seconds):
            return right(made)
    except (Exception, TooSlow, SystemExit, GeneratorExit):
        return False


@contextlib.contextmanager
def limited(seconds: float):
    """At most ``seconds`` of processor time, nothing printed, no warnings. Raises TooSlow."""
    main = threading.current_thread() is threading.main_thread()

    def stop(*_):
        raise TooSlow

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        before = signal.signal(signal.SIGVTALRM, stop) if main else None
        if main:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.05)  # again and again: a bare except of the answer may swallow the first
        try:
            yield
        finally:
            if main:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                signal.signal(signal.SIGVTALRM, before)
