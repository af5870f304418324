"""m05: names from a network, with dice of our own, so that a seed gives the same names on every machine."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..dice import Dice
from ..exercise import Case, Exercise, describe
from ..gradcheck import difference
from ..plaindata import to_plain
from ..report import Finding
from .m05_windows import LETTERS

LONGEST = 30
"""A name is cut off here, in the lesson and in the check: a network that has learnt nothing may not end one for long."""


def _table(inputs: Mapping[str, Any]) -> np.ndarray:
    """(97, 27) probabilities: a stand-in for a network. A row for each value of a hash of the window."""
    rows = np.random.RandomState(inputs["model"]).dirichlet(np.full(27, 0.3), size=97)
    rows[:, 0] = 0.0
    rows *= (1 - inputs["ends"]) / rows.sum(axis=1, keepdims=True)
    rows[:, 0] = inputs["ends"]
    return rows


def _row(window: list[int]) -> int:
    """A number that changes when any letter of the window does, or two change places."""
    return sum(int(number) * 31**place for place, number in enumerate(window)) % 97


def walk(inputs: Mapping[str, Any], variant: str = "") -> list[str]:
    """The names that the dice and the table give; ``variant`` makes one known mistake."""
    table, dice, made = _table(inputs), Dice(inputs["seed"]), []
    context = inputs["context"]
    history: list[int] = []
    for _ in range(inputs["count"]):
        if variant == "same dice":
            dice = Dice(inputs["seed"])
        history = history if variant == "runs on" else []
        name: list[int] = []
        while len(name) < LONGEST:
            window = (context * [0] + ([] if variant == "stands still" else history))[-context:]
            row = table[_row(window[::-1] if variant == "newest first" else window)]
            number = int(np.argmax(row)) if variant == "most likely" else dice.choice(row.tolist())
            history.append(number)
            if number == 0:
                break
            name.append(number)
        made.append("".join(LETTERS[number] for number in name) + ("." if variant == "with the dot" and len(name) < LONGEST else ""))
    return made


VARIANTS = {
    "stands still": ("MISSING_PATH", "the window never moves: every letter is drawn as if it were the first"),
    "most likely": ("FORMULA", "the most likely letter is taken each time; it is to be drawn, with its probability"),
    "with the dot": ("INDEXING", "the dot is part of your names; it ends a name and does not belong to it"),
    "runs on": ("INDEXING", "a name starts from the window in which the one before ended; each starts from dots"),
    "newest first": ("INDEXING", "the window is the wrong way round: the newest letter stands last"),
}


def sample_case(group: str, rng: np.random.RandomState, context: int, count: int, ends: float) -> Case:
    return Case(group, {"model": int(rng.randint(10_000)), "seed": int(rng.randint(10_000)), "context": context, "count": count, "ends": ends})


def _probe(function, inputs):
    table, context = _table(inputs), inputs["context"]

    def probabilities(window):
        numbers = np.asarray(window).ravel().tolist()
        if len(numbers) != context:
            raise ValueError(f"probabilities() was handed a window of {len(numbers)} numbers; it is to have {context}")
        return table[_row(numbers)].copy()

    return {key: to_plain(function(probabilities, context, inputs["count"], Dice(inputs["seed"]))) for key in ("names", "again")}


def _judge(case, seen):
    i = case.inputs
    where = describe({key: i[key] for key in ("context", "count", "seed")})
    wanted = walk(i)
    found = difference("names", wanted, seen["names"], where=where)
    if found:
        return [found]
    if seen["again"] != seen["names"]:
        return [
            Finding("the same dice give other names", where=where, mistake="STATE_LEAK", next="every random number is to come from the dice that are handed in")
        ]
    return []


def _name(cases, outputs):
    rows = [(case.inputs, output["value"]["names"]) for case, output in zip(cases, outputs, strict=True) if output["status"] == "ok"]
    for variant, mistake in VARIANTS.items():
        if len(rows) == len(cases) and all(walk(inputs, variant) == given for inputs, given in rows):
            return mistake
    return None


sample_names: Exercise = Exercise(
    "m05-sample-names",
    "Names nobody has",
    "sample_names(probabilities, context, count, dice)",
    lambda rng: [
        sample_case("one name", rng, 3, 1, 0.1),
        sample_case("one name", rng, 2, 1, 0.2),
        sample_case("several names", rng, 3, 5, 0.15),
        sample_case("several names", rng, 4, 3, 0.2),
        sample_case("names that do not end", rng, 3, 2, 0.0),
    ],
    _probe,
    _judge,
    (
        "It is the walk of build_dataset, with dice in place of the next letter: the window starts with dots and moves by one after every letter.",
        "probabilities(window) gives 27 numbers, dice.choice of them the number of the next letter. 0 is the dot and ends the name; 30 letters end it too.",
        "As long as the name has fewer than 30 letters: draw; stop at 0; else add the letter and move the window on by it. A new window of zeros for each name, the same dice for all.",
    ),
    _name,
)  # fmt: skip
