"""A report as plain text."""

from textwrap import wrap

from ..mistakes import MISTAKES
from ..report import Finding, Report
from .error_map import drawing, sentence

SHOWN = 3  # findings in all; the groups line names the rest
KEY = 68  # columns of the key of a map, 80 with its margin
FIELDS = ("where", "expected", "actual")


def text(report: Report) -> str:
    """The headline, the groups when there are several, the first finding one field a line and its map, others that say more in one line each."""
    lines = [report.headline]
    if len(report.groups) > 1 and report.status == "failed":
        lines.append("  groups    " + ", ".join(f"{g.name} {'ok' if g.passed else 'FAILS'}" for g in report.groups))
    if report.findings:
        first = report.findings[0]
        for label, *values in [*rows(first), *_map(first)]:
            lines += [f"  {label:<10}{values[0]}", *(f"{'':12}{value}" for value in values[1:])]
    lines += [f"  also      {also(finding)}" for finding in others(report)]
    return "\n".join(lines)


def rows(finding: Finding) -> list[tuple[str, ...]]:
    """(label, value, further lines of it) of what the finding says, in the order it is read; the map is not among them."""
    every = [*((label, getattr(finding, label)) for label in FIELDS), ("mistake", *_mistake(finding)), ("next", finding.next)]
    return [(label, *values) for label, *values in every if values and values[0]]


def _mistake(finding):
    """One line, or one for each kind it may be."""
    if len(finding.kinds) < 2:
        return [f"{kind}: {finding.because}" for kind in finding.kinds]
    sentences = [finding.because, *(MISTAKES.get(kind, ("",))[0] for kind in finding.alternatives)]
    lines = [f"{kind}: {because}" if because else kind for kind, because in zip(finding.kinds, sentences, strict=True)]
    return ["one of these; each fits what was seen", *lines]


def _map(finding):
    if not has_map(finding):
        return []
    picture, key = drawing(finding.error_map)
    return [("map", sentence(finding.error_map), *(label + marks for label, marks in picture), *wrap(key, KEY))]


def has_map(finding: Finding) -> bool:
    """Whether there is a map of more than one cell: ``where`` has already said which number is wrong."""
    return finding.error_map is not None and len(finding.error_map.cells) * len(finding.error_map.cells[0]) > 1


def others(report: Report) -> list[Finding]:
    """The further findings that say something the first does not."""
    first, rest = report.findings[:1], report.findings[1:SHOWN]
    return [f for f in rest if f.what != first[0].what or f.mistake not in ("", first[0].mistake)]


def also(finding: Finding) -> str:
    """One further finding in one line."""
    numbers = f"; expected {finding.expected}, actual {finding.actual}" if finding.expected and finding.actual else ""
    named = f"; {finding.mistake}: {finding.because}" if finding.mistake else ""
    if finding.alternatives:
        named = f"; one of {', '.join(finding.kinds)}"
    return f"{finding.group}: {finding.what}{numbers}{named}"
