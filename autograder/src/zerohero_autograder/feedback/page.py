"""A redacted notebook as one HTML file: no script, nothing from elsewhere, readable on paper and by a screen reader."""

from collections.abc import Mapping
from html import escape
from typing import Any

from zerohero.show import html

from ..run.notebook import RECORD
from .redact import report_of

STYLE = """
:root { color-scheme: light dark; --line: #8886; --good: light-dark(#1a7f37, #4ac26b); --bad: light-dark(#b42318, #ff8a80) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-bottom: .4rem } h3 { font-size: 1rem }
table { border-collapse: collapse } th, td { padding: .25rem 1rem .25rem 0; text-align: left; vertical-align: top }
table.all { width: 100% } table.all td, table.all th { border-bottom: 1px solid var(--line) } table.all th { font-weight: 500 }
td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
ul { margin: .5rem 0; padding-left: 1.4rem } article ul { list-style: none; padding-left: 0 }
pre { border: 1px solid var(--line); padding: .6rem; overflow-x: auto; overflow-wrap: normal }
code, pre { font-family: ui-monospace, monospace; font-size: .9em } pre code { font-size: 1em }
pre.prose, p.prose { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }
article, .note { border-left: 4px solid var(--line); padding-left: 1rem; margin-top: 2rem }
article.passed { border-color: var(--good) } article.failed, .note { border-color: var(--bad) }
@media print { body { max-width: none; margin: 0 } pre { white-space: pre-wrap; overflow-wrap: anywhere } h2, h3 { break-after: avoid } tr, li { break-inside: avoid } }
"""
MOST_SHOWN = 50_000
"""Characters of the student's own for one exercise."""
PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"} | {127: 0x2421}
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(notebook: Mapping[str, Any], *, score: float | None = None, max_score: float | None = None, late_penalty: float = 0.0) -> str:
    """HTML of a redacted notebook; cell metadata may carry ``score``, ``points``, ``comment``, ``waits`` and ``by_hand`` as GetMarks puts them there.

    The total is the gradebook's when given (what a person changed counts there), else the sum of the grader's scores.
    """
    record = notebook["metadata"].get(RECORD, {})
    name = str(record.get("module", "feedback"))
    parts = _parts(notebook, record)
    total = sum(part["score"] for part in parts) if score is None else score
    points = sum(part["points"] for part in parts) if max_score is None else max_score
    unmarked = sum(part["points"] for part in parts if part["waits"])
    body = [f"<h1>{escape(name)}: {_number(total)} of {_number(points)} points{' so far' if unmarked else ''}</h1>"]
    if unmarked:
        body.append(f"<p>{_number(unmarked)} of the points are still open: written answers are marked by a person.</p>")
    if late_penalty:
        body.append(f"<p>{_number(late_penalty)} points were taken off because it was handed in late.</p>")
    if record.get("messages"):
        notes = "".join(f"<li>{escape(str(message))}</li>" for message in record["messages"])
        body.append(f'<section class="note"><h2>Please note</h2><ul>{notes}</ul></section>')
    if record.get("submission") == "":  # there is nothing to say about any exercise
        return _document(name, [*body, "<p>So nothing could be checked.</p>"])
    rows = "".join(
        f'<tr><th scope="row"><a href="#{escape(part["id"])}">{escape(part["title"])}</a></th><td class="n">{_number(part["score"])} of {_number(part["points"])}</td>'
        f"<td>{_in_short(part)}</td></tr>"
        for part in parts
    )
    body.append(
        f'<table class="all"><thead><tr><th scope="col">Exercise</th><th scope="col">Points</th><th scope="col">Result</th></tr></thead><tbody>{rows}</tbody></table>'
    )
    body.append(
        "<p>Your answers were checked on the inputs of the lesson and on others of the same kinds. Run the check in your own notebook to see values.</p>"
    )
    return _document(name, [*body, *map(_article, parts)])


