"""Feedback in nbgrader's generate_feedback: GetMarks looks into the gradebook, RedactOutputs takes out what must not be seen, FeedbackExporter makes the page."""

from nbconvert.exporters import Exporter
from nbformat import from_dict
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from traitlets import default

from ..feedback.page import page
from ..feedback.redact import redacted


class GetMarks(GetGrades):
    """Scores as in nbgrader, and of comments only what a person wrote: what the grader has to say is in the reports."""

    def _get_comment(self, cell, resources):
        cell.metadata.nbgrader["comment"] = self._row(self.gradebook.find_comment, cell).manual_comment

    def _get_score(self, cell, resources):
        super()._get_score(cell, resources)
        grade = self._row(self.gradebook.find_grade, cell)
        cell.metadata.nbgrader |= {"waits": grade.needs_manual_grade, "by_hand": grade.manual_score is not None}

    def _row(self, find, cell):
        return find(cell.metadata.nbgrader["grade_id"], self.notebook_id, self.assignment_id, self.student_id)


class RedactOutputs(NbGraderPreprocessor):
    """Keeps the student's source and the reports without values; every other output goes."""

    def preprocess(self, nb, resources):
        return from_dict(redacted(nb)), resources


PREPROCESSORS = (GetMarks, RedactOutputs)


class FeedbackExporter(Exporter):
    """A graded notebook as a small HTML page. nbgrader's own HTML takes a second and 600 kB a student, and loads MathJax from elsewhere."""

    @default("file_extension")
    def _file_extension_default(self):
        return ".html"

    def from_notebook_node(self, nb, resources=None, **kwargs):
        """(HTML, resources). Redacts once more, so that a configuration without RedactOutputs leaks nothing either."""
        nb, resources = super().from_notebook_node(nb, resources, **kwargs)
        grades = resources.get("nbgrader", {})
        html = page(redacted(nb), score=grades.get("score"), max_score=grades.get("max_score"), late_penalty=grades.get("late_penalty") or 0.0)
        return html, resources
