"""Everything the instructor's side raises on purpose.

zerohero.errors.ZeroheroError
+-- LessonError             a lesson's text or a wrong answer cannot be built
+-- CourseError             a folder is not what it should be, or a module is unknown
+-- SubmissionUnreadable    one student's file cannot be read; the message is for that student
"""

from zerohero.errors import ZeroheroError


class LessonError(ZeroheroError):
    """A lesson or a wrong answer has a mistake; the message names the file and the cell."""


class CourseError(ZeroheroError):
    """A course folder is missing something, or a name is unknown."""


class SubmissionUnreadable(ZeroheroError):
    """One student's file is no notebook that can be graded. The message says why, in the student's words."""
