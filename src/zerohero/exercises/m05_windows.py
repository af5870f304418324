"""m05: from names to windows of letters, and what follows each of them."""

from dataclasses import replace

import numpy as np

from ..exercise import Case, Exercise, describe
from ..gradcheck import difference, protocol_findings
from ..report import Finding
from .kinds import function_exercise

LETTERS = ".abcdefghijklmnopqrstuvwxyz"


def windows(names: list[str], context: int, variant: str = "") -> tuple[np.ndarray, np.ndarray]:
    """(X (N, context), Y (N,)) int64, cut out of one long text; ``variant`` makes one known mistake."""
    rows: list[list[int]] = []
    last: list[int] = []
    dots = context * [0]
    before = dots
    for name in names:
        padded = (before if variant == "runs on" else dots) + [LETTERS.index(letter) for letter in name]
        padded += [] if variant == "no end" else [0]
        before = padded[-context:]
        shift = 1 if variant == "sees the target" else 0
        for end in range(context, len(padded)):
            window = padded[end - context + shift : end + shift]
            rows.append(window[::-1] if variant == "newest first" else window)
            last.append(padded[end])
    return np.array(rows, dtype=np.int64).reshape(-1, context), np.array(last, dtype=np.int64)


VARIANTS = {
    "sees the target": ("INDEXING", "the last letter of each window is the very letter that is to be predicted"),
    "runs on": ("INDEXING", "the first windows of a name hold letters of the name before; each name starts from a window of dots"),
    "no end": ("MISSING_PATH", "the dot after the last letter is never predicted, so no name would ever end"),
    "newest first": ("INDEXING", "the windows are read backwards: the newest letter stands first"),
}


def windows_case(group: str, names: list[str], context: int) -> Case:
    return Case(group, {"names": names, "context": context})


def made_up(rng: np.random.RandomState, sizes: tuple[int, ...]) -> list[str]:
    """Names of these lengths that nobody has, no letter of which is like its neighbour."""
    return ["".join(LETTERS[1 + int(k)] for k in rng.permutation(26)[:size]) for size in sizes]


def _judge(case, seen):
    where = describe(case.inputs)
    found = protocol_findings(seen, where, list(case.inputs))
    if found:
        return found
    value = seen["value"]
    if value is None or not isinstance(value, list) or len(value) != 2:
        return [difference("result", [0.0, 0.0], value, where=where) or Finding("the result is not (X, Y)", where=where)]
    for name, true, given in zip("XY", windows(**case.inputs), value, strict=True):
        one = difference(name, true, given, where=where)
        if one:
            return [one]
        if np.asarray(given).dtype.kind not in "iu":
            return [
                Finding(
                    f"`{name}` holds floats; numbers that pick rows must be ints",
                    where=where,
                    expected="int64",
                    actual=str(np.asarray(given).dtype),
                    mistake="DTYPE",
                )
            ]
    return []


def _name(cases, outputs):
    rows = [(case.inputs, output["value"]["value"]) for case, output in zip(cases, outputs, strict=True) if output["status"] == "ok"]
    for variant, mistake in VARIANTS.items():
        if len(rows) == len(cases) and all(difference("", list(windows(**inputs, variant=variant)), given) is None for inputs, given in rows):
            return mistake
    return None


build_dataset: Exercise = replace(
    function_exercise(
        "m05-build-dataset",
        "Windows of letters and what follows",
        "build_dataset(names, context)",
        cases=lambda rng: [
            windows_case("three letters", ["emma"], 3),
            windows_case("three letters", ["emma", "ava", "li"], 3),
            windows_case("other lengths", ["olivia", "bo"], 2),
            windows_case("other lengths", ["zoe", "abigail"], 5),
            windows_case("other lengths", ["ida", "max"], 1),
            windows_case("names shorter than the window", ["jo", "al"], 4),
        ],
        hints=(
            "Slide a window along the name: it starts with dots only, and in each step the oldest letter leaves on the left and the newest comes in on the right.",
            "One row per letter, and one more for the dot that ends the name. Write down the window first, then move it: else the answer is in the question.",
            "For each name, begin with a list of context zeros. For each letter of the name, and for the dot: append the window and the letter's number; then a new window, all but the oldest and the newest behind.",
        ),
    ),
    judge=_judge,
    name=_name,
)  # fmt: skip
