"""Some exercises graded again: everything else stays as it was."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from .grade import Graded
from .notebook import RECORD, reports_of


def partly(graded: Graded, before: Mapping[str, Any], exercises: Collection[str]) -> Graded:
    """``graded``, with the reports and scores of all but ``exercises`` out of the notebook ``before``, of the same submission.

    It keeps saying that it was graded as ``before`` was: the next grading without a choice of exercises sees whether that is out of date.
    """
    new, old = graded.notebook["metadata"][RECORD], before["metadata"][RECORD]
    reports = reports_of(before)
    kept = {id for id in graded.scores if id not in exercises and id in reports and id in old["scores"]}

    def of(id, now, then):
        return then if id in kept else now

    shown = {cell["id"]: cell["outputs"][0] for cell in before["cells"] if cell["id"] in kept}
    cells = [{**cell, "outputs": [shown[cell["id"]], *cell["outputs"][1:]]} if cell["id"] in kept else cell for cell in graded.notebook["cells"]]
    scores = {id: of(id, score, old["scores"].get(id)) for id, score in graded.scores.items()}
    unnamed = {id: prints for id in graded.scores if (prints := of(id, new["unnamed"], old["unnamed"]).get(id))}
    record = {**new, "graded_as": old["graded_as"], "scores": scores, "unnamed": unnamed}
    return replace(
        graded,
        notebook={**graded.notebook, "cells": cells, "metadata": {**graded.notebook["metadata"], RECORD: record}},
        reports={id: of(id, report, reports.get(id)) for id, report in graded.reports.items()},
        scores=scores,
    )
