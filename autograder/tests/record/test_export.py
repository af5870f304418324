"""The exported table reads back, and no cell of it is a formula."""

import csv

import pytest
from toy_course import NAME, answered, hand_in

from zerohero_autograder.course_new import import_roster
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.record import export_csv, open_gradebook
from zerohero_autograder.record.export import safe_cell


def test_one_row_per_student_and_module(course, sandbox):
    with open_gradebook(course) as gradebook:
        gradebook.add_student("ada", first_name='=HYPERLINK("http://x";"y")', last_name='Love, "lace"\nnext', email="@a")
        gradebook.add_student("-bob", first_name="+1", last_name="\tTab")
        gradebook.add_student("zoe", last_name="Zed")
    hand_in(course, "ada", answered(), "2030-01-02 03:04:05 UTC")
    hand_in(course, "-bob", answered(square="def square(x):\n    return 0.0"))
    grade_all(course, NAME, sandbox=sandbox)
    file = course / "grades.csv"
    assert export_csv(course, file).rows == 3
    with open(file, newline="", encoding="utf-8") as text:
        rows = {row["student_id"]: row for row in csv.DictReader(text)}
    assert rows["ada"] == {
        "assignment": NAME, "duedate": "", "timestamp": "2030-01-02 03:04:05", "student_id": "ada", "last_name": "Love, \"lace\"\nnext",
        "first_name": '\'=HYPERLINK("http://x";"y")', "email": "'@a", "raw_score": "3.5", "late_submission_penalty": "0.0", "score": "3.5", "max_score": "3.5",
    }  # fmt: skip
    assert (rows["'-bob"]["first_name"], rows["'-bob"]["last_name"], rows["'-bob"]["score"]) == ("'+1", "'\tTab", "1.5")
    assert (rows["zoe"]["score"], rows["zoe"]["timestamp"]) == ("0.0", "")


ROSTER = (
    {"id": "ada", "first_name": 'Ada "A"', "last_name": "=Love,\nlace", "email": "ada@example.org", "lms_user_id": "7"},
    {"id": "-bob", "first_name": "@Bob", "last_name": "", "email": "+bob@example.org", "lms_user_id": "12"},
    {"id": "zoë", "first_name": "Zoë", "last_name": "Zed", "email": "Zoë@example.org", "lms_user_id": "003"},
)


@pytest.fixture
def graded(course, sandbox):
    """ada has all points, -bob 1.5 with half a point off, zoë handed nothing in."""
    import_roster(course, ROSTER)
    hand_in(course, "ada", answered())
    hand_in(course, "-bob", answered(square="def square(x):\n    return 0.0"))
    grade_all(course, NAME, sandbox=sandbox)
    with open_gradebook(course) as gradebook:
        gradebook.find_submission_notebook(NAME, NAME, "-bob").late_submission_penalty = 0.25
        gradebook.update_or_create_assignment("m98_to_come")
        gradebook.db.commit()
    return course


def test_canvas_and_moodle_byte_for_byte(graded):
    """One course for both: a gradebook is slow to make."""
    file = graded / "out.csv"
    done = export_csv(graded, file, "canvas")
    assert file.read_bytes().decode() == (
        "Student,ID,SIS Login ID,Section,m99_toy\r\n"
        "    Points Possible,,,,3.5\r\n"
        "'@Bob,12,'-bob,,1.25\r\n"
        '"\'=Love, lace, Ada ""A""",7,ada,,3.5\r\n'
        '"Zed, Zoë",003,zoë,,0\r\n'
    )
    assert done.rows == 3 and "name the assignments as in the file (m99_toy)" in done.notes[0]
    with open(file, newline="", encoding="utf-8") as text:
        back = list(csv.DictReader(text))
    assert [row["ID"] for row in back[1:]] == ["12", "7", "003"] and back[2]["Student"] == '\'=Love, lace, Ada "A"'

    done = export_csv(graded, file, "moodle")
    assert file.read_bytes().decode() == ('First name,Last name,ID number,m99_toy\r\n\'@Bob,,12,1.25\r\n"Ada ""A""","\'=Love, lace",7,3.5\r\nZoë,Zed,003,0\r\n')
    assert done.notes == (
        "in Moodle, identify users by ID number",
        "Email address (email in the roster) is left out: a spreadsheet would not leave '+bob@example.org' as it is",
        "Username (id in the roster) is left out: a spreadsheet would not leave '-bob' as it is",
    )

    with open_gradebook(graded) as gradebook:
        for student, email, number in (("ada", "ada@example.org", None), ("-bob", "bob@example.org", "12"), ("zoë", "Zoë@example.org", "3x")):
            gradebook.update_or_create_student(student, email=email, lms_user_id=number)
    done = export_csv(graded, file, "moodle")
    assert file.read_bytes().decode().splitlines()[:2] == ["First name,Last name,Email address,m99_toy", "'@Bob,,bob@example.org,1.25"]
    assert done.notes[1] == "ID number (lms_user_id in the roster) is left out: 1 of 3 students have none"

    before = file.read_bytes()
    with pytest.raises(
        CourseError, match=r"lms_user_id in the roster .* 2 of the roster have none that can be used: 'ada', 'zoë'.*`nbgrader db student import FILE`"
    ):
        export_csv(graded, file, "canvas")  # 3x would be student 3 to Canvas
    with open_gradebook(graded) as gradebook:
        gradebook.update_or_create_student("ada", email="bob@example.org", lms_user_id="12")
        gradebook.update_or_create_student("zoë", lms_user_id="3")
    with pytest.raises(CourseError, match="two students have the lms_user_id 12: one would get the other's grade in Canvas"):
        export_csv(graded, file, "canvas")
    with pytest.raises(
        CourseError,
        match=r"no column tells all students apart in Moodle: ID number .* two students have '12'; Email address .* two students have 'bob@example.org'",
    ):
        export_csv(graded, file, "moodle")
    assert file.read_bytes() == before


def test_formats_without_grades_or_of_another_name(course):
    for format, says in (
        ("canvas", "no grades yet: run `zerohero grade MODULE` first"),
        ("moodle", "no grades yet"),
        ("excel", "no format 'excel': there are plain, canvas, moodle"),
    ):
        with pytest.raises(CourseError, match=says):
            export_csv(course, course / "out.csv", format)
    assert not (course / "out.csv").exists()


def test_an_empty_gradebook_gives_a_header(course):
    assert export_csv(course, course / "grades.csv").rows == 0
    assert (course / "grades.csv").read_text().startswith("assignment,duedate,timestamp,student_id")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("ada", "ada"),
        ("o'neill-smith; jr", "o'neill-smith; jr"),
        ("=1+1", "'=1+1"),
        ("  =1+1", "'  =1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("ada;=1+1", "ada;'=1+1"),
        ("ada\t@x\n-3", "ada\t'@x\n'-3"),
        ("-rf", "'-rf"),
    ],
)
def test_no_cell_is_a_formula_in_any_spreadsheet(text, cell):
    assert safe_cell(text) == cell


def test_numbers_stay_numbers():
    assert [safe_cell(value) for value in (-1.5, 0, None)] == [-1.5, 0, None]
