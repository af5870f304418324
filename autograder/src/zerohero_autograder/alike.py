"""Work of a class that is nearly the same, with the evidence for a person to judge. Nothing is run.

Most exercises have a few obvious answers, so that two right ones agree says little. What is compared is every fragment of FRAGMENT
tokens, with names, comments, docstrings, white space and the writing of numbers taken out of it, and without what the lesson gives or
solves. Where two agree in nearly all of an exercise, that counts by how few others in the class wrote the same: in bits, so that
it adds up over exercises, comments and mistakes. A pair is told when its bits are more than chance gives among all pairs of the class.

Fragments are looked up in an index, so that the time does not grow with the square of the class's code.
"""

import ast
import builtins
import keyword
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

FRAGMENT = 12
"""Tokens: two short lines."""
MOST_CHARACTERS, MOST_TOKENS = 200_000, 10_000
"""Of one student: what is behind is not compared. The solutions of a whole lesson have a third of it."""
ALIKE = 0.8
"""The share of an exercise, rare fragments counting more, from which two answers count as one."""
FEWEST = 8
"""Fragments that two must share in an exercise: shorter answers say nothing."""
CHUNK = 4000
LONG = 30
"""Fragments that hardly anybody else has, for one bit more: the longer the same rare text, the less it is chance."""
MOST_FOR_LENGTH = 12.0
MARGIN, MARGIN_OF_ALL = 6.0, 3.0
"""Bits beyond those of the most alike pair that chance gives in a class of this size; fewer where ALIKE of all their work is the same."""
SMALL_CLASS = 7
"""Below it the pairs are too few to say what is usual between two."""

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<string>[rbfuRBFU]{0,2}(?:\"\"\"(?:[^"\\]|\\.|"(?!\"\"))*(?:\"\"\")?|'''(?:[^'\\]|\\.|'(?!''))*(?:''')?|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))
      | (?P<number>\.?\d(?:[eE][+-]?\d|[\w.])*)
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
"""Tokens of any text, in linear time; what is no Python is cut up too."""


@dataclass(frozen=True)
class Work:
    """What one student wrote."""

    cells: Mapping[str, str]
    """{exercise id: code of the answer}, and under OWN the cells of their own, one behind the other."""
    mistakes: Mapping[str, str] = field(default_factory=dict)
    """{exercise id: what the report says is wrong}"""


OWN = "cells of their own"


@dataclass(frozen=True)
class SamePlace:
    """One exercise in which two students wrote nearly the same."""

    exercise: str
    left: str
    right: str
    others: int
    """How many others in the class share at least half of it."""


@dataclass(frozen=True)
class Group:
    """Students whose work is nearly the same, and what it looks like for the two that are most alike."""

    students: tuple[str, ...]
    pair: tuple[str, str]
    bits: float
    """How unlikely so much agreement is between two of this class, as a number of coin tosses."""
    share: float
    """Which part of the smaller of the two works the other one has too, rare fragments counting more."""
    places: tuple[SamePlace, ...]
    """The places that say most come first."""
    also: tuple[str, ...]
    """Further evidence, one sentence each: comments, names, mistakes."""

    @property
    def evidence(self) -> str:
        """One line."""
        names = ", ".join(place.exercise for place in self.places[:6])
        more = f" and {len(self.places) - 6} more" if len(self.places) > 6 else ""
        return "; ".join([*[f"the same in {names}{more}"] * bool(self.places), *self.also[:4]])


