"""What is not a plain file of a decent size is not read, and the student is told why."""

import os

import pytest

from zerohero_autograder.errors import SubmissionUnreadable
from zerohero_autograder.intake import read_bytes


def refused(path, **limit):
    with pytest.raises(SubmissionUnreadable) as caught:
        read_bytes(path, **limit)
    return str(caught.value)


def test_a_file_is_read_as_it_is(tmp_path):
    (tmp_path / "a.ipynb").write_bytes(b"\x00\xff")
    assert read_bytes(tmp_path / "a.ipynb") == b"\x00\xff"


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text("s")
    (tmp_path / "a.ipynb").symlink_to(tmp_path / "secret")
    assert "is a link to another file" in refused(tmp_path / "a.ipynb")
    (tmp_path / "b.ipynb").symlink_to(tmp_path / "nowhere")
    assert "is a link to another file" in refused(tmp_path / "b.ipynb")


def test_a_pipe_does_not_hold_up_the_grading(tmp_path):
    os.mkfifo(tmp_path / "a.ipynb")
    assert "not a notebook file" in refused(tmp_path / "a.ipynb")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a.ipynb").mkdir()
    assert "a.ipynb" in refused(tmp_path / "a.ipynb")


def test_a_missing_file_names_what_is_there_instead(tmp_path):
    assert refused(tmp_path / "m02.ipynb") == "there is no file m02.ipynb in the submission"
    (tmp_path / "m02 (1).ipynb").write_text("{}")
    assert "it holds m02 (1).ipynb. The file must be named m02.ipynb" in refused(tmp_path / "m02.ipynb")


def test_a_file_over_the_limit_is_not_read(tmp_path):
    (tmp_path / "a.ipynb").write_bytes(b"x" * 2_000_001)
    assert "a.ipynb has 2 MB; at most 2 MB are read. Clear all outputs" in refused(tmp_path / "a.ipynb", limit=2_000_000)
