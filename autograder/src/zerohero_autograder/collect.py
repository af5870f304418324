"""collect(): what students handed in elsewhere, as submitted/STUDENT/MODULE/MODULE.ipynb.

- a source     a folder, a notebook, an archive of one student, or the archive that Canvas or Moodle gives for a whole class
- whose it is  is read off the outermost name alone, which the instructor or the learning platform gave; a name inside what a
               student handed in says nothing. It is the id of a student, or what --names or --pattern makes one of
- what is kept is the one notebook. A newer one takes its place, and the older lies in earlier/ beside it

Nothing is guessed, and nothing is written outside the students' folders. Whatever is wrong with one file is said and passed over.
"""

import csv
import io
import os
import re
import stat
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from .course_folder import open_course
from .errors import CourseError, SubmissionUnreadable
from .intake.archive import ARCHIVES, NOTEBOOK, Member, is_archive, is_notebook, members
from .intake.file import NOT_COLLECTED, digest_of, read_bytes
from .record import gradebook_of
from .record.files import write_whole

EARLIER = "earlier"
TIME = "timestamp.txt"
CANVAS = re.compile(r"(?:(?P<name>(?!LATE_).+?)_)?(?:(?P<late>LATE)_)?(?P<number>\d+|anon_[^_]+)_(?P<file>\d+)_(?P<title>.+)")
"""lovelaceada_LATE_1001_20017_m02_micrograd-1.ipynb: Canvas names a file by the student's name and number, and its own number."""
MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_(?P<title>.*))?")
"""Ada Lovelace_20017_assignsubmission_file_/m02_micrograd.ipynb, or all in one name: Moodle turns a _ in a student's name into a space."""
COPY = re.compile(r"(?:-\d+| \(\d+\))+$")
"""What Canvas, browsers and file managers add to a name that is there already."""


@dataclass(frozen=True)
class Collected:
    """What became of one student's notebook."""

    student: str
    state: str
    """"collected", "newer" (it took the place of another), "unchanged" or "older" (than the one that is there, and kept beside it)."""
    origin: str
    """The file it came from: "class.zip: lovelaceada_1001_20017_m02_micrograd.ipynb"."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Owner:
    student: str
    sender: str = ""
    """The learning platform's number for the student."""
    order: int | None = None
    """Its number for the file, which grows."""
    time: datetime | None = None
    late: bool = False


@dataclass
class _Found:
    """One notebook of one student, set aside."""

    owner: _Owner
    title: str
    origin: str
    file: Path
    modified: datetime | None

    @property
    def age(self):
        """What tells the newer from the older; None when nothing does."""
        return self.owner.time or self.owner.order or self.modified


@dataclass
class _Class:
    """All that was found, until it is put in place."""

    scratch: Path
    notebooks: dict[str, list[_Found]] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)
    """{student: names of files that are no notebooks}."""
    broken: dict[str, list[str]] = field(default_factory=dict)
    """{student: why a file of theirs is not read}."""
    problems: list[str] = field(default_factory=list)

    def add(self, owner: _Owner, title: str, origin: str, data: bytes, modified: datetime | None) -> None:
        found = self.notebooks.setdefault(owner.student, [])
        file = self.scratch / f"{len(self.notebooks)}-{len(found)}"
        file.write_bytes(data)
        found.append(_Found(owner, title, origin, file, modified))

    def refuse(self, owner: _Owner, origin: str, why: str) -> None:
        self.broken.setdefault(owner.student, []).append(why)
        self.problems.append(f"{origin}: {why}")


def collect(
    course_root: Path, sources: Sequence[Path], module: str, *, names: Path | None = None, pattern: str | None = None, times: bool = False
) -> tuple[list[Collected], list[str]]:
    """Put what ``sources`` hold into the course. Returns what became of each student's notebook, and a line for each file that was not collected.

    names: a CSV file with the columns ``name`` (a student's name or number in the sources) and ``id``. pattern: a regular expression
    with the group ``student_id``, and perhaps ``timestamp``, for names. times: the files' own times are those when they were handed in.
    Raises CourseError for a wrong course, module, source, ``names`` or ``pattern``, before anything is written.
    """
    course = open_course(course_root)
    course.students(module)  # raises for a module that the course does not have
    with gradebook_of(course) as gradebook:
        roster = [student.id for student in gradebook.students]
    people = _People(roster, module, names, pattern)
    for source in sources:
        if not os.path.lexists(source):
            raise CourseError(f"there is no {source}: name the folder or archive with the submissions")
    named = [source for source in sources if isinstance(people.owner(source.name), _Owner)]
    collected = []
    with tempfile.TemporaryDirectory(prefix="zerohero-") as scratch:
        found = _Class(Path(scratch))
        for source in sources:
            try:
                _gather(found, people, source, alone=not named)
            except SubmissionUnreadable as error:
                found.problems.append(f"{source.name}: {error}")
        for student in sorted({*found.notebooks, *found.others, *found.broken}):
            try:
                collected += _settle(course.submitted(student, module), module, student, found, times)
            except (SubmissionUnreadable, OSError) as error:
                found.problems.append(f"{student}: {error}")
    return collected, found.problems


