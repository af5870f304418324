"""A report as HTML that reads without style sheet, script or colour: nbconvert, VS Code, Colab and GitHub show it."""

import re
from html import escape

from ..report import Report
from .text import FIELDS, also, others, rows

LEFT = 'style="text-align: left"'  # JupyterLab sets tables flush right; where styles are taken out, they read as well


def html(report: Report) -> str:
    """One <section>: the verdict first, then the groups, then the first finding as a table with row headers, then what others add."""
    parts = [f'<section class="zerohero-report" aria-label="Check of {escape(report.exercise)}"><p><strong>{_prose(report.headline)}</strong></p>']
    if len(report.groups) > 1:
        items = "".join(f"<li>{'&#10003; passes' if g.passed else '&#10007; fails'}: {escape(g.name)}</li>" for g in report.groups)
        parts.append(f"<ul>{items}</ul>")
    if report.findings:
        cells = "".join(f'<tr><th scope="row" {LEFT}>{label}</th><td {LEFT}>{_cell(label, value)}</td></tr>' for label, value in rows(report.findings[0]))
        parts.append(f"<table>{cells}</table>")
    parts += [f"<p>also: {_prose(also(finding))}</p>" for finding in others(report)]
    return "".join(parts) + "</section>"


def _cell(label, value):
    return f"<code>{escape(value)}</code>" if label in FIELDS else _prose(value)


def _prose(text):
    """Escaped, with `names` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
