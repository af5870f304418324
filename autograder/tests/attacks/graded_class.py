"""Grades all attacks as one class, with honest students before and after them, and counts what they did. The benchmark counts with it too."""

import csv
import hashlib
import json
import os
import re
import site
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest
from attacks.corpus import Attack, Place, attacks

from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.driver import grade_all
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.record import export_csv, register_course
from zerohero_autograder.record.files import LOCK
from zerohero_autograder.sandbox import Limits, Sandbox

MODULE = "m01_derivatives"
LESSON = Path(__file__).parents[3] / "course" / MODULE / f"{MODULE}.py"
MIB = 2**20
PATIENT = Limits(
    notebook_s=60, cell_s=30, cpu_s=60, memory=1024 * MIB, processes=32, file_size=20 * MIB, disk=30 * MIB, output_bytes=MIB, channel_bytes=16 * MIB,
)  # fmt: skip
HURRY = Limits(**{**vars(PATIENT), "notebook_s": 6, "cell_s": 1, "grace_s": 0.5})
CONFIG = "from zerohero_autograder.nbgrader_plugin import configure\nc = get_config()\nc.CourseDirectory.course_id = 'attacked'\nconfigure(c)\n"
GRADES = """select student_id, name, auto_score, manual_score, extra_credit, max_score from grade
    join submitted_notebook on submitted_notebook.id = grade.notebook_id join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
    join grade_cells on grade_cells.id = grade.cell_id join base_cell on base_cell.id = grade_cells.id"""
ROLES = {"abe": "z00_honest", "stub": "z01_stub", "zed": "z00_honest"}
"""Who is there beside the attackers: before them all, and behind."""


@dataclass
class Result:
    """What one attack did. Everything but ``score`` and ``known`` should be empty."""

    attack: Attack
    score: float = 0.0
    known: str = ""
    """All that is known of its run, its outputs and what was said about it; its own code is no part of it."""
    others: list[str] = field(default_factory=list)
    """Grades of others that are not what they were."""
    aborted: str = ""
    """Why it has no grade."""
    outside: list[str] = field(default_factory=list)
    """What it read or wrote that is not its own."""
    survivors: list[str] = field(default_factory=list)
    """Processes of its own that were there when it was graded."""
    live: list[str] = field(default_factory=list)
    """What of it is markup, a formula or a control character where it should be text."""

    @property
    def harm(self) -> list[str]:
        """All that it did and should not have done, in words."""
        unearned = [f"{self.unearned:g} points unearned"] if self.unearned else []
        return unearned + ([self.aborted] if self.aborted else []) + self.others + self.outside + self.survivors + self.live

    @property
    def unearned(self) -> float:
        return max(0.0, round(self.score - self.attack.earned, 6))


@dataclass(frozen=True)
class Watching(Sandbox):
    """The sandbox, given limits that an attack reaches soon; what came out of each run is written down."""

    inner: Sandbox
    folder: Path

    def run(self, cells, cases, *, limits=None, without=frozenset()):
        """See Sandbox.run."""
        who = re.search(r"# handed in by (\S+?)(, in a hurry)?\n", "\n".join(cells))
        run = self.inner.run(cells, cases, limits=HURRY if who and who[2] else PATIENT, without=without)
        with open(self.folder / f"{who[1] if who else 'nobody'}.run", "a", encoding="utf-8") as file:
            file.write(f"{run.ended} {run.reason}\n")
            file.writelines(f"{cell.status} {cell.error}\n{cell.text}\n" for cell in run.cells)
            file.writelines(f"{id} {text}\n" for id, texts in run.outputs.items() for text in texts)
        return run


