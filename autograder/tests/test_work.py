"""The student's copies: new lessons arrive, nothing a student wrote is lost."""

import pytest

from zerohero_autograder.work import refresh


@pytest.fixture
def folders(tmp_path):
    student, work = tmp_path / "student", tmp_path / "work"
    (student / "m01").mkdir(parents=True)
    (student / "m01" / "m01.ipynb").write_text("lesson 1")
    return student, work


def test_first_time_everything_is_copied(folders):
    student, work = folders
    assert refresh(student, work) == []
    assert (work / "m01/m01.ipynb").read_text() == "lesson 1"


def test_an_untouched_copy_follows_the_lesson(folders):
    student, work = folders
    refresh(student, work)
    (student / "m01/m01.ipynb").write_text("lesson 2")
    assert refresh(student, work) == []
    assert (work / "m01/m01.ipynb").read_text() == "lesson 2"


def test_work_is_kept_when_the_lesson_stays(folders):
    student, work = folders
    refresh(student, work)
    (work / "m01/m01.ipynb").write_text("my answer")
    assert refresh(student, work) == ["m01/m01.ipynb"]
    assert (work / "m01/m01.ipynb").read_text() == "my answer"
    assert not list(work.rglob("*.new.*"))


def test_work_is_kept_when_the_lesson_changes_and_the_new_one_lies_beside_it(folders):
    student, work = folders
    refresh(student, work)
    (work / "m01/m01.ipynb").write_text("my answer")
    (student / "m01/m01.ipynb").write_text("lesson 2")
    assert refresh(student, work) == ["m01/m01.ipynb"]
    assert (work / "m01/m01.ipynb").read_text() == "my answer"
    assert (work / "m01/m01.new.ipynb").read_text() == "lesson 2"


def test_a_file_of_the_students_own_with_our_name_is_kept(folders):
    student, work = folders
    (work / "m01").mkdir(parents=True)
    (work / "m01/m01.ipynb").write_text("mine from elsewhere")
    assert refresh(student, work) == ["m01/m01.ipynb"]
    assert (work / "m01/m01.ipynb").read_text() == "mine from elsewhere"


def test_a_deleted_copy_comes_back(folders):
    student, work = folders
    refresh(student, work)
    (work / "m01/m01.ipynb").unlink()
    refresh(student, work)
    assert (work / "m01/m01.ipynb").read_text() == "lesson 1"


def test_a_damaged_record_loses_nothing(folders):
    student, work = folders
    refresh(student, work)
    (work / "m01/m01.ipynb").write_text("my answer")
    (work / ".zerohero.json").write_text("{broken")
    refresh(student, work)
    assert (work / "m01/m01.ipynb").read_text() == "my answer"
