"""The step of `nbgrader generate_assignment` that makes our stubs, in place of nbgrader's ClearSolutions."""

from nbgrader.preprocessors import NbGraderPreprocessor

from .stub import stub_source


class StubSolutions(NbGraderPreprocessor):
    """Replaces each solution by a stub that names its exercise; nbgrader's has one text for all cells."""

    def preprocess_cell(self, cell, resources, cell_index):
        exercise = cell.metadata.get("zerohero", {}).get("exercise")
        if exercise:
            cell.source = stub_source(cell.source, exercise)
        return cell, resources
