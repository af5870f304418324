"""What of a graded notebook may be shown to its student."""

import copy
from collections.abc import Mapping
from typing import Any

from zerohero.report import MIME, Report
from zerohero.show import bundle

from ..run.notebook import RECORD


def redacted(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with every output replaced: a check cell shows its report without values, all others show nothing.

    What the student's process printed, raised or returned could hold the inputs of hidden cases, so none of it is left.
    Takes any notebook: a check cell without a report of ours is left empty.
    """
    clean = copy.deepcopy(dict(notebook))
    for cell in clean["cells"]:
        if cell["cell_type"] == "code":
            report = report_of(cell)
            cell["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": bundle(report.without_values())}] if report else []
            cell["execution_count"] = None
    if RECORD in clean["metadata"]:
        clean["metadata"][RECORD] = {**clean["metadata"][RECORD], "notes": [], "flags": [], "unnamed": {}}
    return clean


def report_of(cell: Mapping[str, Any]) -> Report | None:
    """The report in a check cell that run/notebook.py made; None in any other cell."""
    if cell["metadata"].get(RECORD, {}).get("role") != "check":
        return None
    try:
        return Report.from_json(cell["outputs"][0]["data"][MIME])
    except (LookupError, TypeError, ValueError):
        return None