# ---------------------------------------------------------------- whose it is


class _People:
    """The students of a course and the names they have elsewhere."""

    def __init__(self, roster: Sequence[str], module: str, names: Path | None, pattern: str | None):
        self.module = module
        try:
            self.pattern = re.compile(pattern) if pattern else None
        except re.error as error:
            raise CourseError(f"the pattern {pattern!r} is no regular expression: {error}") from None
        if self.pattern and "student_id" not in self.pattern.groupindex:
            raise CourseError(f"the pattern {pattern!r} has no group for the student: write (?P<student_id>...) where the id stands")
        self.names = _read_names(names, roster) if names else {}
        ids = [id for id in roster or self.names.values() if "/" not in id and not id.startswith(".")]
        if not ids:
            raise CourseError(
                "the gradebook of this course has no students, so no file can be theirs: import them with `nbgrader db student import`, or give --names"
            )
        self.ids: dict[str, set[str]] = {}
        for id in ids:
            self.ids.setdefault(_same(id), set()).add(id)

    def student(self, text: str) -> str | None:
        """The student with this very id; accents may be written in either of the two ways."""
        ids = self.ids.get(_same(text), set())
        return text if text in ids else next(iter(ids)) if len(ids) == 1 else None

    def owner(self, name: str) -> _Owner | str | None:
        """Whose the file or folder ``name`` is; a text that says why that is not known; None when the name says nothing."""
        if self.pattern:
            return self._by_pattern(name)
        stem = _stem(name)
        lms = MOODLE.fullmatch(stem) or CANVAS.fullmatch(stem)
        if lms is None or self.student(stem):
            student = self.names.get(_same(stem)) or self.student(stem) or self.student(stem.removesuffix(f"_{self.module}"))
            return _Owner(student) if student else None
        part = {"late": None, "file": None, **lms.groupdict()}
        ids = {self.names[_same(key)] for key in (part["number"], part["name"]) if key and _same(key) in self.names}
        if len(ids) == 1:
            return _Owner(ids.pop(), part["number"], int(part["file"]) if part["file"] else None, late=bool(part["late"]))
        why = "the number and the name are two students' in the file of names" if ids else f"no student is known as {part['number']} or {part['name']!r}"
        return f"{why}: put a line {part['number']},STUDENT into the file that --names gives"

    def _by_pattern(self, name):
        found = self.pattern.match(name)
        if found is None:
            return None
        student = self.student(found["student_id"] or "")
        if student is None:
            return f"the pattern finds {found['student_id']!r}, which is no student's id"
        time = found.groupdict().get("timestamp")
        if not time:
            return _Owner(student)
        from nbgrader.utils import parse_utc

        try:
            return _Owner(student, time=parse_utc(time).replace(tzinfo=UTC))
        except (ValueError, OverflowError):
            return f"the pattern finds {time!r}, which is no time"