class GradedClass:
    """One course, all attacks handed in."""

    def __init__(self, folder: Path, sandbox: Sandbox, chosen: Mapping[str, Attack] | None = None):
        known = attacks()
        self.place = Place(folder / "course", folder / "home", "zh" + os.urandom(5).hex())
        self.results = {a.student: Result(a) for name, a in (known if chosen is None else chosen).items() if name not in ROLES.values()}
        self.results |= {student: Result(known[name]) for student, name in ROLES.items()}
        self.canaries = {name: f"canary-{os.urandom(8).hex()}" for name in ("environment", "home", "source", "gradebook", "submission")}
        self._sandbox, self._runs = Watching(sandbox, folder / "runs"), folder / "runs"
        for part in (self.place.root, self.place.home, self._runs):
            part.mkdir(parents=True)
        self._make()
        self._grades: dict[tuple[str, str], tuple] = {}
        self._outside = self._look_outside()

    def _make(self):
        root = self.place.root
        source = source_notebook(LESSON.read_text(encoding="utf-8"), MODULE)
        first = {"cell_type": "code", "id": "imports", "metadata": {}, "source": "from zerohero import check", "outputs": [], "execution_count": None}
        source["cells"] = [first, *(c for c in source["cells"] if {"exercise", "check"} & c["metadata"].get("zerohero", {}).keys())]  # no plots: they take time
        student = student_notebook(source)
        for cell in source["cells"]:
            cell["source"] = cell["source"].replace("### BEGIN SOLUTION", f"### BEGIN SOLUTION {self.canaries['source']}")
        _write(root / "source" / MODULE / f"{MODULE}.ipynb", json.dumps(source).encode())
        _write(root / "nbgrader_config.py", CONFIG.encode())
        _write(self.place.home / "canary.txt", self.canaries["home"].encode())
        self.canaries["secret"] = os.urandom(16).hex()
        _write(root / "secret_seed", self.canaries["secret"].encode(), 0o600)
        register_course(root)
        with sqlite3.connect(root / "gradebook.db") as book:
            book.execute("insert into student (id, last_name) values ('absent', ?)", (self.canaries["gradebook"],))
        book.close()
        for name, result in self.results.items():
            notebook = json.loads(json.dumps(student))
            made = result.attack.files(notebook, self.place)
            if isinstance(made, dict) and "cells" in made:
                made = json.dumps(made).replace(result.attack.student, name).encode()
            for file, content in (made if isinstance(made, dict) else {f"{MODULE}.ipynb": made}).items():
                _write(root / "submitted" / name / MODULE / file, content)
        _write(root / "submitted" / "abe" / MODULE / "notes.txt", self.canaries["submission"].encode())

    def grade(self) -> None:
        """Grade everyone, look after each, and once more at the end at what is made for students and instructor."""
        root = self.place.root
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ZEROHERO_CANARY", self.canaries["environment"])
            patch.setenv("HOME", str(self.place.home))
            try:
                grade_all(root, MODULE, sandbox=self._sandbox, on_progress=self._after)
            except Exception as error:
                graded = {student for student, _ in self._grades}
                for student in sorted(set(self.results) - graded)[:1]:
                    self.results[student].aborted = f"the run ended: {type(error).__name__}: {error}"
            make_feedback(root, MODULE)
            export_csv(root, root / "grades.csv")
        for student, result in self.results.items():
            made = [root / step / student / MODULE / f"{MODULE}.{end}" for step, end in (("autograded", "ipynb"), ("feedback", "html"))]
            self._came_out(student, result, [file.read_text(encoding="utf-8") for file in made if file.exists()])
        for page in root.glob("**/*.html"):  # every page there is: what else makes pages of a class is covered when it writes one here
            for what in live_markup(page.read_text(encoding="utf-8")):
                self.results.get(page.parent.parent.name, self.results["zed"]).live.append(f"{page.name}: {what}")
        with open(root / "grades.csv", newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                for cell in row:
                    if re.match(r"\s*[=+\-@]", cell) and not re.fullmatch(r"-?[0-9.]+", cell):
                        self.results.get(row[3], self.results["zed"]).live.append(f"grades.csv: {cell}")

    def _after(self, outcome, done, total):
        """Called when one is graded: did it change what others have, what lies outside, or leave a process?"""
        result = self.results[outcome.student]
        result.score, result.aborted = outcome.score, outcome.failed
        result.known += "\n".join((*outcome.messages, *outcome.notes))
        grades = _grades(self.place.root)
        result.others += [f"{who}: {before} -> {grades.get(who)}" for who, before in self._grades.items() if grades.get(who) != before]
        result.others += [f"{who} has a grade already" for who in grades.keys() - self._grades.keys() if who[0] != outcome.student]
        result.score = max(result.score, sum(_counts(row) for who, row in grades.items() if who[0] == outcome.student))
        self._grades = grades
        outside = self._look_outside()
        result.outside += [f"{path} changed" for path in outside.keys() | self._outside.keys() if outside.get(path) != self._outside.get(path)]
        self._outside = outside
        result.survivors += survivors(self.place.token)

    def _look_outside(self):
        """{path: digest} of all that no submission may change, and everything that bears the token where a file could be put."""
        root = self.place.root
        files = [*root.glob("*"), *root.glob("source/**/*"), *root.glob("submitted/**/*"), *self.place.home.glob("**/*")]
        found = {p: _digest(p) for p in files if p.is_file() and not p.name.startswith(("gradebook.db", LOCK))}
        for folder in (*site.getsitepackages(), tempfile.gettempdir(), "/dev/shm", "/", "/etc", "/var/tmp", os.getcwd(), root.parent.parent):
            if os.path.isdir(folder):
                names = [n for n in os.listdir(folder) if self.place.token in n or n in ("sitecustomize.py", "usercustomize.py")]
                found |= {Path(folder, name): "is there" for name in names}
        return found

    def _came_out(self, student, result, texts):
        file = self._runs / f"{student}.run"
        if file.exists():
            run = file.read_text(encoding="utf-8")
            result.outside += re.findall(r"^ESCAPED.*", run, re.MULTILINE)
            result.known += "\n" + run
        everything = "\n".join((result.known, *texts))
        result.outside += [f"read the canary in the {name}" for name, canary in self.canaries.items() if canary in everything]
        for cell in json.loads(texts[0])["cells"] if texts else ():
            shown = "".join(str(output.get("text", "")) for output in cell.get("outputs", ()))
            result.live += [f"control character {c!r} in an output" for c in re.findall(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", shown)]


def _write(file, content, mode=0o644):
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        file.symlink_to(content)
    else:
        file.write_bytes(content)
        file.chmod(mode)


def _grades(root) -> dict[tuple[str, str], tuple]:
    """{(student, cell): scores}, read without nbgrader."""
    book = sqlite3.connect(f"file:{root}/gradebook.db?mode=ro", uri=True, timeout=30)
    try:
        return {(student, cell): tuple(scores) for student, cell, *scores in book.execute(GRADES)}
    finally:
        book.close()


def _counts(row):
    """The points of one cell as nbgrader counts them."""
    auto, manual, extra, _ = row
    return (manual if manual is not None else auto or 0.0) + (extra or 0.0)


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def survivors(token: str) -> list[str]:
    """Processes of the machine with the token in their command line or name."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes() + (entry / "comm").read_bytes()
        except OSError:
            continue
        if token[:12].encode() in line and int(entry.name) != os.getpid():
            found.append(f"process {line[:60]!r}")
    return found


class _Markup(HTMLParser):
    FORBIDDEN = ("script", "iframe", "object", "embed", "img", "form", "input", "button", "link", "base", "a-mallory", "svg-mallory")

    def __init__(self):
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        if tag in self.FORBIDDEN or "mallory" in tag:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or "mallory" in name or (name in ("href", "src") and not (value or "").startswith("#")):
                self.found.append(f"<{tag} {name}={value!r}>")


def live_markup(page: str) -> list[str]:
    """What in a page of HTML could act or look otherwise than the page's author meant: scripts, handlers, references to elsewhere."""
    parser = _Markup()
    parser.feed(page)
    parser.close()
    return parser.found
