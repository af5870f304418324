"""A report as HTML that reads without style sheet, script or colour: nbconvert, VS Code, Colab and GitHub show it."""

import re
from html import escape

from ..report import Report
from .error_map import drawing, sentence
from .text import FIELDS, also, has_map, others, rows

LEFT = 'style="text-align: left"'  # JupyterLab sets tables flush right; where styles are taken out, they read as well
OPEN = 8  # lines of a map that are shown without a click
ROWS, WIDTH = 64, 120
# runs of marks for errors from a tenth up, and for smaller ones; <mark> is yellow without a style, and half transparent does on white and on black
RUNS = re.compile("[#!1](?: ?[#!1])*|([2-9](?: ?[2-9])*)")
STRONG, WEAK = ('style="background:#de411999;color:inherit"', 'style="background:#de41194d;color:inherit"')


def html(report: Report) -> str:
    """One <section>: the verdict first, then the groups, then the first finding as a table with row headers and its map, then what others add."""
    parts = [f'<section class="zerohero-report" aria-label="Check of {escape(report.exercise)}"><p><strong>{_prose(report.headline)}</strong></p>']
    if len(report.groups) > 1:
        items = "".join(f"<li>{'&#10003; passes' if g.passed else '&#10007; fails'}: {escape(g.name)}</li>" for g in report.groups)
        parts.append(f"<ul>{items}</ul>")
    if report.findings:
        first = report.findings[0]
        cells = [(label, "<br>".join(_cell(label, value) for value in values)) for label, *values in rows(first)]
        if has_map(first):
            cells.append(("map", _map(first.error_map)))
        table = "".join(f'<tr><th scope="row" {LEFT}>{label}</th><td {LEFT}>{cell}</td></tr>' for label, cell in cells)
        parts.append(f"<table>{table}</table>")
    parts += [f"<p>also: {_prose(also(finding))}</p>" for finding in others(report)]
    return "".join(parts) + "</section>"


def _cell(label, value):
    return f"<code>{escape(value)}</code>" if label in FIELDS else _prose(value)


def _prose(text):
    """Escaped, with `names` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _map(drawn):
    """The sentence, and the characters, in <details> when they are many."""
    said, (lines, key) = _prose(sentence(drawn)), drawing(drawn, ROWS, WIDTH)
    if not lines:
        return said
    marked = "\n".join(label + RUNS.sub(_run, marks) for label, marks in lines)
    picture = f'<pre role="img" style="font-family: monospace" aria-label="map of {escape(drawn.of)}">{marked}</pre><small>{escape(key)}</small>'
    return said + picture if len(lines) <= OPEN else f"<details><summary>{said}</summary>{picture}</details>"


def _run(found):
    return f"<mark {WEAK if found[1] else STRONG}>{found[0]}</mark>"
