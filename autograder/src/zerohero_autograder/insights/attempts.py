"""How many answers a student handed in for each exercise, where nbgrader's exchange kept every submission.

A check that a student runs leaves no count in the notebook. What is known is what was handed in: in the exchange's inbound folder each
submission stays, under the name STUDENT+MODULE+TIME.
"""

import hashlib
import json
from collections import defaultdict
from pathlib import Path

from ..course_folder import CourseFolder
from ..errors import SubmissionUnreadable
from ..graded_module import GradedModule
from ..intake import read


def attempts_of(course: CourseFolder, module: GradedModule, students: list[str]) -> dict[str, dict[str, int]]:
    """{exercise id: {student: number of different answers handed in}}; the starter is none. Students without a trace in the exchange are left out."""
    from nbgrader.exchange.default.exchange import Exchange

    inbound = Path(Exchange(coursedir=course.directory, config=course.config).root) / course.directory.course_id / "inbound"
    try:
        folders = [folder.name for folder in inbound.iterdir()]
    except OSError:
        return {}
    starters = _starters(course, module)
    counts: dict[str, dict[str, int]] = {id: {} for id in module.points}
    for student in students:
        answers = defaultdict(set)
        for folder in folders:
            if folder.startswith(f"{student}+{module.name}+"):
                for id, source in _answers(inbound / folder / f"{module.name}.ipynb", module):
                    if source.strip() and _digest(source) != starters.get(id):
                        answers[id].add(source.strip())
        for id, sources in answers.items():
            counts[id][student] = len(sources)
    return counts


def _starters(course, module):
    cells = json.loads(course.source(module.name).read_text(encoding="utf-8"))["cells"]
    marks = [cell["metadata"].get("zerohero", {}) for cell in cells]
    return {ours["exercise"]: ours.get("starter") for ours in marks if "exercise" in ours}


def _digest(source):
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _answers(file, module):
    """(exercise id, source) of the answer cells of one submission; nothing when it cannot be read."""
    names = {f"{id}-answer": id for id in module.points}
    try:
        submission, _ = read(file)
    except SubmissionUnreadable:
        return []
    return [(names[name], cell.source) for cell in submission.cells if (name := cell.grade_id if cell.grade_id in names else cell.id) in names]
