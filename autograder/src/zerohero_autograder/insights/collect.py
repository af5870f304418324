"""The numbers of one module and one class. Pure: graded notebooks in, a frozen dataclass out; no student's name is in it."""

import ast
import re
import statistics
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zerohero.exercise import load
from zerohero.report import Finding, Report

from ..graded_module import GradedModule
from ..run.notebook import RECORD, reports_of
from ..seen import Group
from .guesses import Gain, Guesses, guesses_of

ENOUGH = 10
"""Students from which on a correlation is shown at all."""
SHOWN = 3
"""Sentences that are kept of one kind of mistake."""
LONGEST_SAMPLE = 5000
"""Characters of an answer that is shown."""
NUMBERS = re.compile(
    r"(?:\b(?:nan|inf|None|True|False|array|of|shape|shapes|values?|float\d*|int\d*|bool|x|a|and|with|numbers?)\b|[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|[\s.,:;()\[\]…=-])*"
)
"""What the value of an answer may look like to be shown: numbers, no text that a student chose."""


@dataclass(frozen=True)
class Spread:
    """Of how many students something is known, and the middle and the largest value."""

    known: int
    median: float
    largest: float


@dataclass(frozen=True)
class Cause:
    """One way in which an exercise went wrong."""

    students: int
    kinds: tuple[str, ...] = ()
    """The named mistake; several where each explains what was seen."""
    said: tuple[tuple[str, int], ...] = ()
    """The sentences on it, each with the number of students who got it, most frequent first."""
    next: str = ""
    group: str = ""
    """The id of a group that `zerohero atlas unnamed` lists, where there is no name."""
    where: str = ""
    expected: str = ""
    actual: str = ""
    """Where it went wrong, of one student of a group without a name."""
    sample: str = ""
    """The code of one of them without comments, where it was asked for."""


@dataclass(frozen=True)
class ExerciseNumbers:
    """One exercise."""

    id: str
    title: str
    points: float
    passed: int = 0
    failed: int = 0
    not_started: int = 0
    share: float | None = None
    """Mean share of the points, as the gradebook has them."""
    by_hand: int = 0
    """How many scores a person changed."""
    causes: tuple[Cause, ...] = ()
    """Most frequent first; each failed answer is in one of them."""
    groups: tuple[tuple[str, int], ...] = ()
    """Kinds of input that fail, each with the number of students, most frequent first."""
    discrimination: float | None = None
    undefined: str = ""
    """Why there is no discrimination."""
    attempts: Spread | None = None
    seconds: Spread | None = None
    """Wall time of the answer and the check in the jail."""
    flagged: int = 0

    @property
    def students(self) -> int:
        return self.passed + self.failed + self.not_started

    @property
    def pass_rate(self) -> float | None:
        return self.passed / self.students if self.students else None


@dataclass(frozen=True)
class Insights:
    """One module and one class."""

    module: str
    students: int
    """Whose submission could be read: all shares are of these."""
    unreadable: int
    max_score: float
    score: Spread | None
    exercises: tuple[ExerciseNumbers, ...]
    kinds: tuple[tuple[str, int, int], ...] = ()
    """(kind of mistake, students who made it, exercises it was made in), most students first."""
    questions: tuple[Guesses, ...] = ()
    gain: Gain | None = None
    flags: tuple[tuple[str, int], ...] = ()
    """(kind of flag, students), most frequent first."""
    noted: int = 0
    """Submissions with a note to the instructor."""
    damaged: int = field(default=0)
    """Graded notebooks that cannot be read back."""


