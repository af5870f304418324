"""The exported table reads back, and no cell of it is a formula."""

import csv

import pytest
from toy_course import NAME, answered, hand_in

from zerohero_autograder.driver import grade_all
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
