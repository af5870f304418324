"""RecordGrades: the scores of a graded notebook into the gradebook, in place of nbgrader's SaveAutoGrades."""

from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from ..record import enter_submission, write_grades
from ..run.notebook import RECORD, reports_of


class RecordGrades(NbGraderPreprocessor):
    """Runs in autograde's second pass, on the notebook that GradingExporter made in the first."""

    def preprocess(self, nb, resources):
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            ours = nb.metadata[RECORD]
            enter_submission(gradebook, names["assignment"], names["student"], names.get("handed_in"))
            write_grades(gradebook, names["assignment"], names["student"], ours["scores"], reports_of(nb), ours["written"])
        return nb, resources