def collect(
    module: GradedModule,
    notebooks: Mapping[str, Mapping[str, Any]],
    groups: Sequence[Group] = (),
    *,
    by_hand: Mapping[str, Mapping[str, float]] | None = None,
    attempts: Mapping[str, Mapping[str, int]] | None = None,
    with_samples: bool = False,
) -> Insights:
    """The numbers of ``notebooks``, {student: graded notebook}.

    groups: as seen.unnamed() gives them. by_hand: {student: {exercise id: score}} that a person gave. attempts: {exercise id:
    {student: how many}}. with_samples: keep the code of one student per group.
    """
    reports, damaged = {}, 0
    for student, notebook in notebooks.items():
        try:
            reports[student] = reports_of(notebook)
        except (KeyError, TypeError, ValueError, IndexError):
            damaged += 1
    read = [student for student in reports if notebooks[student]["metadata"][RECORD].get("submission") != ""]
    records = {student: notebooks[student]["metadata"][RECORD] for student in reports}
    shares = {
        id: {s: _share((by_hand or {}).get(s, {}).get(id, records[s].get("scores", {}).get(id, 0.0)), points) for s in read}
        for id, points in module.points.items()
    }
    exercises, questions = load(module.name)
    class_ = _Class(module, {s: notebooks[s] for s in read}, {s: reports[s] for s in read}, groups, shares, with_samples)
    found = []
    for id, points in module.points.items():
        numbers = class_.exercise(id, exercises[id].title, points)
        known = (attempts or {}).get(id, {})
        found.append(
            replace(
                numbers,
                by_hand=sum(id in scores for student, scores in (by_hand or {}).items() if student in read),
                attempts=_spread(count for student, count in known.items() if student in read),
                flagged=sum(any(_is_about(flag, id) for flag in _flags(records[s])) for s in read),
            )
        )
    totals = [sum(shares[id][s] * points for id, points in module.points.items()) for s in read]
    guesses, gain = guesses_of(module, questions, [notebooks[s] for s in read])
    return Insights(
        module.name,
        len(read),
        len(reports) - len(read),
        module.max_score,
        _spread(totals),
        tuple(found),
        _kinds(class_.reports),
        guesses,
        gain,
        tuple(Counter(kind for s in read for kind in {str(flag.get("kind", "")) for flag in _flags(records[s])}).most_common()),
        sum(bool(record.get("notes")) for record in records.values()),
        damaged,
    )


def discrimination(item: Sequence[float], rest: Sequence[float]) -> float:
    """The corrected item-total correlation: Pearson's r of the scores in one exercise with those in all the others together.

    The point-biserial correlation where an exercise is only right or wrong. "Corrected": the exercise itself is left out of the total, or it
    would correlate with itself (Henrysson, Correction of item-total correlations in item analysis, Psychometrika 28, 1963).
    Raises ValueError when it is undefined: where all scores are the same on one side, or there is less than two of them.
    """
    return statistics.correlation(item, rest)


