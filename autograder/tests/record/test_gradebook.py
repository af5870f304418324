"""The gradebook is nbgrader's and holds what formgrader expects."""

import pytest
import toy_course
from toy_course import HIDDEN, NAME, answered, hand_in

from zerohero_autograder.course_folder import open_course
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.record import open_gradebook, register, register_course


def test_registering_twice_changes_nothing(course):
    assert register_course(course) == [NAME] == register_course(course)
    with open_gradebook(course) as gradebook:
        notebook = gradebook.find_notebook(NAME, NAME)
        assert {c.name: c.max_score for c in notebook.grade_cells} == {"m99-square": 2.0, "m99-class": 1.5}
        assert {c.name for c in notebook.solution_cells} == {"m99-square-answer", "m99-class-answer"}


def test_changed_points_are_taken_over_and_stale_cells_are_refused(course, module):
    register_course(course)
    with open_gradebook(course) as gradebook:
        gradebook.update_or_create_grade_cell("m99-square", NAME, NAME, max_score=7, cell_type="code")
        register(gradebook, module)
        assert gradebook.find_grade_cell("m99-square", NAME, NAME).max_score == 2.0
        gradebook.update_or_create_grade_cell("m99-old", NAME, NAME, max_score=1, cell_type="code")
        with pytest.raises(CourseError, match=r"m99-old.*nbgrader db assignment remove"):
            register(gradebook, module)


def test_scores_and_comments_are_per_cell(course, sandbox):
    hand_in(course, "ada", answered(square="def square(x):\n    return 0.0"), "2030-01-02 03:04:05 UTC")
    grade_all(course, NAME, sandbox=sandbox)
    with open_gradebook(course) as gradebook:
        submission = gradebook.find_submission(NAME, "ada")
        assert submission.score == 1.5 and submission.max_score == 3.5 and not submission.needs_manual_grade
        assert submission.timestamp.isoformat() == "2030-01-02T03:04:05"
        grade = gradebook.find_grade("m99-square", NAME, NAME, "ada")
        assert (grade.auto_score, grade.manual_score, grade.needs_manual_grade) == (0, None, False)
        comment = gradebook.find_comment("m99-square-answer", NAME, NAME, "ada").comment
        assert comment.startswith("m99-square: ") and "FAILS" in comment and f"{HIDDEN:g}" not in comment


def test_a_persons_score_stays_and_is_flagged(course, sandbox):
    hand_in(course, "ada", answered())
    grade_all(course, NAME, sandbox=sandbox)
    with open_gradebook(course) as gradebook:
        gradebook.find_grade("m99-square", NAME, NAME, "ada").manual_score = 0.5
        gradebook.db.commit()
    grade_all(course, NAME, sandbox=sandbox, force=True)
    with open_gradebook(course) as gradebook:
        grade = gradebook.find_grade("m99-square", NAME, NAME, "ada")
        assert (grade.score, grade.auto_score, grade.needs_manual_grade) == (0.5, 2.0, True)


def test_a_roster_entry_is_kept(course, sandbox):
    with open_gradebook(course) as gradebook:
        gradebook.update_or_create_student("ada", first_name="Ada", email="a@b")
    hand_in(course, "ada", answered())
    hand_in(course, "new", answered())
    grade_all(course, NAME, sandbox=sandbox)
    with open_gradebook(course) as gradebook:
        assert gradebook.find_student("ada").first_name == "Ada" and gradebook.find_student("new").first_name is None


def test_a_submission_older_than_an_exercise_gets_its_row(course, sandbox):
    hand_in(course, "ada", answered())
    with open_gradebook(course) as gradebook:
        gradebook.add_assignment(NAME)
        gradebook.add_notebook(NAME, NAME, kernelspec="{}")
        gradebook.add_student("ada")
        gradebook.add_submission(NAME, "ada")
    grade_all(course, NAME, sandbox=sandbox)
    with open_gradebook(course) as gradebook:
        assert gradebook.find_submission(NAME, "ada").score == 3.5


def test_a_gradebook_that_cannot_be_opened(course):
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.CourseDirectory.db_url = 'sqlite:///no/such/folder/gradebook.db'\n")
    with pytest.raises(CourseError, match="cannot be opened"):
        open_gradebook(course)


def test_the_course_of_these_tests_opens(course):
    assert open_course(course).modules() == [NAME] and open_course(course).secret() == toy_course.SECRET