def near_identical(works: Mapping[str, Work], lesson: Sequence[str], solutions: Sequence[str]) -> list[Group]:
    """Groups of students, the most alike first.

    works     : {student: what they wrote}
    lesson    : what everybody was given: code of given cells and stubs
    solutions : the lesson's own answers: the obvious ones

    Never raises for anything in ``works``.
    """
    reader = _Reader(lesson)
    common = np.unique(np.concatenate([np.zeros(0, np.uint64), *(reader.fragments(reader.tokens(text)) for text in (*lesson, *solutions))]))
    students = sorted(works)
    read = [reader.read(works[student], common) for student in students]
    count = len(students)
    whole = _Overlap([np.unique(np.concatenate([np.zeros(0, np.uint64), *one.fragments.values()])) for one in read])
    parts = {
        unit: _Overlap([one.fragments.get(unit, np.zeros(0, np.uint64)) for one in read]) for unit in sorted({unit for one in read for unit in one.fragments})
    }
    given_comments = {comment for text in (*lesson, *solutions) for comment in _comments(reader.tokens(text))}
    comments = _Rare([one.comments - given_comments for one in read])
    names = _Rare([one.names for one in read])
    mistakes = _Rare([set(works[student].mistakes.items()) for student in students])

    bits = sum((part.bits for part in parts.values()), comments.bits() + mistakes.bits())
    each = bits[np.triu_indices(count, 1)]
    if not len(each):
        return []
    # what chance gives the most alike of all pairs; where answers have few forms, twice what three quarters of the pairs stay below
    chance = max(math.log2(len(each)), 2 * float(np.quantile(each, 0.75)) if count >= SMALL_CLASS else 0.0)
    enough = chance + np.where((whole.share >= ALIKE) & (count >= SMALL_CLASS), MARGIN_OF_ALL, MARGIN)
    pairs = list(zip(*np.nonzero(np.triu(bits >= enough, 1)), strict=True))

    def group(members):
        a, b = max((pair for pair in pairs if pair[0] in members), key=lambda pair: (bits[pair], pair))
        strong = {unit: part.bits[a, b] for unit, part in parts.items() if part.bits[a, b] > 0}
        left, right = works[students[a]], works[students[b]]
        places = tuple(
            SamePlace(unit, left.cells[unit], right.cells[unit], int(parts[unit].others[a, b])) for unit, _ in sorted(strong.items(), key=lambda item: -item[1])
        )
        also = (
            *(f"both write the comment {comment!r}" for comment in comments.both(a, b)[:5]),
            *[f"both use the names {', '.join(names.both(a, b)[:8])}, which few others do"] * bool(names.both(a, b)),
            *(f"both: {id}: {what} ({mistakes.holders((id, what))} of {count} students)" for id, what in mistakes.both(a, b)[:5]),
        )
        return Group(tuple(students[one] for one in sorted(members)), (students[a], students[b]), float(bits[a, b]), float(whole.share[a, b]), places, also)

    return sorted(map(group, _joined(pairs)), key=lambda one: (-one.bits, one.students))


def _joined(pairs: Iterable[tuple[int, int]]) -> list[frozenset[int]]:
    """Who hangs together by pairs."""
    of: dict[int, set[int]] = {}
    for a, b in pairs:
        together = of.get(a, {a}) | of.get(b, {b})
        of |= dict.fromkeys(together, together)
    return list({frozenset(group) for group in of.values()})


# ---------------------------------------------------------------- reading one student's code


@dataclass(frozen=True)
class _Read:
    fragments: Mapping[str, np.ndarray]
    """{exercise: hashes of what is not common}"""
    comments: frozenset[str]
    names: frozenset[str]


class _Reader:
    def __init__(self, lesson):
        self.kept = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins)}
        self.given = set(self.kept)
        for text in lesson:
            self.kept |= _global_names(text)
            self.given |= {token.group() for token in TOKEN.finditer(text) if token.lastgroup == "name"}
        self.numbers: dict[str, int] = {}
        # a random odd factor per place in a fragment: a hash that an author cannot aim at
        self.factors = np.random.default_rng().integers(1, 2**63, FRAGMENT, dtype=np.uint64) | np.uint64(1)

    def read(self, work, common):
        left, fragments, comments, names = MOST_TOKENS, {}, set(), set()
        characters = MOST_CHARACTERS
        for unit, text in work.cells.items():
            tokens = self.tokens(text[:characters])[:left]
            characters, left = characters - min(len(text), characters), left - len(tokens)
            found = self.fragments(tokens)
            fragments[unit] = found[common[np.searchsorted(common, found).clip(max=len(common) - 1)] != found] if len(common) else found
            comments |= set(_comments(tokens))
            names |= {text for kind, text in tokens if kind == "name" and len(text) > 3 and text not in self.given}
        return _Read(fragments, frozenset(comments), frozenset(names))

    def tokens(self, text) -> list[tuple[str, str]]:
        """(kind, text) of each token; kinds: "kept" for names that cannot be changed, "name", "word" for all else that is compared, "comment"."""
        found, depth, before = [], 0, ""
        for match in TOKEN.finditer(text):
            kind, word = match.lastgroup, match.group()
            if kind == "sign":
                depth = depth + 1 if word in "([{" else max(depth - 1, 0) if word in ")]}" else depth
                kind = "word"
            elif kind == "string":
                line = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - 200) : match.start()]
                if not depth and not line.strip():
                    continue  # a docstring
                kind, word = "word", word.strip("rbuRBU\"'")[:200]
            elif kind == "number":
                kind, word = "word", _number(word)
            elif kind == "name" and (word in self.kept or before == "."):
                kind = "kept"
            found.append((kind, word))
            before = word if kind != "comment" else before
        return found

    def fragments(self, tokens) -> np.ndarray:
        """Hashes of all fragments, each once. A name is the distance to where it stood before, within the fragment: any other name would do."""
        tokens = [token for token in tokens if token[0] != "comment"]
        if len(tokens) < FRAGMENT:
            return np.zeros(0, np.uint64)
        last: dict[str, int] = {}
        what, back = np.zeros(len(tokens), np.uint64), np.full(len(tokens), len(tokens), np.int64)
        for place, (kind, text) in enumerate(tokens):
            if kind == "name":
                back[place] = place - last.get(text, -len(tokens))
                last[text] = place
            else:
                what[place] = self.numbers.setdefault(text, len(self.numbers) + FRAGMENT + 1)
        window = np.lib.stride_tricks.sliding_window_view
        near = window(back, FRAGMENT)
        codes = window(what, FRAGMENT) + np.where(near <= np.arange(FRAGMENT), near, 0).astype(np.uint64)
        with np.errstate(over="ignore"):
            mixed = codes * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
            return np.unique((mixed * self.factors).sum(axis=1, dtype=np.uint64))


