"""A wrong folder, a wrong name or a missing secret is said with the place and the next step."""

import pytest
import toy_course

from zerohero_autograder.course_folder import open_course
from zerohero_autograder.errors import CourseError


def refused(step):
    with pytest.raises(CourseError) as caught:
        step()
    return str(caught.value)


def test_what_is_no_course_folder(tmp_path):
    assert "zerohero course new" in refused(lambda: open_course(tmp_path / "nowhere"))
    assert "is not a course folder: it has no nbgrader_config.py" in refused(lambda: open_course(tmp_path))
    (tmp_path / "nbgrader_config.py").write_text("1/0")
    assert "nbgrader_config.py does not run: ZeroDivisionError" in refused(lambda: open_course(tmp_path))


def test_an_unknown_module_gets_the_nearest_name(course):
    assert "no module 'm99_tox'; did you mean 'm99_toy'?" in refused(lambda: open_course(course).module("m99_tox"))
    assert "there are m99_toy" in refused(lambda: open_course(course).module("xyz"))
    assert "did you mean 'm99_toy'" in refused(lambda: open_course(course).students("m99_ty"))


def test_the_secret(course):
    secret = course / "secret_seed"
    secret.chmod(0o644)
    assert "chmod 600" in refused(lambda: open_course(course).secret())
    secret.chmod(0o600)
    secret.write_text("short")
    assert "at least 16" in refused(lambda: open_course(course).secret())
    secret.unlink()
    assert "secret_seed is missing" in refused(lambda: open_course(course).secret())


def test_another_secret_gives_other_hidden_cases(course):
    def drawn():
        return [case.inputs["x"] for case in open_course(course).module("m99_toy").cases["m99-square"] if case.hidden]

    first, again = drawn(), drawn()
    (course / "secret_seed").write_text("another-secret-of-some-length")
    assert first == again != drawn()


def test_a_source_notebook_of_something_else(course):
    file = course / "source" / "m99_toy" / "m99_toy.ipynb"
    file.write_text('{"cells": []}')
    assert "does not hold the exercises of m99_toy" in refused(lambda: open_course(course).module("m99_toy"))
    file.write_text("nonsense")
    assert "is not a notebook" in refused(lambda: open_course(course).module("m99_toy"))


def test_students_and_their_nearest_names(course):
    for name in ("ada", "bob"):
        toy_course.hand_in(course, name, b"{}")
    folder = open_course(course)
    assert folder.students("m99_toy") == ["ada", "bob"] and folder.students("m99_toy", only=["bob"]) == ["bob"]
    assert "no submitted m99_toy of student 'adda'; did you mean 'ada'?" in refused(lambda: folder.students("m99_toy", only=["adda"]))


def test_a_relative_gradebook_is_inside_the_course(course):
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.CourseDirectory.db_url = 'sqlite:///other.db'\n")
    assert open_course(course).db_url == f"sqlite:///{course.resolve()}/other.db"
    config.write_text(config.read_text() + "c.CourseDirectory.db_url = 'postgresql://host/db'\n")
    assert open_course(course).db_url == "postgresql://host/db"
