"""m04, models that are counted: the alphabet, pairs, probabilities, samples, their score, and how names are held back.

Truth is the same quantity found in another way: pairs from one long text, logarithms added one by one, a draw looked up in
a cumulated table. Of a split, what is judged is what it must have: sizes, each name once, an order that the dice decide.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..dice import Dice
from ..exercise import Case, Exercise, Finding, describe
from ..gradcheck import observe, protocol_findings
from .kinds import function_exercise

LATIN = "abcdefghijklmnopqrstuvwxyz"
ACCURATE = {"rtol": 1e-9, "atol": 1e-12}


def made_up_names(rng: np.random.RandomState, n: int, letters: str = LATIN, longest: int = 6) -> list[str]:
    """n different strings of 1 to ``longest`` of the letters, in no order."""
    names: dict[str, None] = {}
    while len(names) < n:
        names["".join(letters[i] for i in rng.randint(0, len(letters), rng.randint(1, longest + 1)))] = None
    return list(names)


def symbols_of(names: Sequence[str]) -> list[str]:
    """The boundary, then each letter that occurs, in the order of their code points."""
    return [".", *map(chr, sorted({ord(letter) for name in names for letter in name}))]


def numbers_of(names: Sequence[str]) -> dict[str, int]:
    return dict(zip(symbols_of(names), range(10_000), strict=False))


def insist_on_array(exercise: Exercise, *, whole: bool = False) -> Exercise:
    """The same exercise, whose answer must be an array: of numbers that count exactly (``whole``), or of float64."""

    def judge(case, seen):
        value, where = seen["value"], describe(case.inputs)
        found = protocol_findings(seen, where, list(case.inputs))
        if found:
            return found
        if isinstance(value, list):
            return [Finding("the result is a list, not an array", where=where, actual=describe(value), next="make it an array: np.array(...)")]
        if isinstance(value, np.ndarray) and not whole and value.dtype != np.float64:
            return [Finding(f"the result is {value.dtype}, not float64", where=where, expected="float64", actual=str(value.dtype), mistake="DTYPE")]
        return inner(case, seen)

    inner = exercise.judge
    return replace(exercise, judge=judge)


# ---------------------------------------------------------------- the alphabet


def designed_alphabets(rng: np.random.RandomState) -> list[Case]:
    few = "".join(rng.permutation(list(LATIN))[:9])
    return [
        Case("some letters", {"names": made_up_names(rng, 7, few)}),
        Case("some letters", {"names": made_up_names(rng, 12, few[:4])}),
        Case("one name", {"names": made_up_names(rng, 1, few, 9)}),
        Case("other alphabets", {"names": made_up_names(rng, 9, "zéöAßk7ł")}),
    ]


vocab = function_exercise(
    "m04-vocab",
    "The symbols and their numbers",
    "build_vocab(names)",
    cases=lambda rng: [Case("some letters", {"names": ["emma", "ava"]}), Case("one name", {"names": ["bob"]}), *designed_alphabets(rng)],
    truth=lambda i: [symbols_of(i["names"]), numbers_of(i["names"])],
    result="(chars, index)",
    hints=(
        "Two tables that undo each other: chars[3] is the symbol with number 3, and index[that symbol] is 3 again.",
        "set() of all names joined into one text holds each letter once, in no fixed order; sorted() makes the order fixed. The boundary goes in front.",
        "chars is a list: the dot, then the sorted letters. index is a dict made with enumerate(chars), symbol first, number second.",
    ),
)


# ---------------------------------------------------------------- pairs


def pairs_of(names: Sequence[str]) -> Counter:
    """How often each pair of neighbours stands in the names, boundaries included. Counted in one text, in which a name ends where the next begins."""
    return Counter(pairwise(f".{'.'.join(names)}."))


def _count_table(inputs):
    index = inputs["index"]
    table = np.zeros((len(index), len(index)))
    for (first, second), times in pairs_of(inputs["names"]).items():
        table[index[first], index[second]] = times
    return table


def _count_case(group, names, index=None):
    return Case(group, {"names": names, "index": index or numbers_of(names)})


def designed_pairs(rng: np.random.RandomState) -> list[Case]:
    few = "".join(rng.permutation(list(LATIN))[:5])
    wide = {".": 0} | {letter: i for i, letter in enumerate(LATIN, start=1)}
    often = made_up_names(rng, 2, few, 3)
    return [
        _count_case("values", made_up_names(rng, 9, few)),
        _count_case("values", made_up_names(rng, 5, few[:2])),
        _count_case("27 symbols", made_up_names(rng, 11), wide),
        _count_case("many names", often * 300),
        _count_case("repeated letters", [few[0] * 5, few[1] * 2 + few[0] * 3]),
    ]


count_bigrams = insist_on_array(
    function_exercise(
        "m04-count-bigrams",
        "How often each symbol follows each",
        "count_bigrams(names, index)",
        cases=lambda rng: [_count_case("values", ["emma", "ava"]), *designed_pairs(rng)],
        truth=_count_table,
        result="counts",
        hints=(
            "A name of four letters has five pairs: the boundary and the first letter, three pairs of letters, the last letter and the boundary.",
            "Put a dot in front of the name and one behind it. zip(text, text[1:]) then gives all pairs of neighbours.",
            "Start from np.zeros((V, V), dtype=np.int64). For each pair, index gives the row of its first symbol and the column of its second; add one there.",
        ),
    ),
    whole=True,
)


# ---------------------------------------------------------------- the score of a table


def table_case(group: str, rng: np.random.RandomState, rows: int, columns: int, *, unseen: bool = False, impossible: bool = False) -> Case:
    """A table of probabilities and what was counted; ``unseen``: pairs of probability 0 that never occurred, ``impossible``: one that did."""
    weights = rng.randint(1, 40, (rows, columns)).astype(np.float64)
    counts = rng.randint(1, 60, (rows, columns))
    if unseen or impossible:
        zeros = rng.permutation(rows * columns)[: max(2, rows * columns // 4)]
        zeros = zeros[zeros % columns != 0]  # each row keeps its first symbol
        weights.ravel()[zeros] = 0
        counts.ravel()[zeros] = 0
        if impossible:
            counts.ravel()[zeros[0]] = 3
    return Case(group, {"P": weights / weights.sum(axis=1, keepdims=True), "counts": counts})


def _surprise(inputs):
    """Nats per symbol, added up pair by pair."""
    terms = []
    for probability, times in zip(inputs["P"].ravel().tolist(), inputs["counts"].ravel().tolist(), strict=True):
        if times:
            terms.append(times * (math.inf if probability == 0 else math.log(1 / probability)))
    return math.fsum(terms) / int(inputs["counts"].sum())


nll = function_exercise(
    "m04-nll",
    "Mean negative log-likelihood",
    "nll(P, counts)",
    cases=lambda rng: [
        Case("values", {"P": np.array([[0.5, 0.5], [0.25, 0.75]]), "counts": np.array([[2, 2], [1, 3]])}),
        *designed_scores(rng),
    ],
    truth=_surprise,
    result="nll",
    **ACCURATE,
    hints=(
        "Each pair that was seen costs -log of the probability the table gives it. A pair that was seen 40 times costs that 40 times.",
        "The mean over everything that was seen: the sum of counts * -log(P), over the sum of counts. np.log is the natural logarithm.",
        "0 * log(0) is nan in NumPy. So first pick the cells that were seen, counts > 0, from both arrays, and compute with these only.",
    ),
)


def designed_scores(rng: np.random.RandomState) -> list[Case]:
    return [
        table_case("values", rng, 3, 3),
        table_case("values", rng, 7, 7),
        table_case("more rows than columns", rng, 11, 5),
        table_case("pairs never seen", rng, 5, 5, unseen=True),
        table_case("pairs never seen", rng, 7, 3, unseen=True),
        table_case("an impossible pair", rng, 5, 5, impossible=True),
    ]


# ---------------------------------------------------------------- probabilities


def designed_counts(rng: np.random.RandomState, extra: Callable[[], Mapping[str, Any]] = dict) -> list[Case]:
    """Tables of counts, each row with something in it; ``extra`` gives further inputs."""

    def table(rows, columns, most):
        counts = rng.randint(0, most, (rows, columns))
        counts[np.arange(rows), rng.randint(0, columns, rows)] += 1
        return counts

    return [
        Case("values", {"counts": table(3, 3, 9), **extra()}),
        Case("values", {"counts": table(7, 7, 400), **extra()}),
        Case("more rows than columns", {"counts": table(11, 5, 20), **extra()}),
        Case("one row", {"counts": table(1, 5, 9), **extra()}),
    ]


def _shares(inputs):
    """Row by row, each number over the sum of its row."""
    k = inputs.get("k", 0)
    return np.array([[(n + k) / math.fsum([*row, k * len(row)]) for n in row] for row in inputs["counts"].tolist()])


normalise = insist_on_array(
    function_exercise(
        "m04-normalise",
        "Rows that sum to 1",
        "normalise(counts)",
        cases=lambda rng: [Case("values", {"counts": np.array([[1, 3], [2, 2]])}), *designed_counts(rng)],
        truth=_shares,
        result="P",
        **ACCURATE,
        hints=(
            "Every number of row i is to be divided by the sum of row i. Which axis has to vanish in that sum?",
            "NumPy lines shapes up from the right: sums of shape (R,) are taken for a row, one number a column. Sums of shape (R, 1) are one number a row.",
            "counts.sum(axis=1, keepdims=True) has shape (R, 1). Print it beside counts, for a table of two rows, before you divide.",
        ),
    )
)


# ---------------------------------------------------------------- sampling

DRAWS = 6  # names in a row from the same dice


def _sampled_names(function):
    def several(P, chars, seed):
        dice = Dice(seed)
        return [function(P, chars, dice) for _ in range(DRAWS)]

    return several


def _walks(inputs):
    """The names that these dice give: each number is looked up in the cumulated rows."""
    dice, chars = Dice(inputs["seed"]), inputs["chars"]
    ladders = np.cumsum(inputs["P"], axis=1)
    names = []
    for _ in range(DRAWS):
        place, name = 0, ""
        while True:
            place = int(np.searchsorted(ladders[place], dice.uniform(), side="right"))
            if place == 0:
                break
            name += chars[place]
        names.append(name)
    return names


def walk_case(group: str, rng: np.random.RandomState, n: int, end: float = 0.3, sure: bool = False) -> Case:
    """A chain of n symbols; ``end``: the probability of the boundary after each; ``sure``: most steps are certain."""
    weights = np.where(rng.rand(n, n) < 0.25, 0, rng.uniform(0.2, 3.0, (n, n)))
    weights[0, 0], weights[:, 1] = 0, weights[:, 1] + 0.2
    if sure:
        order = rng.permutation(np.arange(1, n))
        weights = np.zeros((n, n))
        weights[0, order[0]] = 1
        weights[order[:-1], order[1:]] = 1
        weights[order[-1], [0, order[0]]] = 1
    else:
        weights[1:, 0] = 0
        weights[1:, 0] = weights[1:].sum(axis=1) * end / (1 - end)
    chars = [".", *sorted(rng.permutation(list(LATIN))[: n - 1].tolist())]
    return Case(group, {"P": weights / weights.sum(axis=1, keepdims=True), "chars": chars, "seed": int(rng.randint(1, 10_000))})


def designed_walks(rng: np.random.RandomState) -> list[Case]:
    return [
        walk_case("names", rng, 4),
        walk_case("names", rng, 11),
        walk_case("names", rng, 27),
        walk_case("certain steps", rng, 7, sure=True),
        walk_case("long names", rng, 5, end=0.002),
    ]


sample = function_exercise(
    "m04-sample",
    "A name, letter by letter",
    "sample_name(P, chars, dice)",
    cases=designed_walks,
    truth=_walks,
    result="names",
    hints=(
        "Start at the boundary, number 0. The row of the symbol you stand on says how likely each next one is; draw one, and stand on that.",
        "dice.choice(P[i]) draws the number of the next symbol. The name is over when that is 0; until then, chars[number] is its next letter.",
        "A loop that ends with a break: draw; if it is 0, stop; else append the letter to a list and go on from there. ''.join(list) makes the text.",
    ),
)
sample = replace(sample, probe=lambda function, inputs: observe(_sampled_names(function), inputs))


# ---------------------------------------------------------------- smoothing


def designed_smoothing(rng: np.random.RandomState) -> list[Case]:
    def smoothed(k, group=""):
        return [Case(group or case.group, {**case.inputs, "k": k}) for case in designed_counts(rng)]

    never = rng.randint(0, 5, (5, 5))
    never[2] = 0
    return [
        *smoothed(1),
        *smoothed(round(float(rng.uniform(0.1, 0.7)), 2), "other k")[:2],
        *smoothed(int(rng.randint(20, 90)), "other k")[:1],
        *smoothed(0, "k is 0")[:2],
        Case("a symbol never seen", {"counts": never, "k": 2}),
    ]


smooth = insist_on_array(
    function_exercise(
        "m04-smooth",
        "Counts plus k",
        "smooth(counts, k)",
        cases=lambda rng: [Case("values", {"counts": np.array([[0, 1, 3], [4, 0, 0]]), "k": 1}), *designed_smoothing(rng)],
        truth=_shares,
        result="P",
        **ACCURATE,
        hints=(
            "Act as if each pair had been seen k times more than it was. Everything after that is as before.",
            "First add k to every cell, then divide each row by its own new sum. The sum has grown by k for each column.",
            "You have written the division already: what has to be handed to normalise, so that it divides by the right sums?",
        ),
    )
)


# ---------------------------------------------------------------- three in a row


def _trigram_score(inputs):
    """Counts by the two symbols before, as text; the costs of all symbols of ``scored`` added up one by one."""
    pad, k, size = inputs.get("pad", ".."), inputs["k"], len(inputs["index"])
    seen: Counter = Counter()
    before: Counter = Counter()
    for name in inputs["names"]:
        for two, one in _threes(name, pad):
            seen[two, one] += 1
            before[two] += 1
    costs = [math.log((before[two] + k * size) / (seen[two, one] + k)) for name in inputs["scored"] for two, one in _threes(name, pad)]
    return math.fsum(costs) / len(costs)


def _threes(name, pad):
    text = f"{pad}{name}."
    return [(text[place - 2 : place], text[place]) for place in range(2, len(text))]


def trigram_case(group: str, rng: np.random.RandomState, n: int, k: float, *, others: int = 0, pad: str | None = None) -> Case:
    few = "".join(rng.permutation(list(LATIN))[:4])
    names = made_up_names(rng, n + others, few)
    given = {"names": names[:n], "scored": names[n:] if others else names, "index": numbers_of(names), "k": k}
    return Case(group, given | ({"pad": pad} if pad else {}))


def designed_trigrams(rng: np.random.RandomState) -> list[Case]:
    k = round(float(rng.uniform(0.1, 0.8)), 2)
    return [
        trigram_case("two dots", rng, 9, 1),
        trigram_case("two dots", rng, 21, k),
        trigram_case("no smoothing", rng, 15, 0),
        trigram_case("one dot", rng, 11, 1, pad="."),
        trigram_case("one dot", rng, 9, k, pad="."),
        trigram_case("other names are scored", rng, 15, k, others=9),
        trigram_case("other names are scored", rng, 5, 2, others=11),
    ]


trigram_nll = function_exercise(
    "m04-trigram-nll",
    "Two symbols of context",
    "trigram_nll(names, scored, index, k, pad)",
    cases=lambda rng: [
        Case("two dots", {"names": ["emma", "ava"], "scored": ["emma", "ava"], "index": numbers_of(["emma", "ava"]), "k": 1}),
        *designed_trigrams(rng),
    ],
    truth=_trigram_score,
    result="nll",
    **ACCURATE,
    hints=(
        "The same as before, with a longer look back: which symbol comes after these two? Each pair of symbols is one row of a table.",
        "For names and for scored: put pad in front of a name and a dot behind it, and take every three neighbours. Two say which row, the third which column.",
        "Two symbols with numbers i and j: row i * V + j of a table of V * V rows and V columns. Fill one such table from names and one from scored;"
        " smooth the first, and let nll hold it against the second.",
    ),
)


# ---------------------------------------------------------------- three parts


def split_case(group: str, rng: np.random.RandomState, n: int) -> Case:
    names = sorted(made_up_names(rng, n, LATIN, 9))
    return Case(group, {"names": names, "seed": int(rng.randint(1, 1000)), "other seed": int(rng.randint(1000, 2000))})


def designed_splits(rng: np.random.RandomState) -> list[Case]:
    return [
        split_case("sizes", rng, 10),
        split_case("sizes", rng, 29),
        split_case("sizes", rng, int(rng.choice([33, 37, 43, 47]))),
        split_case("each name in one part", rng, 61),
        split_case("each name in one part", rng, 100),
        split_case("the dice decide", rng, 300),
        split_case("the dice decide", rng, 211),
    ]


def _probe_split(function, inputs):
    def with_seed(seed):
        return lambda names: function(names, Dice(seed))

    seen = observe(with_seed(inputs["seed"]), {"names": inputs["names"]})
    return seen | {"other": observe(with_seed(inputs["other seed"]), {"names": inputs["names"]})["value"]}


def _judge_split(case, seen):
    names = case.inputs["names"]
    where = f"{len(names)} names, Dice({case.inputs['seed']})"
    found = protocol_findings(seen, where, ["names"]) or _split_form(seen["value"], where)
    if found:
        return found
    parts = seen["value"]
    judged = {"sizes": _sizes, "each name in one part": _once, "the dice decide": _mixed}[case.group]
    finding = judged(names, parts, seen["other"], where)
    return [finding] if finding else []


def _split_form(parts, where):
    expected = "three lists of names"
    if parts is None:
        return [Finding("the parts are missing: None came back", where=where, expected=expected, next="is there a `return` on every path?")]
    if not isinstance(parts, list) or len(parts) != 3 or not all(isinstance(p, list) and all(isinstance(name, str) for name in p) for p in parts):
        return [Finding("the result is not three lists of names", where=where, expected=expected, actual=describe(parts), next="return train, dev, test")]
    return []


def _sizes(names, parts, other, where):
    n = len(names)
    cuts = [8 * n // 10, 9 * n // 10]
    expected = [cuts[0], cuts[1] - cuts[0], n - cuts[1]]
    given = [len(part) for part in parts]
    if given == expected:
        return None
    lost = n - sum(given)
    step = f"{lost} of {n} names are in no part: let the last part take all that is left" if lost > 0 else "the cuts are at 8 * n // 10 and at 9 * n // 10"
    return Finding("the sizes of the parts are wrong", where=where, expected=f"{expected}", actual=f"{given}", next=step)


def _once(names, parts, other, where):
    together = Counter(name for part in parts for name in part)
    if together == Counter(names):
        return None
    twice = sorted(name for name, times in together.items() if times > 1)
    if twice:
        return Finding(
            "a name stands in two places", where=where, expected="each name once", actual=f"{len(twice)} names twice or more", mistake="DOUBLE_COUNT",
            because="parts overlap: what was learnt in one is then tested in another", next="let each part begin exactly where the one before ends",
        )  # fmt: skip
    return Finding(
        "names are missing", where=where, expected=f"{len(names)} names", actual=f"{sum(together[name] for name in names)} names", mistake="MISSING_PATH",
        because="some names are in no part at all", next="add the sizes of the three parts up: do they give the number of names?",
    )  # fmt: skip


def _mixed(names, parts, other, where):
    place = {name: i for i, name in enumerate(names)}
    for part in parts:
        places = sorted(place.get(name, -1) for name in part)
        if len(places) > 1 and places == list(range(places[0], places[0] + len(places))):
            return Finding(
                "a part is one stretch of the list", where=where, expected="names from everywhere", actual=f"all from {part[0]!r} on", mistake="INDEXING",
                because="the names are cut in the order they came in, which is that of the alphabet: dev and test hold only its end",
                next="shuffle first, then cut",
            )  # fmt: skip
    if other == parts:
        return Finding("other dice give the same parts", where=where, next="the order must come from the dice that are handed in, not from others")
    return None


split = Exercise(
    "m04-split",
    "Train, dev and test",
    "split(names, dice)",
    designed_splits,
    _probe_split,
    _judge_split,
    (
        "The names come sorted. A part must not be one end of the alphabet, so their order has to be left to the dice before anything is cut.",
        "dice.shuffled(names) is a new list. Cut it in two places: after 8 tenths, and after 9 tenths.",
        "With n names, the cuts are at 8 * n // 10 and 9 * n // 10. Three slices: up to the first cut, between the two, from the second to the end.",
    ),
)
