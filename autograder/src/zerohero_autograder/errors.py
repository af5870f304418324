"""Everything the instructor's side raises on purpose.

    zerohero.errors.ZeroheroError
    +-- LessonError             a lesson's text or a wrong answer cannot be built
    +-- CourseError             a folder is not what it should be, or a module is unknown
"""

from zerohero.errors import ZeroheroError


class LessonError(ZeroheroError):
    """A lesson or a wrong answer has a mistake; the message names the file and the cell."""


class CourseError(ZeroheroError):
    """A course folder is missing something, or a name is unknown."""
