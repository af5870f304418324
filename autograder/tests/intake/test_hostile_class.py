"""A class full of files that are no notebooks: each costs its student a message, and nobody else anything."""

import json
import os
import socket
import stat

import pytest
import toy_course
from toy_course import NAME, answered, code, hand_in

from zerohero_autograder import workers
from zerohero_autograder.driver import grade_all
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.record import open_gradebook

FILE = f"{NAME}.ipynb"


def good() -> bytes:
    return json.dumps(answered()).encode()


def folder(course, who):
    made = course / "submitted" / who / NAME
    made.mkdir(parents=True)
    return made


def text(data):
    """Writes these bytes in place of the notebook."""
    return lambda course, who: hand_in(course, who, data() if callable(data) else data)


def cells(*found, **more):
    return lambda: json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(found), **more}).encode()


def named(name):
    return lambda course, who: (folder(course, who) / name).write_bytes(good())


def link(target):
    return lambda course, who: (folder(course, who) / FILE).symlink_to(target)


def in_place(make):
    return lambda course, who: make(folder(course, who) / FILE)


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(2**30)


def a_socket(path):
    with socket.socket(socket.AF_UNIX) as end:
        os.chdir(path.parent)  # the name of a socket has at most 108 bytes
        end.bind(path.name)


def a_device(path):
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        path.mkdir()  # not root: the folder's message is the same


def linked_folder(course, who):
    (course / "submitted" / who).mkdir(parents=True)
    (course / "submitted" / who / NAME).symlink_to(course / "submitted" / "a-right-one" / NAME)


def linked_student(course, who):
    (course / "submitted").mkdir(exist_ok=True)
    (course / "submitted" / who).symlink_to(course / "submitted" / "a-right-one")


def file_for_folder(course, who):
    (course / "submitted" / who).mkdir(parents=True)
    (course / "submitted" / who / NAME).write_bytes(good())


