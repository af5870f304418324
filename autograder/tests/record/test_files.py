"""Files are written whole, and only small regular ones are passed on."""

import json
import os

import pytest

from zerohero_autograder.course_folder import open_course
from zerohero_autograder.record import files


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    file = tmp_path / "a" / "f.txt"
    files.write_whole(file, b"old", 0o444)

    def full(*names):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        files.write_whole(file, b"new")
    assert file.read_bytes() == b"old" and os.listdir(tmp_path / "a") == ["f.txt"]


def test_a_read_only_file_is_replaced(tmp_path):
    files.write_whole(tmp_path / "f", b"old", 0o444)
    files.write_whole(tmp_path / "f", b"new", 0o444)
    assert (tmp_path / "f").read_bytes() == b"new" and (tmp_path / "f").stat().st_mode & 0o777 == 0o444


def test_stamps_are_small_regular_text_files(tmp_path):
    (tmp_path / "real").write_text(" 2030-01-01 UTC\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "large").write_bytes(b"x" * 5000)
    (tmp_path / "binary").write_bytes(b"\xff")
    os.mkfifo(tmp_path / "pipe")
    assert [files.stamp(tmp_path, name) for name in ("real", "link", "large", "binary", "pipe", "none")] == ["2030-01-01 UTC", "", "", "", "", ""]


def test_a_graded_notebook_of_anyone_else_is_none_of_ours(course):
    folder = open_course(course)
    file = folder.autograded("ada", "m99_toy") / "m99_toy.ipynb"
    assert files.read_autograded(folder, "ada", "m99_toy") is None
    for content in ("", "[]", "{}", json.dumps({"metadata": {"zerohero": []}}), json.dumps({"metadata": {"zerohero": {"module": "m01"}}})):
        files.write_whole(file, content.encode())
        assert files.read_autograded(folder, "ada", "m99_toy") is None
