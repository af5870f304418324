"""A redacted notebook as one HTML file: no script, nothing from elsewhere, readable on paper and by a screen reader."""

from collections.abc import Mapping
from html import escape
from typing import Any

from zerohero.show import html

from ..run.notebook import RECORD
from .redact import report_of

STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } th, td { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums }
pre { border: 1px solid #8888; padding: .6rem; overflow-x: auto } code, pre { font-family: ui-monospace, monospace; font-size: .9em }
article { border-top: 1px solid #8888; margin-top: 2rem }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(notebook: Mapping[str, Any], *, score: float | None = None, max_score: float | None = None, late_penalty: float = 0.0) -> str:
    """HTML of a redacted notebook; cell metadata may carry nbgrader's ``score``, ``points`` and ``comment`` of the gradebook.

    The total is the gradebook's when given (what a person changed counts there), else the sum of the grader's scores.
    """
    record = notebook["metadata"].get(RECORD, {})
    name = str(record.get("module", "feedback"))
    parts = _exercises(notebook, record.get("scores", {}))
    total = sum(part["score"] for part in parts) if score is None else score
    points = sum(part["points"] for part in parts) if max_score is None else max_score
    body = [f"<h1>{escape(name)}: {_number(total)} of {_number(points)} points</h1>"]
    if late_penalty:
        body.append(f"<p>{_number(late_penalty)} points were taken off because it was handed in late.</p>")
    if record.get("messages"):
        body.append("<h2>Please note</h2><ul>" + "".join(f"<li>{escape(str(message))}</li>" for message in record["messages"]) + "</ul>")
    rows = "".join(
        f'<tr><th scope="row"><a href="#{escape(part["id"])}">{escape(part["title"])}</a></th><td class="n">{_number(part["score"])} of {_number(part["points"])}</td>'
        f"<td>{escape(part['status'])}</td></tr>"
        for part in parts
    )
    body.append(
        f'<table><thead><tr><th scope="col">Exercise</th><th scope="col">Points</th><th scope="col">Result</th></tr></thead><tbody>{rows}</tbody></table>'
    )
    body.append(
        "<p>Your answers were checked on the inputs of the lesson and on others of the same kinds. Run the check in your own notebook to see values.</p>"
    )
    body += [_article(part) for part in parts]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(name)}: feedback</title><style>{STYLE}</style></head>\n'
        f"<body><main>\n" + "\n".join(body) + "\n</main></body></html>\n"
    )


def _exercises(notebook, scores):
    """One dict per check cell, with the student's own code that stands before it."""
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
                }
            )
            code, comment = [], ""
    return parts


def _article(part):
    heading = f"{escape(part['title'])} ({_number(part['score'])} of {_number(part['points'])})"
    code = "".join(f"<pre><code>{escape(source)}</code></pre>" for source in part["code"])
    unjudged = part["status"] in ("not started", "not graded")
    verdict = f"<p><strong>{part['status']}</strong></p>" if unjudged else html(part["report"])
    by_hand = f"<h3>From your instructor</h3><p>{escape(part['comment'])}</p>" if _is_by_hand(part) else ""
    return f'<article id="{escape(part["id"])}"><h2>{heading}</h2>{verdict}{by_hand}{code}</article>'


def _is_by_hand(part):
    from ..record.gradebook import comment_of

    return bool(part["comment"]) and not (part["report"] and part["comment"] == comment_of(part["report"]))


def _number(value):
    return f"{float(value):.4g}"
