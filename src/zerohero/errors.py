"""Everything zerohero raises on purpose.

ZeroheroError
+-- CheckFailed (also an AssertionError)   the answer is not right yet
|   +-- NotStarted                         the answer is still the stub
+-- UnknownExercise                        no exercise or question has that id
+-- WrongObject                            check() or view() was handed something it cannot use
+-- CannotCheck                            gradcheck() cannot measure a slope: the forward pass or its inputs are not fit for it
+-- DataMissing                            a data set that is not shipped could not be had
+-- NotPlainData                           a value that may not cross from the student's process
"""


class ZeroheroError(Exception):
    """Base class. In a notebook it shows as one short block, never as a stack of our frames."""

    def _render_traceback_(self):
        # IPython calls this instead of formatting a traceback: a student's next step is in the message.
        return [f"{type(self).__name__}: {self}"]


class CheckFailed(ZeroheroError, AssertionError):
    """A check did not pass. ``.report`` is the whole Report; in a notebook it is already shown above."""

    def __init__(self, message, report=None):
        super().__init__(message)
        self.report = report


class NotStarted(CheckFailed):
    """The exercise still is its stub."""

    def _render_traceback_(self):
        return [str(self)]


class UnknownExercise(ZeroheroError, LookupError):
    """No exercise or question has this id."""


class WrongObject(ZeroheroError, TypeError):
    """check() or view() was called with an object of the wrong kind."""


class CannotCheck(ZeroheroError, ValueError):
    """There is no verdict on a gradient, because no slope can be measured: the forward pass, or an input, is not fit for it."""


class DataMissing(ZeroheroError, OSError):
    """A data set that is downloaded on request is neither here nor to be had."""


class NotPlainData(ZeroheroError, ValueError):
    """A value is not made of arrays, numbers, strings, lists and dicts, or is too large."""
