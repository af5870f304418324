"""What grading leaves behind: scores and comments in nbgrader's gradebook, the graded notebook in autograded/, and CSV.

One process writes. Nothing here runs or reads a student's code.
"""

from .export import export_csv
from .files import look_back, only_writer, write_autograded
from .gradebook import enter_submission, gradebook_of, marks_of, open_gradebook, record, recorded_scores, register, register_course, write_grades

__all__ = [
    "enter_submission",
    "export_csv",
    "gradebook_of",
    "look_back",
    "marks_of",
    "only_writer",
    "open_gradebook",
    "record",
    "recorded_scores",
    "register",
    "register_course",
    "write_autograded",
    "write_grades",
]
