"""What grading leaves behind: scores and comments in nbgrader's gradebook, the graded notebook in autograded/, and CSV.

One process writes. Nothing here runs or reads a student's code.
"""

from .export import export_csv
from .files import graded_before, write_autograded
from .gradebook import enter_submission, gradebook_of, marks_of, open_gradebook, record, register, register_course, write_grades

__all__ = [
    "enter_submission",
    "export_csv",
    "gradebook_of",
    "graded_before",
    "marks_of",
    "open_gradebook",
    "record",
    "register",
    "register_course",
    "write_autograded",
    "write_grades",
]
