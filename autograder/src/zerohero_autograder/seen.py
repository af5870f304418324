"""Wrong answers seen in a class: grouped by what they give, named once by the instructor, known from then on.

Grading leaves the fingerprints of each failed answer without a name in the graded notebook; the names that an instructor
gives are kept in the course folder. No student's answer is run here.
"""

import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zerohero.atlas import RTOL_SINGLE, same
from zerohero.exercise import find, module_of
from zerohero.mistakes import MISTAKES

from .course_folder import CourseFolder
from .errors import CourseError
from .graded_module import KNOWN, known_in
from .record import files
from .run.notebook import RECORD, reports_of

Prints = Mapping[str, Mapping[str, Any]]
"""{part: fingerprint}"""
MANY = 20
"""Cases: prints of one class are compared as loosely as those of any exercise."""


@dataclass(frozen=True)
class Group:
    """Students whose answers to one exercise are wrong in the same parts, with the same numbers."""

    exercise: str
    id: str
    students: tuple[str, ...]
    parts: tuple[str, ...]
    """The wrong parts: ("dw",), or ("",) when the answer is taken as a whole."""
    finding: str
    """What the report of the first of them says."""
    prints: Prints


def unnamed(course: CourseFolder, module: str) -> list[Group]:
    """The groups of ``module`` that have no name yet, the largest first. Raises CourseError for an unknown module."""
    students = course.students(module, "autograded")
    right = _right_prints(course, module)
    found: dict[str, list[tuple[list[str], Prints, str]]] = {}
    for student in students:
        notebook = files.read_autograded(course, student, module)
        for exercise, prints in (notebook or {"metadata": {RECORD: {}}})["metadata"][RECORD].get("unnamed", {}).items():
            wrong = {part: p for part, p in prints.items() if part not in right.get(exercise, {}) or not _same(p, right[exercise][part])}
            alike = next((g for g in found.setdefault(exercise, []) if _alike(g[1], wrong)), None)
            if alike:
                alike[0].append(student)
            elif wrong:
                found[exercise].append(([student], wrong, reports_of(notebook)[exercise].findings[0].what))
    groups = [
        Group(exercise, _id(exercise, prints), tuple(students), tuple(prints), finding, prints)
        for exercise, alike in found.items()
        for students, prints, finding in alike
    ]
    return sorted(groups, key=lambda group: -len(group.students))


def add(course: CourseFolder, exercise_id: str, group_id: str, mistake: str, because: str, step: str = "") -> Group:
    """Keep a name for a group of ``unnamed`` in the course folder. Returns the group.

    Raises UnknownExercise, or CourseError for a group or a kind that does not exist; both with the nearest that does.
    """
    module = module_of(find(exercise_id).id)
    if mistake not in MISTAKES:
        raise CourseError(f"no mistake {mistake!r}{_nearest(mistake.upper(), list(MISTAKES))}")
    because = " ".join(because.split())
    if not because:
        raise CourseError("--because needs one sentence in the student's words")
    groups = {group.id: group for group in unnamed(course, module) if group.exercise == exercise_id}
    if group_id not in groups:
        raise CourseError(f"{exercise_id} has no unnamed group {group_id!r}{_nearest(group_id, list(groups))}")
    group = groups[group_id]
    known = known_in(course.root)
    entry = {"mistake": mistake, "because": because, "next": " ".join(step.split()), "parts": group.prints}
    kept = [old for old in known.get(exercise_id, []) if not _alike(old["parts"], group.prints)]
    data = {"schema": 1, "exercises": {**known, exercise_id: [*kept, entry]}}
    files.write_whole(course.root / KNOWN, (json.dumps(data, indent=1, sort_keys=True) + "\n").encode("utf-8"))
    return group


def _right_prints(course, module):
    """{exercise id: {part: fingerprint of the reference answer}} of the exercises that have parts; the others are wrong as a whole."""
    from .build.mutated import reference_prints  # runs the instructor's own solutions

    return reference_prints(json.loads(course.source(module).read_text(encoding="utf-8")), module)


def _same(a, b):
    return same(a, b, MANY, RTOL_SINGLE)


def _alike(a, b):
    return a.keys() == b.keys() and all(_same(a[part], b[part]) for part in a)


def _id(exercise, prints):
    text = json.dumps([exercise, {part: [p["form"], *(f"{n:.4f}" for n in p["numbers"])] for part, p in prints.items()}])
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _nearest(name, names):
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.3)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; there are {', '.join(names)}" if names else "; all answers to it are right, not started or named"
