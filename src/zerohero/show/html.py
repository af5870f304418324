"""A report as HTML that reads without style sheet, script or colour: nbconvert, VS Code, Colab and GitHub show it."""

from html import escape

from ..report import Report
from .text import FIELDS, SHOWN


def html(report: Report) -> str:
    """One <section>: the verdict first, then the groups, then each finding as a table with row headers."""
    parts = [f'<section class="zerohero-report" aria-label="Check of {escape(report.exercise)}"><p><strong>{escape(report.headline)}</strong></p>']
    if len(report.groups) > 1:
        items = "".join(f"<li>{'&#10003; passes' if g.passed else '&#10007; fails'}: {escape(g.name)}</li>" for g in report.groups)
        parts.append(f"<ul>{items}</ul>")
    for number, finding in enumerate(report.findings[:SHOWN]):
        rows = [(label, getattr(finding, label)) for label in FIELDS]
        rows.append(("mistake", f"{finding.mistake}: {finding.because}" if finding.mistake else ""))
        rows.append(("next", finding.next))
        if number:
            parts.append(f"<p>also: {escape(finding.what)}" + (f" ({escape(finding.group)})" if finding.group else "") + "</p>")
        cells = "".join(f'<tr><th scope="row" align="left">{label}</th><td align="left"><code>{escape(value)}</code></td></tr>' if label in FIELDS
                        else f'<tr><th scope="row" align="left">{label}</th><td align="left">{escape(value)}</td></tr>' for label, value in rows if value)  # fmt: skip
        parts.append(f"<table>{cells}</table>")
    return "".join(parts) + "</section>"
