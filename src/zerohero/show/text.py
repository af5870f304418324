"""A report as plain text."""

from ..report import Report

SHOWN = 3  # findings shown in full; the groups line names the rest
FIELDS = ("where", "expected", "actual")


def text(report: Report) -> str:
    """The headline, the groups when there are several, then each finding with one field a line."""
    lines = [report.headline]
    if len(report.groups) > 1 and report.status == "failed":
        lines.append("  groups    " + ", ".join(f"{g.name} {'ok' if g.passed else 'FAILS'}" for g in report.groups))
    for number, finding in enumerate(report.findings[:SHOWN]):
        if number:
            lines.append(f"also: {finding.what}" + (f" ({finding.group})" if finding.group else ""))
        for label in FIELDS:
            if getattr(finding, label):
                lines.append(f"  {label:<10}{getattr(finding, label)}")
        if finding.mistake:
            lines.append(f"  mistake   {finding.mistake}: {finding.because}")
        if finding.next and not (number and finding.next == report.findings[number - 1].next):
            lines.append(f"  next      {finding.next}")
    return "\n".join(lines)