def _same(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _stem(name: str) -> str:
    ending = next((end for end in sorted((NOTEBOOK, *ARCHIVES), key=len, reverse=True) if name.lower().endswith(end)), "")
    return name[: len(name) - len(ending)]


def _read_names(file: Path, roster: Sequence[str]) -> dict[str, str]:
    """{name elsewhere: student id}."""
    try:
        with open(file, newline="", encoding="utf-8-sig") as text:
            rows = [{key: (row.get(key) or "").strip() for key in ("name", "id")} for row in csv.DictReader(text)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{file} cannot be read as a UTF-8 CSV file: {error}") from None
    names: dict[str, str] = {}
    for number, row in enumerate(rows, start=2):
        name, id = _same(row["name"]), row["id"]
        if not name or not id or "/" in id or id.startswith("."):
            raise CourseError(f"{file}, line {number}: the header needs the columns `name` and `id`, and every line both")
        if roster and id not in roster:
            raise CourseError(f"{file}, line {number}: the gradebook has no student {id!r}")
        if names.setdefault(name, id) != id:
            raise CourseError(f"{file}, line {number}: {name!r} is two students, {names[name]!r} and {id!r}; give their numbers instead")
    return names


# ---------------------------------------------------------------- what there is


def _gather(found: _Class, people: _People, source: Path, alone: bool) -> None:
    """Everything of one source that may be a submission goes into ``found``."""
    owner = people.owner(source.name)
    if isinstance(owner, str):
        found.problems.append(f"{source.name}: {owner}")
    elif source.is_symlink():
        found.problems.append(f"{source.name}: it is a link; name what it points to")
    elif owner:
        _take(found, owner, source.name, _tree(source) if source.is_dir() else [_single(source)])
    elif source.is_dir():
        for entry in sorted(source.iterdir()):
            if not entry.name.startswith("."):
                _assign(found, people, f"{source.name}/{entry.name}", entry.name, _tree(entry) if _is_folder(entry) else [_single(entry)])
    elif is_archive(source.name) and alone:
        with _opened(source) as file:
            for member in members(file, of_class=True):
                # a folder around everything is named like the archive, or like the module
                wrapped = len(member.path) > 1 and member.path[0] in (_stem(source.name), people.module) and people.owner(member.path[0]) is None
                origin = f"{source.name}: {'/'.join(member.path)}"
                if member.path[wrapped] in ("", ".."):
                    found.problems.append(f"{origin} {member.problem}")
                else:
                    _assign(found, people, origin, member.path[wrapped], [member])
    else:
        _assign(found, people, source.name, source.name, [])


def _is_folder(entry: Path) -> bool:
    return stat.S_ISDIR(entry.lstat().st_mode)


def _assign(found, people, origin, name, files) -> None:
    """``files`` to the student whose name is ``name``, or a problem."""
    owner = people.owner(name)
    if isinstance(owner, _Owner):
        _take(found, owner, origin, files)
    elif owner or is_notebook(origin) or is_archive(origin) or any(is_notebook(one.path[-1]) or is_archive(one.path[-1]) for one in files):
        next_step = "name it STUDENT.ipynb or STUDENT.zip, or say whose it is with --names or --pattern"
        found.problems.append(f"{origin}: {owner or f'nothing in the name says whose it is: {next_step}'}")


def _take(found: _Class, owner: _Owner, origin: str, files) -> None:
    """Files of a student whom the outermost name gave: from here on names are titles only."""
    for one in files:
        title = one.path[-1]
        if one.problem:
            found.refuse(owner, origin, f"{title} {one.problem}")
        elif is_notebook(title):
            found.add(owner, title, origin, one.data, one.modified)
        elif is_archive(title):
            try:
                for inner in members(io.BytesIO(one.data)):
                    if is_archive(inner.path[-1]):
                        found.refuse(owner, origin, f"{inner.path[-1]} is an archive in an archive; hand in the notebook itself")
                    else:
                        _take(found, owner, f"{origin}: {'/'.join(inner.path)}", [inner])
            except SubmissionUnreadable as error:
                found.refuse(owner, origin, f"{title} cannot be opened: {error}")
        else:
            found.others.setdefault(owner.student, []).append(title)


def _single(file: Path) -> Member:
    """One file of a folder, as if it were in an archive."""
    if not (is_notebook(file.name) or is_archive(file.name)):
        return Member((file.name,))
    try:
        return Member((file.name,), read_bytes(file), datetime.fromtimestamp(file.lstat().st_mtime, UTC))
    except SubmissionUnreadable as error:
        return Member((file.name,), problem=f"is not read: {error}")


def _tree(folder: Path) -> Iterator[Member]:
    """The files below a student's folder; links are not followed."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one != "__MACOSX")
        for file in sorted(files):
            if not file.startswith("."):
                yield _single(Path(root, file))


def _opened(source: Path):
    """An archive of any size; a pipe or a device in its place would never end."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise SubmissionUnreadable(f"it cannot be opened ({error.strerror})") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SubmissionUnreadable("it is no file")
    return open(descriptor, "rb")


# ---------------------------------------------------------------- into the course


def _settle(folder: Path, module: str, student: str, found: _Class, times: bool) -> list[Collected]:
    """The student's newest notebook into place; what is wrong is said to the instructor, and to the student where nothing else was handed in."""
    _no_links(folder)
    one, older = _newest(module, student, found, times)
    if one is None:
        if not (folder / f"{module}{NOTEBOOK}").exists() and (why := found.broken.get(student)):
            write_whole(folder / NOT_COLLECTED, why[0].encode("utf-8", "replace")[:1000])
        return []
    notes = ["late, says Canvas"] if one.owner.late else []
    for before in older:
        _keep(folder, before.file.read_bytes(), "")
    when = one.owner.time or (one.modified if times else None)
    state = _put(folder, module, one.file.read_bytes(), f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if when else "")
    if state == "newer" or older:
        notes.append(f"what was handed in before is in {EARLIER}/")
    return [Collected(student, state, one.origin, tuple(notes))]


def _newest(module, student, found, times) -> tuple[_Found | None, list[_Found]]:
    """(the notebook to grade, those that it replaces); (None, []) when there is none, or none that is surely the one."""
    notebooks = found.notebooks.get(student, [])
    if len({one.owner.sender for one in notebooks}) > 1:
        senders = ", ".join(sorted({one.owner.sender or "a file named after them" for one in notebooks}))
        found.problems.append(f"{student}: two senders claim to be this student ({senders}); nothing was collected. Remove one, or repair the file of names")
        return None, []
    right = [one for one in notebooks if COPY.sub("", _stem(_title(one))) == module] or notebooks
    distinct = list({digest_of(one.file.read_bytes()): one for one in right}.values())
    if not distinct:
        if student not in found.broken:
            listed = ", ".join(found.others.get(student, [])[:3])
            found.broken[student] = [f"there is no notebook in what you handed in; it holds {listed}"]
            found.problems.append(f"{student}: no notebook was handed in, only {listed}")
        return None, []
    ages = [one.age if times or one.owner.order or one.owner.time else None for one in distinct]
    known = None not in ages and len(set(ages)) == len(ages) and len({type(age) for age in ages}) == 1
    if len(distinct) > 1 and (not known or (right is notebooks and any(one.owner.time is None for one in distinct))):
        listed = "; ".join(f"{one.origin}" if one.title in one.origin else f"{one.origin}: {one.title}" for one in distinct[:4])
        why = f"several notebooks were handed in, and nothing says which one counts; hand in one, named {module}{NOTEBOOK}"
        found.broken.setdefault(student, []).append(why)
        found.problems.append(f"{student}: {len(distinct)} notebooks, and nothing says which one counts ({listed}). Leave one, or name it {module}{NOTEBOOK}")
        return None, []
    *older, one = sorted(distinct, key=lambda one: one.age) if len(distinct) > 1 else distinct
    return one, older


def _title(one: _Found) -> str:
    """The name that the student gave the file."""
    lms = MOODLE.fullmatch(one.title) or CANVAS.fullmatch(one.title)
    return (lms and lms["title"]) or one.title


def _no_links(folder: Path) -> None:
    for place in (folder.parent, folder, folder / EARLIER):
        if place.is_symlink():
            raise SubmissionUnreadable(f"{place} is a link to another place; remove it and collect again")


def _put(folder: Path, module: str, data: bytes, time: str) -> str:
    """Into place, whatever was there beside it. Returns Collected.state."""
    file, stamp = folder / f"{module}{NOTEBOOK}", folder / TIME
    state = "collected"
    if os.path.lexists(file):
        before = read_bytes(file)
        if before == data:
            return "unchanged"
        if _kept(folder, data).exists():
            return "older"
        _keep(folder, before, stamp.read_text("utf-8") if stamp.is_file() and not stamp.is_symlink() else "")
        state = "newer"
    write_whole(file, data)
    if time:
        write_whole(stamp, time.encode())
    else:
        stamp.unlink(missing_ok=True)  # it is the time of another file
    (folder / NOT_COLLECTED).unlink(missing_ok=True)
    return state


def _keep(folder: Path, data: bytes, time: str) -> None:
    if not _kept(folder, data).exists():
        write_whole(_kept(folder, data), data)
        if time:
            write_whole(_kept(folder, data).with_suffix(".txt"), time.encode())


def _kept(folder: Path, data: bytes) -> Path:
    return folder / EARLIER / f"{digest_of(data)[:16]}{NOTEBOOK}"