@dataclass(frozen=True)
class _Class:
    """What all exercises are counted from."""

    module: GradedModule
    notebooks: Mapping[str, Mapping[str, Any]]
    reports: Mapping[str, Mapping[str, Report]]
    groups: Sequence[Group]
    shares: Mapping[str, Mapping[str, float]]
    with_samples: bool

    def exercise(self, id: str, title: str, points: float) -> ExerciseNumbers:
        verdicts = {s: reports[id] for s, reports in self.reports.items() if id in reports}
        status = Counter(report.status for report in verdicts.values())
        failing = Counter(g.name for r in verdicts.values() if r.status == "failed" for g in r.groups if not g.passed)
        r, undefined = self._discrimination(id)
        mine = list(self.shares[id].values())
        return ExerciseNumbers(
            id,
            title,
            points,
            status["passed"],
            status["failed"],
            status["not started"],
            statistics.fmean(mine) if mine else None,
            causes=self._causes(id, {s: r for s, r in verdicts.items() if r.status == "failed"}),
            groups=tuple(failing.most_common()),
            discrimination=r,
            undefined=undefined,
            seconds=_spread(filter(None, (_seconds(notebook, id) for notebook in self.notebooks.values()))),
        )

    def _discrimination(self, id):
        students = list(self.shares[id])
        if len(students) < ENOUGH:
            return None, f"fewer than {ENOUGH} students"
        item = [self.shares[id][s] for s in students]
        rest = [sum(self.shares[other][s] * points for other, points in self.module.points.items() if other != id) for s in students]
        try:
            return discrimination(item, rest), ""
        except ValueError:
            return None, "all students have the same score" if len(set(item)) == 1 else "all students have the same score in the other exercises"

    def _causes(self, id, failed: Mapping[str, Report]):
        """Each student in one cause: the named mistake of the first finding, else the group, else what the finding says."""
        group_of = {s: group for group in self.groups if group.exercise == id for s in group.students}
        members: dict[Any, list[str]] = defaultdict(list)
        for student, report in failed.items():
            first = report.findings[0] if report.findings else Finding("it did not pass")
            group = group_of.get(student)
            key = ("kinds", first.kinds) if first.kinds else ("group", group.id) if group else ("says", first.what)
            members[key].append(student)
        causes = [self._cause(id, key, students, failed) for key, students in members.items()]
        return tuple(sorted(causes, key=lambda cause: -cause.students))

    def _cause(self, id, key, students, failed):
        first = failed[students[0]].findings[0] if failed[students[0]].findings else Finding("it did not pass")
        how, name = key
        if how == "kinds":
            said = Counter(failed[s].findings[0].because or failed[s].findings[0].what for s in students)
            return Cause(len(students), name, tuple(said.most_common(SHOWN)), _step(first))
        said = ((first.what, len(students)),)
        if how == "says":
            return Cause(len(students), (), said, _step(first))
        visible = first.group in {case.group for case in self.module.cases[id] if not case.hidden}
        sample = self._sample(id, students) if self.with_samples else ""
        if not visible:
            return Cause(len(students), (), said, _step(first), name, sample=sample)
        actual = first.actual if NUMBERS.fullmatch(first.actual) else "text of the student's, not shown"
        return Cause(len(students), (), said, _step(first), name, first.where, first.expected, actual, sample)

    def _sample(self, id, students):
        """The shortest answer: what it does wrong is seen soonest there."""
        answers = [_without_comments(_cell(self.notebooks[s], id, "answer").get("source", "")) for s in students]
        return min(filter(None, answers), key=len, default="")


def _without_comments(source):
    """The code alone: students put their names into comments and docstrings. "" when it is too long or no Python."""
    if len(source) > LONGEST_SAMPLE:
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the student's code
            tree = ast.parse(source)
            for node in ast.walk(tree):
                if isinstance(body := getattr(node, "body", None), list):
                    node.body = [one for one in body if not _is_text(one)] or [ast.Pass()]
            return "" if all(isinstance(one, ast.Pass) for one in tree.body) else ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _share(score, points):
    return score / points if points else 0.0


def _spread(values) -> Spread | None:
    known = list(values)
    return Spread(len(known), statistics.median(known), max(known)) if known else None


def _step(finding):
    """The next step without the pointer to the student's own hints."""
    return re.sub(r'(?:^|; )hint\("[^"]*"\) for more$', "", finding.next)


def _cell(notebook, exercise, role):
    marks = ((cell, cell["metadata"].get(RECORD, {})) for cell in notebook["cells"])
    return next((cell for cell, ours in marks if ours.get("role") == role and ours.get("exercise") == exercise), {})


def _seconds(notebook, exercise):
    """Of answer and check together; None when it was not recorded."""
    known = [_cell(notebook, exercise, role).get("metadata", {}).get(RECORD, {}).get("seconds") for role in ("answer", "check")]
    known = [value for value in known if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return sum(known) if known else None


def _flags(record):
    return [flag for flag in record.get("flags") or () if isinstance(flag, dict)]


def _is_about(flag, exercise):
    return re.search(rf"(?<![\w-]){re.escape(exercise)}(?![\w-])", str(flag.get("where", ""))) is not None


def _kinds(reports):
    students, exercises = defaultdict(set), defaultdict(set)
    for student, one in reports.items():
        for id, report in one.items():
            kinds = report.findings[0].kinds if report.status == "failed" and report.findings else ()
            if kinds:
                students[" or ".join(kinds)].add(student)
                exercises[" or ".join(kinds)].add(id)
    return tuple(sorted(((kind, len(who), len(exercises[kind])) for kind, who in students.items()), key=lambda row: (-row[1], row[0])))
