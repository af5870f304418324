"""All flags of a class, from its graded notebooks: those of each submission, and work that is nearly the same. Nothing is graded or run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from .alike import OWN, Group, Work, near_identical
from .build.stub import student_notebook
from .course_folder import CourseFolder
from .errors import CourseError
from .feedback.page import POLICY, STYLE
from .flags import KINDS, Flag
from .record import files
from .run.notebook import RECORD, reports_of

MOST_SHOWN = 20_000
"""Characters of one piece of code on the page."""


@dataclass(frozen=True)
class ClassFlags:
    """What a person should look at in one module of a class."""

    module: str
    graded: int
    """How many submissions were looked at."""
    flags: Mapping[str, tuple[Flag, ...]]
    """{student: flags}, students without one left out."""
    groups: tuple[Group, ...]
    """Work that is nearly the same, the most alike first."""


def class_flags(course: CourseFolder, module: str) -> ClassFlags:
    """Raises CourseError for an unknown module, or when none of its submissions is graded."""
    notebooks = {student: found for student in course.students(module, "autograded") if (found := files.read_autograded(course, student, module))}
    if not notebooks:
        raise CourseError(f"no submission of {module} is graded yet: run `zerohero grade {module}` first")
    source = json.loads(course.source(module).read_text(encoding="utf-8"))
    lesson = {cell["id"]: "".join(cell["source"]) for cell in student_notebook(source)["cells"] if cell["cell_type"] == "code"}
    solutions = ["".join(cell["source"]) for cell in source["cells"] if cell["metadata"].get("zerohero", {}).get("exercise")]
    groups = near_identical({student: _work(notebook, lesson) for student, notebook in notebooks.items()}, list(lesson.values()), solutions)
    flags = {student: _flags(notebook) for student, notebook in notebooks.items()}
    for group in groups:
        for student in group.students:
            others = ", ".join(one for one in group.students if one != student)
            flags[student] += (Flag("NEAR_IDENTICAL", f"with {others}"[:200], group.evidence),)
    return ClassFlags(module, len(notebooks), {student: found for student, found in flags.items() if found}, tuple(groups))


def _flags(notebook):
    return tuple(map(Flag.from_json, notebook["metadata"][RECORD].get("flags", ())))


def _work(notebook, lesson):
    cells: dict[str, str] = {}
    for cell in notebook["cells"]:
        ours = cell["metadata"].get(RECORD, {})
        if ours.get("role") == "answer":
            cells[ours["exercise"]] = cell["source"]
        elif ours.get("role") in ("extra", "given", "predict") and cell["source"] != lesson.get(cell["id"]):
            cells[OWN] = f"{cells[OWN]}\n{cell['source']}" if OWN in cells else cell["source"]
    reports = reports_of(notebook)
    return Work(cells, {id: _mistake(report) for id, report in reports.items() if report.status == "failed" and report.findings})


def _mistake(report):
    wrong = [group.name for group in report.groups if not group.passed]
    return f"{report.findings[0].what}{f' ({report.findings[0].mistake})' if report.findings[0].mistake else ''}, wrong for {', '.join(wrong)}"


def page(found: ClassFlags) -> str:
    """One HTML file for the instructor, code side by side: no script, nothing from elsewhere, all of it escaped."""
    body = [f"<h1>{escape(found.module)}: what to look at</h1>", f"<p>{found.graded} submissions. A flag is evidence for a person, no verdict.</p>"]
    body += ["<h2>Nearly the same work</h2>", *(_group(group) for group in found.groups)] if found.groups else []
    body += ["<h2>Flags by student</h2>"] if found.flags else ["<p>There is no flag.</p>"]
    for student, flags in found.flags.items():
        items = "".join(f"<li><b>{escape(flag.where)}</b>: {escape(KINDS[flag.kind])}<br><code>{escape(flag.evidence)}</code></li>" for flag in flags)
        body.append(f"<section><h3>{escape(student)}</h3><ul>{items}</ul></section>")
    side = "table.side { table-layout: fixed; width: 100% } table.side td { width: 50%; padding-right: .5rem } body { max-width: 90rem }"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{escape(found.module)}: flags</title><style>{STYLE}{side}</style></head>\n<body><main>\n" + "\n".join(body) + "\n</main></body></html>\n"
    )


def _group(group):
    left, right = map(escape, group.pair)
    told = [f"{left} and {right} are the most alike: {group.share:.0%} of the work beyond what the lesson gives, weighed by how rare it is."]
    told += [escape(sentence) for sentence in group.also]
    rows = "".join(
        f'<tr><th colspan="2">{escape(place.exercise)}: {place.others} others have most of it</th></tr>'
        f"<tr><td><pre><code>{escape(place.left[:MOST_SHOWN])}</code></pre></td><td><pre><code>{escape(place.right[:MOST_SHOWN])}</code></pre></td></tr>"
        for place in group.places
    )
    items = "".join(f"<li>{sentence}</li>" for sentence in told)
    table = f'<table class="side"><thead><tr><th>{left}</th><th>{right}</th></tr></thead><tbody>{rows}</tbody></table>'
    return f"<section><h3>{escape(', '.join(group.students))}</h3><ul>{items}</ul>{table}</section>"
