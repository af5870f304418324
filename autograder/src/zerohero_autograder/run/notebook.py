"""The graded notebook as JSON (nbformat 4.5): what formgrader shows to the instructor, and what feedback is made from.

Its own record, under ``metadata.zerohero``, and the reports in the outputs of the check cells are all that is read
back. Everything in it was written here: the student's part is source text and plain text.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from zerohero.report import MIME, Report
from zerohero.show import bundle

from ..flags import Flag
from ..graded_module import GradedModule
from ..intake.notebook import clean
from ..rebuild import Rebuilt
from ..sandbox import CellRun

RECORD = "zerohero"
SCHEMA = 1
KERNEL = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}


def graded_notebook(
    module: GradedModule,
    rebuilt: Rebuilt,
    ran: Mapping[str, CellRun],
    reports: Mapping[str, Report],
    scores: Mapping[str, float],
    written: Mapping[str, str],
    messages: Sequence[str],
    notes: Sequence[str],
    flags: Sequence[Flag],
    unnamed: Mapping[str, Mapping[str, Any]],
    digest: str,
) -> dict[str, Any]:
    """ran: {cell name: what became of it}; written: {id: answer for a person to mark, "" where there is none}; unnamed: {exercise id: fingerprints of an answer without a name}; digest: of the file
    that was graded, empty when it could not be read."""
    cells = [_cell(cell, module, ran.get(cell.name), reports, written) for cell in rebuilt.cells]
    record = {
        "schema": SCHEMA,
        "module": module.name,
        "submission": digest,
        "graded_as": module.digest,
        "scores": dict(scores),
        "written": dict(written),
        "messages": list(messages),
        "notes": list(notes),
        "flags": [flag.to_json() for flag in flags],
        "unnamed": dict(unnamed),
    }
    return {"cells": cells, "metadata": {**KERNEL, RECORD: record}, "nbformat": 4, "nbformat_minor": 5}


def _cell(cell, module, ran, reports, written):
    made: dict[str, Any] = {"id": cell.name, "metadata": {RECORD: {"role": cell.role}}, "source": cell.source}
    if cell.role == "text":
        return {**made, "cell_type": "markdown"}
    if cell.role == "written":
        made["metadata"]["nbgrader"] = {
            "cell_type": "markdown", "grade": True, "grade_id": cell.name, "locked": False, "schema_version": 3, "solution": True, "task": False,
            "points": module.written[cell.name].points,
        }  # fmt: skip
        return {**made, "cell_type": "markdown", "source": _as_plain_text(written[cell.name] or "(no answer)")}
    made |= {"cell_type": "code", "execution_count": None, "outputs": _text_outputs(ran)}
    if ran is not None and ran.seconds is not None:
        made["metadata"][RECORD]["seconds"] = round(ran.seconds, 3)
    if cell.role in ("answer", "check"):
        graded = cell.role == "check"
        made["metadata"][RECORD]["exercise"] = cell.exercise
        made["metadata"]["nbgrader"] = {
            "cell_type": "code", "grade": graded, "grade_id": cell.name, "locked": graded, "schema_version": 3, "solution": not graded, "task": False,
        }  # fmt: skip
        if graded:
            made["metadata"]["nbgrader"]["points"] = module.points[cell.exercise]
            made["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": bundle(reports[cell.exercise])}, *made["outputs"]]
    return made


def _as_plain_text(answer):
    """Markdown that shows ``answer`` as it was typed.

    Formgrader lets HTML, scripts and javascript: links of a text cell through, into a page that may do what the instructor may do.
    In a pre block Markdown and MathJax change nothing, and no escaped text can end it.
    """
    return f'<pre style="white-space: pre-wrap; font-family: inherit">{escape(answer)}</pre>'


def _text_outputs(ran):
    if ran is None:
        return []
    outputs = [{"output_type": "stream", "name": "stdout", "text": clean(ran.text)}] if ran.text else []
    if ran.status != "ok":
        outputs.append({"output_type": "stream", "name": "stderr", "text": clean(ran.error) or ran.status})
    return outputs


def reports_of(notebook: Mapping[str, Any]) -> dict[str, Report]:
    """{exercise id: report} of a notebook that graded_notebook made. Raises KeyError, TypeError or ValueError for another."""
    reports = {}
    for cell in notebook["cells"]:
        ours = cell["metadata"].get(RECORD, {})
        if ours.get("role") == "check":
            reports[ours["exercise"]] = Report.from_json(cell["outputs"][0]["data"][MIME])
    return reports
