"""The step of `nbgrader generate_assignment` that makes our stubs, in place of nbgrader's ClearSolutions."""

from nbgrader.preprocessors import NbGraderPreprocessor

from .stub import without_solution


class StubSolutions(NbGraderPreprocessor):
    """Replaces each solution of code by a stub that names its exercise; nbgrader's has one text for all cells."""

    def preprocess_cell(self, cell, resources, cell_index):
        cell.source = without_solution(cell.source, cell.metadata.get("zerohero", {}))
        return cell, resources
