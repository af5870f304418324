"""collect: whose a file is, which one counts, and what an archive cannot do."""

import io
import json
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from datetime import UTC, datetime

import pytest
import toy_course
from toy_course import NAME, answered
from typer.testing import CliRunner

from zerohero_autograder import cli
from zerohero_autograder.collect import collect
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError, SubmissionUnreadable
from zerohero_autograder.intake import archive
from zerohero_autograder.record import open_gradebook

FILE = f"{NAME}.ipynb"
ROSTER = ("ada", "bob", "eve", "O'Hara", "\u00e9mile", "ann marie", "1001")
with pytest.MonkeyPatch.context() as patch:
    toy_course.register(patch)
    FIRST, SECOND = (json.dumps(answered(square=f"def square(x):\n    return x * x  # {word}")).encode() for word in ("first", "second"))


@pytest.fixture(scope="module")
def course_once(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    toy_course.register(patch)
    patch.setattr("nbgrader.api.get_alembic_version", lambda: "a version")  # nbgrader starts a program for it
    root = toy_course.make_course(tmp_path_factory.mktemp("collect") / "course")
    with open_gradebook(root) as gradebook:
        for student in ROSTER:
            gradebook.add_student(student)
    yield root
    patch.undo()


@pytest.fixture
def course(course_once):
    """The course with nothing handed in."""
    submitted = course_once / "submitted"
    if submitted.exists():
        submitted.rename(course_once.parent / f"before-{len(os.listdir(course_once.parent))}")
    return course_once


def zipped(file, *members, **how):
    """A zip file of (name, content) or (ZipInfo, content)."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members:
            made.writestr(name, content, **how)
    return file


def zip_bytes(*members):
    out = io.BytesIO()
    zipped(out, *members)
    return out.getvalue()


def tarred(file, *members, mode="w:gz"):
    """A tar file of (name, content) or (name, type, target)."""
    with tarfile.open(file, mode) as made:
        for name, *rest in members:
            info = tarfile.TarInfo(name)
            if isinstance(rest[0], bytes):
                info.size, info.mtime = len(rest[0]), 1_900_000_000
                made.addfile(info, io.BytesIO(rest[0]))
            else:
                info.type, info.linkname = rest
                made.addfile(info)
    return file


def names_file(tmp_path, *lines):
    file = tmp_path / "names.csv"
    file.write_text("\n".join(("name,id", *lines)), encoding="utf-8")
    return file


def there(course):
    """{path below submitted/: content}; nothing else of the course may ever change."""
    base = course / "submitted"
    return {str(file.relative_to(base)): file.read_bytes() for file in sorted(base.rglob("*")) if file.is_file()} if base.is_dir() else {}


def states(collected):
    return {one.student: one.state for one in collected}


# ---------------------------------------------------------------- whose it is


def test_files_archives_and_folders_named_after_students(course, tmp_path):
    box = tmp_path / "box"
    (box / "eve" / "deep").mkdir(parents=True)
    (box / "ada.ipynb").write_bytes(FIRST)
    zipped(box / "bob.zip", ("my work/Untitled.ipynb", FIRST), ("my work/notes.txt", b"x"), ("__MACOSX/my work/._Untitled.ipynb", b"x"))
    (box / "eve" / "deep" / FILE).write_bytes(FIRST)
    (box / f"1001_{FILE}").write_bytes(FIRST)
    for student, mode in (("O'Hara", "w:gz"), ("ann marie", "w:bz2")):
        tarred(box / f"{student}.tar.{mode[2:]}", (f"./{FILE}", FIRST), mode=mode)
    tarred(box / "e\u0301mile.tar.xz", (FILE, FIRST), mode="w:xz")  # as macOS writes it
    collected, problems = collect(course, [box], NAME)
    assert problems == [] and states(collected) == dict.fromkeys(ROSTER, "collected")
    assert there(course) == {f"{student}/{NAME}/{FILE}": FIRST for student in ROSTER}


CANVAS = {
    "adalovelace_11_501_m99_toy.ipynb": FIRST,
    "babbagebob_LATE_12_502_m99_toy-1.ipynb": FIRST,
    "babbagebob_LATE_12_503_report.pdf": b"x",
    "evil_13_504_bob_12_9999_m99_toy.ipynb": SECOND,
    "nobody_99_505_m99_toy.ipynb": SECOND,
    "LATE_anon_x7Yz1_506_work.zip": zip_bytes(("ada/m99_toy.ipynb", FIRST)),
}


def test_what_canvas_gives(course, tmp_path):
    names = names_file(tmp_path, "11,ada", "babbagebob,bob", "13,eve", "anon_x7Yz1,O'Hara")
    collected, problems = collect(course, [zipped(tmp_path / "submissions.zip", *CANVAS.items())], NAME, names=names)
    assert states(collected) == {"ada": "collected", "bob": "collected", "eve": "collected", "O'Hara": "collected"}
    assert [one.notes for one in collected if one.notes] == [("late, says Canvas",)] * 2
    assert there(course)[f"eve/{NAME}/{FILE}"] == SECOND and there(course)[f"bob/{NAME}/{FILE}"] == FIRST
    assert problems == [
        "submissions.zip: nobody_99_505_m99_toy.ipynb: no student is known as 99 or 'nobody': put a line 99,STUDENT into the file that --names gives"
    ]


@pytest.mark.parametrize(
    "form", ["{}_assignsubmission_file_/m99_toy.ipynb", "{}_assignsubmission_file/sub/m99_toy.ipynb", "{}_assignsubmission_file_m99_toy.ipynb"]
)
def test_what_moodle_gives(course, tmp_path, form):
    who = {"Ada Lovelace_31": FIRST, "\u00c9mile Z_32": SECOND, "Eve_33": FIRST, "Participant_34": FIRST, "bob_35": FIRST}
    names = names_file(tmp_path, "31,ada", "E\u0301mile Z,\u00e9mile", "33,eve", "34,1001")
    collected, problems = collect(course, [zipped(tmp_path / "c.zip", *((form.format(k), v) for k, v in who.items()))], NAME, names=names)
    assert states(collected) == dict.fromkeys(("1001", "ada", "eve", "\u00e9mile"), "collected") and there(course)[f"\u00e9mile/{NAME}/{FILE}"] == SECOND
    assert len(problems) == 1 and "no student is known as 35 or 'bob'" in problems[0]  # a name that anyone may take is no id


def test_who_takes_another_students_name_gets_nothing(course, tmp_path):
    names = names_file(tmp_path, "ada lovelace,ada")
    made = zipped(tmp_path / "c.zip", ("ada lovelace_31_assignsubmission_file_/a.ipynb", FIRST), ("ada lovelace_66_assignsubmission_file_/a.ipynb", SECOND))
    collected, problems = collect(course, [made], NAME, names=names)
    assert collected == [] and there(course) == {}
    assert problems == ["ada: two senders claim to be this student (31, 66); nothing was collected. Remove one, or repair the file of names"]


def test_a_name_inside_what_a_student_handed_in_says_nothing(course, tmp_path):
    inside = zip_bytes((f"bob/{NAME}/{FILE}", SECOND))
    box = tmp_path / "box"
    (box / "stranger" / "bob").mkdir(parents=True)
    (box / "stranger" / "bob" / FILE).write_bytes(SECOND)
    (box / "stranger2.zip").write_bytes(inside)
    (box / "eve.zip").write_bytes(inside)
    collected, problems = collect(course, [box], NAME)
    assert states(collected) == {"eve": "collected"} and set(there(course)) == {f"eve/{NAME}/{FILE}"}
    assert [problem.split(":")[0] for problem in problems] == ["box/stranger", "box/stranger2.zip"]
    assert all("nothing in the name says whose it is: name it STUDENT.ipynb" in problem for problem in problems)
    # several archives: one that is named after a student says that all are
    collected, problems = collect(course, [box / "eve.zip", box / "stranger2.zip"], NAME)
    assert states(collected) == {"eve": "unchanged"} and problems[0].startswith("stranger2.zip: nothing in the name")


def test_an_archive_of_a_class_and_the_folder_around_it(course, tmp_path):
    made = tarred(tmp_path / "class.tgz", (f"./class/ada/{NAME}/{FILE}", FIRST), ("class/bob.ipynb", SECOND), ("class/stranger/x.ipynb", FIRST))
    collected, problems = collect(course, [made], NAME)
    assert (
        states(collected) == {"ada": "collected", "bob": "collected"} and len(problems) == 1 and problems[0].startswith("class.tgz: class/stranger/x.ipynb: ")
    )


def test_a_pattern_like_nbgraders(course, tmp_path):
    handed_in = (
        ("ada", "2030-01-31 15:00:00", SECOND),
        ("ada", "2030-01-30 15:00:00", FIRST),
        ("bob", "2030-02-30 15:00:00", FIRST),
        ("nemo", "2030-01-30 15:00:00", FIRST),
    )
    files = [(f"ps1_{who}_attempt_{time}_problem1.ipynb", data) for who, time, data in handed_in]
    made = zipped(tmp_path / "c.zip", *files, ("ada.ipynb", FIRST))
    collected, problems = collect(course, [made], NAME, pattern=r".*_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9: -]+)_(?P<file_id>\w+)")
    assert states(collected) == {"ada": "collected"}
    assert there(course)[f"ada/{NAME}/{FILE}"] == SECOND and there(course)[f"ada/{NAME}/timestamp.txt"] == b"2030-01-31 15:00:00 UTC"
    for problem, words in zip(
        problems, ("'2030-02-30 15:00:00', which is no time", "'nemo', which is no student's id", "nothing in the name says whose it is"), strict=True
    ):
        assert words in problem


def test_wrong_questions(course, tmp_path):
    with pytest.raises(CourseError, match="did you mean 'm99_toy'"):
        collect(course, [tmp_path], "m99_toys")
    with pytest.raises(CourseError, match=r"there is no .*nowhere"):
        collect(course, [tmp_path / "nowhere"], NAME)
    with pytest.raises(CourseError, match="no group for the student"):
        collect(course, [tmp_path], NAME, pattern="a(b)")
    with pytest.raises(CourseError, match="no regular expression"):
        collect(course, [tmp_path], NAME, pattern="a(b")
    with pytest.raises(CourseError, match="line 2: the gradebook has no student 'adda'"):
        collect(course, [tmp_path], NAME, names=names_file(tmp_path, "11,adda"))
    with pytest.raises(CourseError, match="line 3: '11' is two students"):
        collect(course, [tmp_path], NAME, names=names_file(tmp_path, "11,ada", "11,bob"))


# ---------------------------------------------------------------- which one counts


def test_a_second_collect_changes_nothing_and_a_newer_one_keeps_the_older(course, tmp_path):
    names = names_file(tmp_path, "11,ada")
    old = zipped(tmp_path / "monday.zip", ("ada_11_501_m99_toy.ipynb", FIRST))
    new = zipped(tmp_path / "friday.zip", ("ada_11_777_m99_toy-1.ipynb", SECOND))
    both = zipped(tmp_path / "both.zip", ("ada_11_1000_m99_toy-1.ipynb", SECOND), ("ada_11_501_m99_toy.ipynb", FIRST))
    said, found = [], []
    for made in (old, old, new, new, old, both):
        said += [one.state for one in collect(course, [made], NAME, names=names)[0]]
        found.append(there(course))
    assert said == ["collected", "unchanged", "newer", "unchanged", "older", "unchanged"]
    assert found[0] == found[1] == {f"ada/{NAME}/{FILE}": FIRST}
    assert found[2] == found[3] == found[4] == found[5] and sorted(found[2].values()) == sorted((FIRST, SECOND)) and found[2][f"ada/{NAME}/{FILE}"] == SECOND
    assert len([name for name in found[2] if name.startswith(f"ada/{NAME}/earlier/")]) == 1


def test_the_newest_of_one_archive_counts(course, tmp_path):
    made = zipped(tmp_path / "c.zip", ("ada_11_1000_m99_toy-1.ipynb", SECOND), ("ada_11_501_m99_toy.ipynb", FIRST))
    (one,), problems = collect(course, [made], NAME, names=names_file(tmp_path, "11,ada"))
    assert problems == [] and there(course)[f"ada/{NAME}/{FILE}"] == SECOND and one.notes == ("what was handed in before is in earlier/",)


def test_of_several_notebooks_the_one_with_the_right_name_counts_and_else_none(course, tmp_path):
    box = tmp_path / "box"
    box.mkdir()
    zipped(box / "ada.zip", ("scratch.ipynb", SECOND), (f"deep/{NAME} (2).ipynb", FIRST))
    zipped(box / "bob.zip", ("a.ipynb", FIRST), ("b.ipynb", SECOND))
    zipped(box / "eve.zip", (f"1/{FILE}", FIRST), (f"2/{FILE}", SECOND))
    zipped(box / "1001.zip", (f"1/{FILE}", FIRST), (f"2/{FILE}", FIRST))
    collected, problems = collect(course, [box], NAME)
    assert states(collected) == {"ada": "collected", "1001": "collected"} and there(course)[f"ada/{NAME}/{FILE}"] == FIRST
    assert [problem.split(" (")[0] for problem in problems] == [f"{who}: 2 notebooks, and nothing says which one counts" for who in ("bob", "eve")]


def test_times_are_taken_only_when_the_instructor_says_so(course, tmp_path):
    made = tarred(tmp_path / "c.tgz", (f"ada/{FILE}", FIRST))
    collect(course, [made], NAME)
    assert set(there(course)) == {f"ada/{NAME}/{FILE}"}  # Canvas and Moodle write the time of the download
    made = tarred(tmp_path / "c.tgz", (f"ada/{FILE}", SECOND))
    collect(course, [made], NAME, times=True)
    stamp = datetime.fromtimestamp(1_900_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    assert there(course)[f"ada/{NAME}/timestamp.txt"].decode() == stamp
    collect(course, [tarred(tmp_path / "c.tgz", (f"ada/{FILE}", FIRST[:-1] + b" }"))], NAME)
    assert f"ada/{NAME}/timestamp.txt" not in there(course)  # it was another file's, and lies beside it
    assert any(name.endswith(".txt") and data.decode() == stamp for name, data in there(course).items())


# ---------------------------------------------------------------- what an archive cannot do


def symlink_in_zip(name, target):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info, target


def encrypted():
    data = bytearray(zip_bytes((FILE, FIRST)))
    data[6] |= 1  # the flag in the local header, and in the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def liar():
    """Says that it holds 100 bytes."""
    data = bytearray(zip_bytes((FILE, bytes(3_000_000))))
    struct.pack_into("<I", data, 22, 100)
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 100)
    return bytes(data)


def million_members():
    """The directory alone, a million times the same entry: 46 MB."""
    one = zip_bytes(("a", b""))
    start = one.index(b"PK\x01\x02")
    entry = one[start : one.index(b"PK\x05\x06")]
    count = 1_000_000
    return one[:start] + entry * count + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count & 0xFFFF, count & 0xFFFF, len(entry) * count, start, 0)


def pressed(info, size):
    """The header ``info`` and so many zeros, as .tar.gz."""
    press = zlib.compressobj(1, zlib.DEFLATED, 31)
    data = press.compress(info.tobuf(tarfile.GNU_FORMAT)) + b"".join(press.compress(bytes(10_000_000)) for _ in range(size // 10_000_000))
    return data + press.flush()


def endless_header():
    """A tar with a name of three gigabytes, of which 200 MB are there."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 3 * 2**30
    return pressed(info, 200_000_000)


def tar_bytes(*members, **how):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as made:
        for name, kind, target in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            info.devmajor, info.devminor = 1, 5
            made.addfile(info)
    return out.getvalue()


HOSTILE = {
    # what a student handed in: (its ending, its content, words of the message)
    "slip": ("zip", lambda: zip_bytes(("../../../../slip.ipynb", FIRST)), "has a name that leads out of the archive"),
    "absolute": ("zip", lambda: zip_bytes(("/tmp/slip.ipynb", FIRST)), "has a name that leads out of the archive"),
    "backslash": ("zip", lambda: zip_bytes(("..\\..\\slip.ipynb", FIRST)), "has a name that leads out of the archive"),
    "link": ("zip", lambda: zip_bytes(symlink_in_zip(FILE, "/etc/passwd")), "is a link or a device, not a file"),
    "locked": ("zip", encrypted, "is locked with a password; hand it in without one"),
    "bomb": ("zip", lambda: zip_bytes((FILE, bytes(3_000_000))), "has more than 2 MB"),
    "liar": ("zip", liar, "is damaged, or packed in a way that cannot be read"),
    "nested": ("zip", lambda: zip_bytes(("a.zip", zip_bytes(("b.zip", zip_bytes((FILE, FIRST)))))), "a.zip is an archive in an archive"),
    "million": ("zip", million_members, "takes too much memory or time to open|holds more than 10,000 files"),
    "many": ("zip", lambda: zip_bytes(*((f"{number}.txt", b"") for number in range(10_001))), "holds more than 10,000 files"),
    "cut": ("zip", lambda: zip_bytes((FILE, FIRST))[:-30], "the archive is damaged, or no zip or tar file"),
    "middle": (
        "zip",
        lambda: zip_bytes((FILE, FIRST)).replace(zlib.compress(FIRST, 6)[20:40], bytes(20)),
        "is damaged, or packed in a way that cannot be read",
    ),
    "empty": ("zip", lambda: b"", "the archive is damaged, or no zip or tar file"),
    "rar": ("zip", lambda: b"Rar!\x1a\x07\x01\x00" + bytes(100), "the archive is damaged, or no zip or tar file"),
    "hard": ("tar.gz", lambda: tar_bytes((FILE, tarfile.LNKTYPE, "../../bob/x.ipynb")), "is a link or a device, not a file"),
    "soft": ("tgz", lambda: tar_bytes(("out", tarfile.SYMTYPE, "/"), (f"out/{FILE}", tarfile.SYMTYPE, "x")), "is a link or a device, not a file"),
    "device": ("tar", lambda: tar_bytes((FILE, tarfile.CHRTYPE, "")), "is a link or a device, not a file"),
    "pipe": ("tar", lambda: tar_bytes((FILE, tarfile.FIFOTYPE, "")), "is a link or a device, not a file"),
    "name": ("tar.gz", endless_header, "takes too much memory or time to open"),
    "pdf": ("zip", lambda: zip_bytes(("report.pdf", b"x"), ("code.py", b"x")), "no notebook was handed in, only report.pdf, code.py"),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """One archive per student, all in one folder, with a right one before and behind."""
    box = tmp_path_factory.mktemp("hostile")
    for who, (ending, made, _) in HOSTILE.items():
        (box / f"{who}.{ending}").write_bytes(made())
    for who in ("aaa", "zzz"):
        (box / f"{who}.zip").write_bytes(zip_bytes((FILE, FIRST)))
    return box


def test_each_archive_costs_its_student_only(course, hostile, sandbox, tmp_path, monkeypatch):
    names = names_file(tmp_path, *(f"{who},{who}" for who in (*HOSTILE, "aaa", "zzz")))
    monkeypatch.setattr("zerohero_autograder.collect.gradebook_of", lambda course: NoStudents())
    for limit, value in (("SECONDS", 10.0), ("MEMORY", 100 * 2**20), ("MAX_BYTES", 2_000_000)):
        monkeypatch.setattr(archive, limit, value)
    before = {path for path in course.parent.rglob("*")}
    collected, problems = collect(course, [hostile], NAME, names=names)
    assert states(collected) == {"aaa": "collected", "zzz": "collected"}
    said = {who: [line for line in problems if line.startswith(f"{hostile.name}/{who}.") or line.startswith(f"{who}:")] for who in HOSTILE}
    assert {who: len(lines) for who, lines in said.items()} == {who: 2 if who == "soft" else 1 for who in HOSTILE}
    for who, (_, _, words) in HOSTILE.items():
        assert any(word in said[who][0] for word in words.split("|")), said[who]
    new = {path for path in course.parent.rglob("*")} - before
    allowed = {FILE, "not_collected.txt"}
    assert {path.name for path in new if path.is_file()} <= allowed and all("submitted" in path.parts for path in new)
    outcomes = {outcome.student: outcome for outcome in grade_all(course, NAME, sandbox=sandbox)}
    assert {who: outcome.score for who, outcome in outcomes.items()} == {**dict.fromkeys(HOSTILE, 0.0), "aaa": 3.5, "zzz": 3.5}
    assert outcomes["locked"].messages == (f"there is no file {FILE} in the submission: {FILE} is locked with a password; hand it in without one",)
    # and when the student hands in another one
    (hostile / "locked.zip").write_bytes(zip_bytes((FILE, FIRST)))
    assert states(collect(course, [hostile / "locked.zip"], NAME, names=names)[0]) == {"locked": "collected"}
    assert set(os.listdir(course / "submitted" / "locked" / NAME)) == {FILE}


class NoStudents:
    """A gradebook without a roster: the file of names is one."""

    students = ()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def test_an_archive_that_unpacks_for_ever_is_given_up(monkeypatch):
    """A large file in front of the notebook, and a limit that it exceeds on any machine."""
    info = tarfile.TarInfo("large.bin")
    info.size = 200_000_000
    data = pressed(info, info.size)
    assert [member.path for member in archive.members(io.BytesIO(data))] == [("large.bin",)]
    monkeypatch.setattr(archive, "SECONDS", 0.02)
    with pytest.raises(SubmissionUnreadable, match="takes too much memory or time to open"):
        list(archive.members(io.BytesIO(data)))


def test_links_and_pipes_in_a_folder(course, tmp_path):
    box = tmp_path / "box"
    box.mkdir()
    (box / "ada.ipynb").symlink_to("/etc/passwd")
    os.mkfifo(box / "bob.ipynb")
    (box / "eve").symlink_to(tmp_path)
    (box / "1001.ipynb").write_bytes(FIRST)
    collected, problems = collect(course, [box], NAME)
    assert states(collected) == {"1001": "collected"} and there(course).keys() == {
        f"1001/{NAME}/{FILE}",
        *(f"{who}/{NAME}/not_collected.txt" for who in ("ada", "bob", "eve")),
    }
    assert len(problems) == 3


def test_a_link_in_the_place_of_a_students_folder(course, tmp_path):
    (course / "submitted" / "ada").mkdir(parents=True)
    (course / "submitted" / "ada" / NAME).symlink_to(tmp_path)
    made = tmp_path / "ada.ipynb"
    made.write_bytes(FIRST)
    collected, problems = collect(course, [made], NAME)
    assert collected == [] and "is a link to another place; remove it and collect again" in problems[0] and os.listdir(tmp_path) == ["ada.ipynb"]


def test_names_of_every_kind_in_an_archive(course, tmp_path):
    odd = ["new\nline.ipynb", "\u202eadb.ipynb", "-rf.ipynb", "x" * 250 + ".ipynb", "'; rm -rf.ipynb", "nul\0.ipynb", "ADA.ipynb", "bob.ipynb", "bob.ipynb"]
    with pytest.warns(UserWarning, match="Duplicate name"):
        made = zipped(tmp_path / "c.zip", *((name, FIRST) for name in odd), ("o'hara.ipynb", FIRST), ("O'Hara.ipynb", FIRST))
    collected, problems = collect(course, [made], NAME)
    assert states(collected) == {"bob": "collected", "O'Hara": "collected"} and len(problems) == 7


def test_utf_8_names_that_do_not_say_so(course, tmp_path):
    """As the archive utility of macOS writes them."""
    data = zip_bytes(("\u00e9mile.ipynb", FIRST))
    at = data.index(b"PK\x01\x02")
    data = data[:7] + bytes([data[7] & ~8]) + data[8 : at + 9] + bytes([data[at + 9] & ~8]) + data[at + 10 :]
    (tmp_path / "c.zip").write_bytes(data)
    assert zipfile.ZipFile(tmp_path / "c.zip").namelist() != ["\u00e9mile.ipynb"]
    assert states(collect(course, [tmp_path / "c.zip"], NAME)[0]) == {"\u00e9mile": "collected"}


def test_the_command(course, tmp_path):
    box = tmp_path / "box"
    box.mkdir()
    (box / "ada.ipynb").write_bytes(FIRST)
    call = ["collect", str(box), "--module", NAME, "--course", str(course)]
    result = CliRunner().invoke(cli.app, call)
    assert (result.exit_code, result.output.splitlines()) == (
        0,
        ["ada: collected, from box/ada.ipynb", f"notebooks of {NAME}: 1; not collected: 0"],
    )
    (box / "new\nline.ipynb").write_bytes(FIRST)
    result = CliRunner().invoke(cli.app, call)
    assert result.exit_code == 1 and "not collected: box/new\\nline.ipynb: nothing in the name says whose it is" in result.output