def _document(name, body):
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(name)}: feedback</title><style>{STYLE}</style></head>\n'
        f"<body><main>\n" + "\n".join(body) + "\n</main></body></html>\n"
    )


def _parts(notebook, record):
    """One dict per check cell, with the student's own code that stands before it, and one per written answer."""
    scores, written = record.get("scores", {}), record.get("written", {})
    parts, code, comment = [], [], ""
    for cell in notebook["cells"]:
        ours, graded = cell["metadata"].get(RECORD, {}), cell["metadata"].get("nbgrader", {})
        if ours.get("role") == "answer":
            code, comment = [cell["source"]], graded.get("comment") or ""
        elif ours.get("role") == "extra" and code:
            code.append(cell["source"])
        elif ours.get("role") == "check":
            report = report_of(cell)
            id = str(ours.get("exercise", graded.get("grade_id", "")))
            parts.append(
                {
                    "id": id,
                    "title": report.title if report else id,
                    "status": report.status if report else "not graded",
                    "score": graded.get("score", scores.get(id, 0.0)) or 0.0,
                    "points": graded.get("points", 0.0) or 0.0,
                    "code": code,
                    "comment": comment,
                    "report": report,
                    "waits": False,
                }
            )
            code, comment = [], ""
        elif ours.get("role") == "written":
            parts.append(_written(graded, written))
    return parts


def _written(graded, written):
    """The part of an answer in words: what is marked, by whom and whether that has been done."""
    id = str(graded.get("grade_id", ""))
    answer, by_hand = written.get(id, ""), graded.get("by_hand", False)
    waits = graded.get("waits", bool(answer))
    return {
        "id": id,
        "title": f"Written answer: {id}",
        "status": "to be marked again" if waits and by_hand else "not marked yet" if waits else "marked" if by_hand else "no answer",
        "score": graded.get("score") or 0.0,
        "points": graded.get("points") or 0.0,
        "answer": answer,
        "comment": graded.get("comment") or "",
        "waits": waits,
    }


def _in_short(part):
    """The verdict in the table: what is wrong, and by name where it is known."""
    report = part.get("report")
    if not report or report.status != "failed" or not report.findings:
        return f"&#10003; {part['status']}" if part["status"] == "passed" else escape(part["status"])
    first = report.findings[0]
    ok, every = sum(group.passed for group in report.groups), len(report.groups)
    share = f" ({ok} of {every} groups pass)" if every > 1 else ""
    return f"&#10007; {escape(first.what.replace('`', ''))}{': ' + escape(' or '.join(first.kinds)) if first.kinds else ''}{share}"


def _article(part):
    heading = f"{escape(part['title'])} ({_number(part['score'])} of {_number(part['points'])})"
    if "answer" in part:
        theirs = f'<pre class="prose">{_theirs(_cut([part["answer"]])[0])}</pre>' if part["answer"] else ""
    else:
        theirs = "".join(f"<pre><code>{_theirs(source)}</code></pre>" for source in _cut(part["code"]))
    verdict = html(part["report"]) if part["status"] in ("passed", "failed") else f"<p><strong>{part['status']}</strong></p>"
    by_hand = f'<h3>From your instructor</h3><p class="prose">{_theirs(part["comment"])}</p>' if part["comment"] else ""
    return f'<article id="{escape(part["id"])}" class="{escape(part["status"].replace(" ", "-"))}"><h2>{heading}</h2>{verdict}{by_hand}{theirs}</article>'


def _theirs(text):
    """What somebody typed, as HTML: a control character is shown as the picture that Unicode has of it."""
    return escape(text.translate(PICTURES))


def _cut(texts):
    """The texts, as far as MOST_SHOWN characters go."""
    shown, left = [], MOST_SHOWN
    for text in texts:
        more = len(text) - left
        shown.append(text if more <= 0 else f"{text[:left]}\n({more:,} more characters of yours are not repeated here)")
        left = max(0, -more)
    return shown


def _number(value):
    return f"{float(value):.4g}"