def _number(text):
    try:
        return repr(float(text.replace("_", ""))) if len(text) < 40 else text[:40]
    except ValueError:
        return text[:40]


def _comments(tokens):
    """Comments of a sentence or so, without the way they are written."""
    for kind, text in tokens:
        words = re.findall(r"\w+", text.lower()) if kind == "comment" else []
        if len(words) >= 4 and len(text) >= 20:
            yield " ".join(words)[:200]


def _global_names(text):
    """What a cell of the lesson imports or defines: these names cannot be changed by who copies."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return set()
    names = {alias.asname or alias.name.split(".")[0] for node in body if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    return names | {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


# ---------------------------------------------------------------- comparing a class


class _Overlap:
    """What each two of a class share, of one exercise or of all."""

    def __init__(self, sets: Sequence[np.ndarray]):
        count = len(sets)
        owner = np.repeat(np.arange(count), [len(one) for one in sets])
        _, place, held = np.unique(np.concatenate([np.zeros(0, np.uint64), *sets]), return_inverse=True, return_counts=True)
        weight = np.log2((count + 1) / held)
        own = np.bincount(owner, weights=weight[place], minlength=count)
        shared, number, rare = (np.zeros((count, count)) for _ in range(3))
        several = np.nonzero(held > 1)[0]
        row = np.full(len(held), -1)
        row[several] = np.arange(len(several))
        at, who = row[place][row[place] >= 0], owner[row[place] >= 0]
        for start in range(0, len(several), CHUNK):  # so many fragments at a time, against all students
            here = several[start : start + CHUNK]
            has = np.zeros((len(here), count))
            within = (at >= start) & (at < start + CHUNK)
            has[at[within] - start, who[within]] = 1
            shared += (has * weight[here, None]).T @ has
            number += has.T @ has
            rare += has[held[here] <= _few(count)].T @ has[held[here] <= _few(count)]
        smaller = np.minimum.outer(own, own)
        self.share = np.divide(shared, smaller, out=np.zeros_like(shared), where=smaller > 0)
        np.fill_diagonal(self.share, 0)
        self.others = np.zeros((count, count))
        """How many others have most of what two share."""
        self.bits = np.zeros((count, count))
        np.fill_diagonal(shared, 0)
        for one in range(count):
            self.others[one] = np.maximum(np.sum(shared[one][:, None] >= ALIKE * shared[one], axis=0) - 1, 0)
        self.others = np.maximum(self.others, self.others.T)
        same = (self.share >= ALIKE) & (number >= FEWEST)
        self.bits[same] = np.log2((count + 1) / (self.others[same] + 2)) + np.minimum(rare[same] / LONG, MOST_FOR_LENGTH)


def _few(count):
    return max(2, count // 50)


class _Rare:
    """Things that only few in a class have."""

    def __init__(self, sets: Sequence[Iterable]):
        self._sets = sets
        self._held = Counter(thing for one in sets for thing in one)

    def holders(self, thing) -> int:
        return self._held[thing]

    def both(self, a, b) -> list:
        """What a and b have and few others, the rarest first."""
        few = [thing for thing in set(self._sets[a]) & set(self._sets[b]) if self._held[thing] <= _few(len(self._sets))]
        return sorted(few, key=lambda thing: (self._held[thing], thing))

    def bits(self) -> np.ndarray:
        """For each two, by how few others have what they share."""
        count = len(self._sets)
        found = np.zeros((count, count))
        holders: dict[object, list[int]] = {}
        for one, things in enumerate(self._sets):
            for thing in things:
                holders.setdefault(thing, []).append(one)
        for who in holders.values():
            if len(who) > 1:
                found[np.ix_(who, who)] += math.log2((count + 1) / len(who))
        return found
