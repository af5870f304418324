"""m05: what two loss curves say, and a search for good settings."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..dice import Dice
from ..exercise import Case, Exercise, describe
from ..gradcheck.protocol import copied, same
from ..plaindata import to_plain
from ..report import Finding
from .kinds import function_exercise

# ---------------------------------------------------------------- the gap between train and dev

LEAK, STUCK, OVER, UNDER, GOOD = "leak", "not learning", "overfits", "underfits", "good"
GAP, BACK, LITTLE = 0.2, 0.05, 0.1


def verdict(train: list[float], dev: list[float], start: float, target: float, variant: str = "") -> str:
    """The first of the five names whose condition holds; ``variant`` makes one known mistake."""
    last_train, last_dev = (train[0], dev[0]) if variant == "first" else (train[-1], dev[-1])
    gap = last_train - last_dev if variant == "gap turned round" else last_dev - last_train
    risen = 0.0 if variant == "end only" else last_dev - min(dev)
    conditions = [
        (LEAK, last_dev < 0.5 * target),
        (STUCK, last_train > start - LITTLE),
        (OVER, gap > GAP or risen > BACK),
        (UNDER, last_dev > target),
        (GOOD, True),
    ]
    if variant == "underfits first":
        conditions[2:4] = conditions[3:1:-1]
    if variant == "no leak":
        conditions = conditions[1:]
    return next(name for name, holds in conditions if holds)


VERDICTS = {
    "underfits first": ("INDEXING", "the order of the questions matters: a network that overfits misses the target too, and is to be told so"),
    "gap turned round": ("SIGN_FLIP", "the gap is dev minus train, not train minus dev"),
    "first": ("INDEXING", "the verdict is about the end of the training; yours looks at its start"),
    "end only": ("MISSING_PATH", "a dev loss that was lower before and has risen again is not noticed"),
    "no leak": ("MISSING_PATH", "a dev loss that is too good to be true is not noticed"),
}


def curves(rng: np.random.RandomState, end_train: float, end_dev: float, low: float = 9.0) -> tuple[list[float], list[float]]:
    """Two curves of 8 points from 3.3 to these ends; the dev curve comes down to ``low`` before its end when that is below it."""
    fall = np.exp(-np.arange(8) * rng.uniform(0.7, 1.0))
    fall = (fall - fall[-1]) / (1 - fall[-1])
    train, dev = end_train + (3.3 - end_train) * fall, end_dev + (3.3 - end_dev) * fall
    if low < end_dev:
        dev[:6] = low + (3.3 - low) * fall[:6] / fall[0]
        dev[5] = low
    return np.round(train, 3).tolist(), np.round(dev, 3).tolist()


def reading_cases(rng: np.random.RandomState) -> list[Case]:
    """Each verdict with ends well to one side of every limit, and each limit from both sides."""
    target, start = 2.2, 3.296

    def case(group, train, dev, low=9.0):
        a, b = curves(rng, train, dev, low)
        return Case(group, {"train": a, "dev": b, "start": start, "target": target})

    def u(low, high):
        return float(rng.uniform(low, high))

    cases = [case("underfits or good", u(2.3, 2.4), u(2.41, 2.48)), case("underfits or good", u(2.05, 2.1), u(2.12, 2.18))]
    cases += [case("underfits or good", u(2.1, 2.14), 2.19), case("underfits or good", u(2.1, 2.14), 2.21)]
    cases += [case("overfits", u(1.2, 1.5), u(2.3, 2.6)), case("overfits", u(1.7, 1.8), u(2.08, 2.15)), case("overfits", u(2.15, 2.2), u(2.33, 2.34), 2.25)]
    cases += [case("overfits", 2.02, 2.24), case("overfits", 2.06, 2.24)]  # gaps of 0.22 and 0.18
    cases += [case("overfits", u(2.1, 2.12), 2.18, 2.15)]  # has risen by 0.03 only: good
    cases += [case("not learning", u(3.25, 3.35), u(3.25, 3.4)), case("not learning", u(3.0, 3.1), u(3.1, 3.2))]
    cases += [case("too good to be true", u(0.02, 0.3), u(0.05, 0.4)), case("too good to be true", u(0.9, 1.0), u(1.0, 1.08))]
    return [*cases, case("too good to be true", u(1.0, 1.05), u(1.12, 1.16))]


def _name_verdict(cases, outputs):
    rows = [(case.inputs, output["value"]["value"]) for case, output in zip(cases, outputs, strict=True) if output["status"] == "ok"]
    for variant, mistake in VERDICTS.items():
        if len(rows) == len(cases) and all(verdict(**inputs, variant=variant) == given for inputs, given in rows):
            return mistake
    return None


gap_reading = function_exercise(
    "m05-gap-reading",
    "What two curves say",
    "read_gap(train, dev, start, target)",
    cases=reading_cases,
    truth=lambda i: verdict(**i),
    result="verdict",
    hints=(
        "Five questions, asked one after the other, and the first yes is the verdict. All but one of them look at the last value of each curve.",
        "Too good to be true? Not learning at all? A gap between dev and train, or a dev loss that has risen from its lowest? Then: is the target reached?",
        "Five lines of the form: if CONDITION: return NAME, the last one without a condition. dev[-1] is the last value, min(dev) the lowest.",
    ),
    name=_name_verdict,
)  # fmt: skip


# ---------------------------------------------------------------- random search


def _valley(values, inputs):
    """A loss with one valley, in the logarithm of every setting; values : one number per range, in order."""
    ranges, best = inputs["ranges"], inputs["best"]
    return float(sum(abs(np.log(v / best[key]) / np.log(high / low)) for v, (key, (low, high)) in zip(values, ranges.items(), strict=True)))


def _probe_search(search, inputs):
    ranges = {key: tuple(pair) for key, pair in inputs["ranges"].items()}
    handed, asked = copied(ranges), []

    def loss(settings):
        asked.append([float(settings[key]) for key in ranges])
        return _valley(asked[-1], inputs)

    value = to_plain(search(loss, handed, inputs["tries"], Dice(inputs["seed"])))
    return {"value": value, "asked": np.array(asked).reshape(len(asked), len(ranges)), "changed": not same(handed, ranges)}


def _judge_search(case, seen):
    i, where = case.inputs, describe({key: case.inputs[key] for key in ("ranges", "tries")})
    if seen["changed"]:
        return [Finding("`ranges` was changed by the call", where=where, mistake="MUTATES", next="work on a copy; never write into an argument")]
    asked, (low, high) = np.asarray(seen["asked"], dtype=np.float64), np.array(list(i["ranges"].values())).T
    if asked.shape != (i["tries"], len(low)):
        return [Finding("the loss was asked for another number of times", where=where, expected=f"{i['tries']} calls of loss", actual=f"{len(asked)} calls")]
    if not ((asked >= low * (1 - 1e-9)) & (asked <= high * (1 + 1e-9))).all():
        return [Finding("a setting lies outside its range", where=where, next="low * (high / low) ** u lies between low and high for u between 0 and 1")]
    if case.group == "spread":
        return _judge_spread(list(i["ranges"]), np.log(asked / low) / np.log(high / low), where)
    return _judge_best(list(i["ranges"]), asked, [_valley(row, i) for row in asked], seen["value"], where)


def _judge_best(keys, asked, losses, value, where):
    if value is None:
        return [Finding("nothing came back", where=where, expected="(settings, loss) of the best try", next="is there a `return` on every path?")]
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], dict):
        return [Finding("the result is not (settings, loss)", where=where, expected="a dict and a number", actual=describe(value))]
    settings = [value[0].get(key) for key in keys]
    if not all(isinstance(one, (int, float)) for one in settings):
        return [Finding("the settings do not hold a number for each range", where=where, expected=f"keys {', '.join(keys)}", actual=describe(value[0]))]
    best = int(np.argmin(losses))
    if not np.allclose(settings, asked[best], rtol=1e-9, atol=0):
        found = Finding(
            "the settings are not those of the lowest loss", where=where, expected=describe(asked[best]), actual=describe(np.array(settings, float))
        )
        if np.allclose(settings, asked[int(np.argmax(losses))], rtol=1e-9, atol=0):
            found = replace(found, mistake="SIGN_FLIP", because="what comes back is the try with the highest loss; the lowest is the best")
        elif np.allclose(settings, asked[-1], rtol=1e-9, atol=0):
            found = replace(found, mistake="INDEXING", because="what comes back is the last try, not the best one")
        return [found]
    if not isinstance(value[1], (int, float)) or not np.isclose(value[1], losses[best], rtol=1e-9, atol=0):
        return [Finding("the loss is not that of the best settings", where=where, expected=describe(losses[best]), actual=describe(value[1]))]
    return []


SHARE = (0.2, 0.47)
"""Of 300 even draws a third of the range gets 100 on average; these shares are 5 standard deviations away."""


def _judge_spread(keys, shares, where):
    """shares (tries, settings): 0 where a setting is the low end of its range, 1 where it is the high end, in powers."""
    for k, key in enumerate(keys):
        if len(np.unique(np.round(shares[:, k], 9))) < 0.9 * len(shares):
            because = "few values are tried again and again, as on a grid; a random search tries a new value of every setting each time"
            return [
                Finding(
                    f"`{key}` takes the same values again and again",
                    where=where,
                    mistake="FORMULA",
                    because=because,
                    next="draw every setting anew in every try",
                )
            ]
    for k in range(1, len(keys)):
        if np.corrcoef(shares[:, 0], shares[:, k])[0, 1] > 0.999:
            because = "one random number is used for several settings"
            return [
                Finding(
                    f"`{keys[0]}` and `{keys[k]}` always move together",
                    where=where,
                    mistake="DOUBLE_COUNT",
                    because=because,
                    next="draw a number for each setting",
                )
            ]
    for k, key in enumerate(keys):
        thirds = np.bincount(np.clip((3 * shares[:, k]).astype(int), 0, 2), minlength=3) / len(shares)
        if not ((thirds > SHARE[0]) & (thirds < SHARE[1])).all():
            what = f"`{key}` is not spread evenly over its powers of ten"
            found = Finding(what, where=where, expected="a third of the tries in each third of the powers", actual=", ".join(f"{one:.0%}" for one in thirds))
            if thirds[2] > 0.8:
                because = "the settings are drawn evenly between low and high, so that nearly all are large"
                found = replace(found, mistake="FORMULA", because=because, next="draw the exponent: low * (high / low) ** u")
            return [found]
    return []


def search_case(group: str, rng: np.random.RandomState, tries: int, keys: tuple[str, ...]) -> Case:
    ranges: dict[str, Any] = {}
    best: dict[str, float] = {}
    for key in keys:
        low = float(10.0 ** rng.randint(-4, 0))
        ranges[key] = [low, low * 10.0 ** int(rng.randint(3, 5))]
        best[key] = float(np.round(low * (ranges[key][1] / low) ** rng.uniform(0.2, 0.8), 6))
    return Case(group, {"ranges": ranges, "tries": tries, "seed": int(rng.randint(1000)), "best": best})


random_search = Exercise(
    "m05-random-search",
    "Random search",
    "random_search(loss, ranges, tries, dice)",
    lambda rng: [
        search_case("the best of all", rng, 7, ("rate",)),
        search_case("the best of all", rng, 12, ("rate", "hidden")),
        search_case("the best of all", rng, 1, ("rate", "hidden")),
        search_case("spread", rng, 300, ("rate", "scale")),
    ],
    _probe_search,
    _judge_search,
    (
        "Try settings drawn at random, keep the best. 0.001 and 0.01 differ as much as 0.1 and 1 do, so it is the power of ten that is to be drawn evenly.",
        "u = dice.uniform() is even between 0 and 1; low * (high / low) ** u is low for u = 0, high for u = 1, and even in powers of ten in between. A u for each setting.",
        "For each try: a new dict with a number for every name in ranges, its loss, and a comparison with the lowest loss so far. Return the best dict and its loss.",
    ),
)  # fmt: skip
