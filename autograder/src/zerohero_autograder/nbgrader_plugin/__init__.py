"""nbgrader's own commands on our path: what `configure(c)` in a course's nbgrader_config.py sets.

autograde reads each submission with GradingExporter, so a file that nbgrader could not even open is graded too (0 points
and the reason). Of its two passes the first, which would sanitize, grades in the jail, and the second enters the scores.
"""

from .feedback import FeedbackExporter, GetMarks, RedactOutputs
from .grading import GradingExporter
from .recording import RecordGrades

__all__ = ["FeedbackExporter", "GetMarks", "GradingExporter", "RecordGrades", "RedactOutputs", "configure"]


def configure(c) -> None:
    """Put generate_assignment, autograde and generate_feedback of the course with configuration ``c`` on our path. Late penalties stay nbgrader's."""
    here = __name__
    c.Autograde.exporter_class = f"{here}.GradingExporter"
    c.Autograde.sanitize_preprocessors = []
    c.Autograde.autograde_preprocessors = [f"{here}.RecordGrades", "nbgrader.preprocessors.AssignLatePenalties"]
    c.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.LockCells",
        "zerohero_autograder.build.release.StubSolutions",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.SaveCells",
    ]
    c.GenerateFeedback.exporter_class = f"{here}.FeedbackExporter"
    c.GenerateFeedback.preprocessors = [f"{here}.GetMarks", f"{here}.RedactOutputs"]
