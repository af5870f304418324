"""A report as plain text."""

from ..report import Finding, Report

SHOWN = 3  # findings in all; the groups line names the rest
FIELDS = ("where", "expected", "actual")


def text(report: Report) -> str:
    """The headline, the groups when there are several, the first finding one field a line, others that say more in one line each."""
    lines = [report.headline]
    if len(report.groups) > 1 and report.status == "failed":
        lines.append("  groups    " + ", ".join(f"{g.name} {'ok' if g.passed else 'FAILS'}" for g in report.groups))
    if report.findings:
        lines += [f"  {label:<10}{value}" for label, value in rows(report.findings[0])]
    lines += [f"  also      {also(finding)}" for finding in others(report)]
    return "\n".join(lines)


def rows(finding: Finding) -> list[tuple[str, str]]:
    """(label, value) of what the finding says, in the order it is read."""
    named = f"{finding.mistake}: {finding.because}" if finding.mistake else ""
    every = [*((label, getattr(finding, label)) for label in FIELDS), ("mistake", named), ("next", finding.next)]
    return [(label, value) for label, value in every if value]


def others(report: Report) -> list[Finding]:
    """The further findings that say something the first does not."""
    first, rest = report.findings[:1], report.findings[1:SHOWN]
    return [f for f in rest if f.what != first[0].what or f.mistake not in ("", first[0].mistake)]


def also(finding: Finding) -> str:
    """One further finding in one line."""
    numbers = f"; expected {finding.expected}, actual {finding.actual}" if finding.expected and finding.actual else ""
    named = f"; {finding.mistake}: {finding.because}" if finding.mistake else ""
    return f"{finding.group}: {finding.what}{numbers}{named}"