HOSTILE = {
    # who: (what is handed in, words of the message)
    "b-cut": (text(lambda: good()[:-200]), "cut off while it was saved or sent"),
    "b-empty": (text(b""), "the file is empty"),
    "b-zeros": (text(bytes(1000)), "not a whole notebook"),
    "b-no-cells": (text(b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}'), "no list of cells"),
    "b-latin-1": (text(lambda: good().replace(b"square", "carr\u00e9".encode("latin-1"))), "not text in UTF-8"),
    "b-utf-16": (text(lambda: good().decode().encode("utf-16")), "not text in UTF-8"),
    "b-deep": (text(b'{"nbformat": 4, "cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "nested too deeply"),
    "b-deep-outputs": (text(lambda: good().replace(b'"outputs": []', b'"outputs": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 1)), "nested too deeply"),
    "b-digits": (text(b'{"nbformat": ' + b"4" * 1_000_000 + b', "cells": []}'), "thousands of digits"),
    "b-nan": (text(b'{"nbformat": NaN, "cells": []}'), "does not say which notebook format"),
    "b-infinite": (text(b'{"nbformat": 1e999, "cells": []}'), "does not say which notebook format"),
    "b-cells-again": (text(lambda: good()[:-1] + b', "cells": 7}'), "no list of cells"),
    "b-cell-text": (text(cells("x = 1")), "damaged at cell 1"),
    "b-source-number": (text(cells(code(1.5))), "its source is not text"),
    "b-source-object": (text(cells(code({"0": "x"}))), "its source is not text"),
    "b-many-cells": (text(cells(*[code("")] * 10_001)), "10,001 cells; at most 10,000"),
    "b-large-cell": (text(cells(code("x" * 20_000_000))), "cell 1 holds 20,000,000 characters"),
    "b-large-file": (in_place(sparse), "has 1,074 MB; at most 200 MB are read"),
    "b-html": (text(b"<!DOCTYPE html><title>Log in</title>"), "not a whole notebook"),
    "b-zip": (text(b"PK\x03\x04\x14\x00\x00\x08\x08\x00\xff\xfe"), "not text in UTF-8"),
    "b-other-module": (text(cells(code("x = 1"))), f"no cell of {NAME} is in this notebook"),
    "c-nothing": (folder, f"there is no file {FILE} in the submission"),
    "c-other-name": (named("Final version.ipynb"), f"it holds Final version.ipynb. The file must be named {FILE}"),
    "c-browser": (named(f"{FILE}.txt"), f"it holds {FILE}.txt. The file must be named {FILE}"),
    "c-capitals": (named(FILE.upper()), f"it holds {FILE.upper()}. The file must be named {FILE}"),
    "c-folder": (in_place(os.mkdir), "a folder or a device, not a notebook file"),
    "c-pipe": (in_place(os.mkfifo), "a folder or a device, not a notebook file"),
    "c-device": (in_place(a_device), "a folder or a device, not a notebook file"),
    "c-socket": (in_place(a_socket), f"{FILE} cannot be opened"),
    "c-file": (file_for_folder, f"{FILE} cannot be opened"),
    "d-passwd": (link("/etc/passwd"), "is a link to another file"),
    "d-other": (link(f"../../a-right-one/{NAME}/{FILE}"), "is a link to another file"),
    "d-dangling": (link("nowhere"), "is a link to another file"),
    "d-itself": (link(FILE), "is a link to another file"),
    "d-folder": (linked_folder, "the folder of m99_toy.ipynb is a link"),
    "d-student": (linked_student, "the folder of m99_toy.ipynb is a link"),
}


def beside(name):
    def both(course, who):
        hand_in(course, who, answered())
        (course / "submitted" / who / NAME / name).write_bytes(b"{")

    return both


def hard_link(course, who):
    file = hand_in(course, f"{who}-first", answered())
    os.link(file, folder(course, who) / FILE)


def with_cells(change):
    def changed():
        notebook = answered()
        change(notebook)
        return json.dumps(notebook).encode()

    return text(changed)


RIGHT = {
    "a-right-one": text(good),
    "m-second-notebook": beside("m99_toy (1).ipynb"),
    "m-pictures-in-text": with_cells(lambda n: n["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": "![a](data:" + "A" * 2_000_000 + ")"})),
    "m-ten-thousand": with_cells(lambda n: n["cells"].extend(code("pass", f"i{at}") for at in range(10_000 - len(n["cells"])))),
    "m-nan-inside": with_cells(lambda n: n["cells"][0].update(metadata={"x": float("nan"), "y": [float("-inf")]})),
    "m-half-a-pair": with_cells(lambda n: n["cells"].append(code("'\ud800'", "\udfff"))),
    "m-nul-inside": with_cells(lambda n: n["cells"].append(code("x = 1\0", "nul"))),
    "m-metadata-lists": with_cells(lambda n: [cell.update(metadata=[1], outputs=5) for cell in n["cells"]]),
    "m-key-twice": text(lambda: b'{"cells": 5, ' + good()[1:]),
    "z-hard-link": hard_link,
    "z-last": text(good),
    **{
        name: text(good)
        for name in (
            "a b", "Ada", "ada", "O'Hara \"x\"", "e\u0301", "\u00e9", "x" * 255,
        )
    },
}  # fmt: skip


@pytest.fixture
def graded(course, sandbox, monkeypatch):
    monkeypatch.chdir(course)  # a_socket moves
    for who, make in RIGHT.items():
        make(course, who)
    for who, (make, _) in HOSTILE.items():
        make(course, who)
    return course, {outcome.student: outcome for outcome in grade_all(course, NAME, sandbox=sandbox)}


def test_each_costs_its_student_a_message_and_nobody_else_anything(graded):
    course, outcomes = graded
    assert set(outcomes) == {*RIGHT, *HOSTILE, "z-hard-link-first"} and not [o for o in outcomes.values() if o.failed]
    assert {who: o.score for who, o in outcomes.items()} == {who: 0.0 if who in HOSTILE else 3.5 for who in outcomes}
    assert {who: [words in line for line in outcomes[who].messages] for who, (_, words) in HOSTILE.items()} == {who: [True] for who in HOSTILE}
    assert all(len(line) < 300 for o in outcomes.values() for line in o.messages)
    with open_gradebook(course) as gradebook:
        assert {s.student.id: s.score for s in gradebook.assignment_submissions(NAME)} == {who: o.score for who, o in outcomes.items()}
    assert len(make_feedback(course, NAME, students=["b-deep", "d-student", "m-nul-inside", "x" * 255])) == 4


def test_a_file_that_cannot_be_read_for_lack_of_rights(course, sandbox, monkeypatch):
    """Root may read everything, so the refusal is played."""
    closed, real = hand_in(course, "ada", answered()), os.open
    hand_in(course, "bob", answered())

    def refused(path, *rest, **how):
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **how)

    monkeypatch.setattr(os, "open", refused)
    ada, bob = grade_all(course, NAME, sandbox=sandbox)
    assert (ada.score, bob.score) == (0, 3.5) and ada.messages == (f"{FILE} cannot be opened (Permission denied); hand it in again",)


def test_a_file_that_changes_while_it_is_graded_is_graded_again(course, sandbox, monkeypatch):
    file, real = hand_in(course, "ada", toy_course.student()), workers.grade

    def changed(submission, *rest, **options):
        result = real(submission, *rest, **options)
        file.write_bytes(good())
        return result

    monkeypatch.setattr(workers, "grade", changed)
    assert [o.score for o in grade_all(course, NAME, sandbox=sandbox)] == [0]
    monkeypatch.setattr(workers, "grade", real)
    assert [(o.score, o.skipped) for o in grade_all(course, NAME, sandbox=sandbox)] == [(3.5, False)]


def test_a_thousand_copies_of_an_answer_are_one_sentence(course, sandbox):
    notebook = answered()
    notebook["cells"] += [toy_course.cell(notebook, "m99-square-answer") | {"id": f"c{number}"} for number in range(1000)]
    hand_in(course, "ada", notebook)
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    start = len(answered()["cells"]) + 1
    assert outcome.score == 3.5
    assert outcome.messages == (
        f"cells {start}, {start + 1}, {start + 2}, {start + 3}, {start + 4} and 995 more are further cells of m99-square; all are run, in your order",
    )
