"""The numbers as one HTML page: no script, nothing from elsewhere, readable on paper and by a screen reader. What to say next comes first."""

import re
from html import escape

from ..feedback.page import POLICY
from ..feedback.page import STYLE as FEEDBACK
from .collect import ENOUGH, Cause, ExerciseNumbers, Insights, Spread

STYLE = (
    FEEDBACK
    + """
body { max-width: 66rem } h2 { margin-top: 2.2rem; border-top: 1px solid var(--line); padding-top: 1rem } h3 { margin: 1.6rem 0 .3rem }
table.all thead th { border-bottom: 2px solid var(--line); font-weight: 600; font-size: .85rem; vertical-align: bottom } small, .dim { opacity: .8 }
svg.bar { width: 7rem; height: .7rem; vertical-align: baseline; margin-right: .6rem } svg .ok { fill: var(--good) } svg .no { fill: var(--bad) } svg .box { fill: none; stroke: currentColor; stroke-opacity: .5 }
ol.next { padding-left: 1.4rem } ol.next li { margin: .8rem 0; padding-left: .3rem } ol.next p { margin: .1rem 0 } .kind { font-size: .8rem; letter-spacing: .03em; border: 1px solid var(--line); border-radius: .2rem; padding: 0 .35rem; white-space: nowrap }
dl.where { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .3rem 0 } dl.where dd { margin: 0 } dl.means dt { font-weight: 600; margin-top: .6rem } dl.means dd { margin: 0 }
td, th { padding-right: .9rem } .scroll { overflow-x: auto } .scroll table { min-width: 46rem } .scroll td:last-child, .scroll th:last-child { padding-right: 0 }
th.bar, td.bar, .count { white-space: nowrap } section.exercise table { table-layout: fixed } section.exercise thead th:first-child { width: 10.5rem } td.why { max-width: 8rem } section.exercise { break-inside: avoid-page } .warn { border-left: 4px solid var(--bad); padding-left: 1rem }
@media (max-width: 40rem) { section.exercise thead th:first-child { width: 5rem } th.bar svg { width: 2.5rem } dl.where { display: block } }
@media print { svg .ok, svg .no { print-color-adjust: exact } h2 { break-after: avoid } .scroll { overflow: visible } .scroll table { min-width: 0; font-size: .8em } .scroll svg.bar { width: 3.5rem } td, th { padding-right: .5rem } }
"""
)
MOST = 6
"""Causes named for the next lecture."""
SMALL = 30
"""Students below which a correlation is only a rough one."""


def page(insights: Insights) -> str:
    """The whole page as HTML text."""
    name = escape(insights.module)
    body = [f"<h1>{name}: how the class did</h1>", _overview(insights), _next(insights), _table(insights)]
    details = [_detail(one) for one in insights.exercises if one.failed]
    body += ['<h2 id="each">What went wrong, exercise by exercise</h2>', *details] if details else []
    body += [_kinds(insights), _guesses(insights), _eyes(insights), _meaning(insights)]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}: insights</title><style>{STYLE}</style></head>\n'
        f"<body><main>\n" + "\n".join(filter(None, body)) + "\n</main></body></html>\n"
    )


def _overview(insights):
    read = f"{_count(insights.students, 'submission')} of this module"
    if insights.unreadable:
        read += f", and {insights.unreadable} more that could not be read and count nowhere below"
    parts = [f"{read}."]
    if insights.score:
        parts.append(f"The median is {insights.score.median:.4g} of {insights.max_score:g} points, the best {insights.score.largest:.4g}.")
    if insights.damaged:
        parts.append(f"{_count(insights.damaged, 'graded notebook')} cannot be read back: grade the module again with --force.")
    text = f"<p>{' '.join(parts)}</p>"
    if 0 < insights.students < ENOUGH:
        text += f'<p class="warn">A class of {insights.students}: one student more or less changes every share by {100 / insights.students:.0f} points in a hundred, and a single student may be recognised.</p>'
    return text + "<p>For you, not for students: a value on this page may be one of a hidden case.</p>"


def _next(insights):
    causes = [(cause, one) for one in insights.exercises for cause in one.causes if cause.students > 1]
    causes.sort(key=lambda pair: -pair[0].students)
    items = "".join(f"<li>{_say(cause, one, insights)}</li>" for cause, one in causes[:MOST])
    left = [one for one in insights.exercises if one.not_started > 1 and one.not_started / one.students >= 0.25]
    if left:
        names = ", ".join(f"{_link(one)} ({one.not_started})" for one in left)
        items += f"<li><strong>Not written by a quarter of the class or more:</strong> {names}. Too long, or too late in the lesson?</li>"
    body = f'<ol class="next">{items}</ol>' if items else "<p>No mistake was made by more than one student, and no exercise was left out by many.</p>"
    return f'<section aria-labelledby="next"><h2 id="next">For the next lecture</h2>{body}</section>'


def _say(cause: Cause, one: ExerciseNumbers, insights: Insights):
    head = f"<strong>{cause.students} of {insights.students}</strong> in {_link(one)}"
    text = _prose(cause.said[0][0])
    if cause.group:
        return f"<p>{head}: the same wrong answer, which has no name yet.</p><p>{_sentence(text)} {_how_to_name(cause, one)}</p>"
    if not cause.kinds:
        return f"<p>{head}</p><p>{_sentence(text)}</p>"
    step = f" <em>To say: {_sentence(_prose(cause.next))}</em>" if cause.next else ""
    return f"<p>{head} {_kind(cause)}</p><p>{_sentence(text)}{step}</p>"


def _table(insights):
    """What is known of no exercise has no column; _meaning() says so."""
    attempts, seconds = (any(getattr(one, what) for one in insights.exercises) for what in ("attempts", "seconds"))
    related = any(one.discrimination is not None for one in insights.exercises)
    columns = ["Exercise", "Passed", "Not started", "Mean points", "Most frequent mistake"]
    columns += ["Discrimi&shy;nation"] * related + ["Attempts"] * attempts + ["Time"] * seconds
    head = "".join(f'<th scope="col">{text}</th>' for text in columns)
    rows = "".join(_row(one, related, attempts, seconds) for one in insights.exercises)
    return (
        '<section aria-labelledby="all"><h2 id="all">All exercises</h2>'
        '<p class="dim">In the order of the lesson. A bar shows who passed (full height), failed (half as high) and did not start (empty).</p>'
        f"{_scrolling('all', f'<table class=all><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')}</section>"
    )


def _scrolling(label, table):
    """Wider than a narrow screen: it scrolls by itself, by keyboard too."""
    return f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{label}">{table}</div>'


def _row(one, related, attempts, seconds):
    top = next(iter(one.causes), None)
    mistake = "" if top is None else f"{_kind(top) if top.kinds else 'no name'} <span class=count>{top.students} of {one.failed}</span>"
    mean = "" if one.share is None else f"{one.share * one.points:.2g} of {one.points:g}" + (f"<br><small>{one.by_hand} by hand</small>" if one.by_hand else "")
    r = _signed(f"{one.discrimination:.2f}") if one.discrimination is not None else f"<small>undefined: {one.undefined}</small>"
    passed = f"{one.passed} of {one.students}" + (f", {100 * one.pass_rate:.0f}%" if one.students else "")
    cells = f'<td class="bar">{_bar(one)}{passed}</td><td class="n">{one.not_started}</td><td class="n">{mean}</td><td>{mistake}</td>'
    cells += f'<td class="{"n" if one.discrimination is not None else "why"}">{r}</td>' * related
    cells += f'<td class="n">{_spread(one.attempts, "")}</td>' * attempts + f'<td class="n">{_spread(one.seconds, " s")}</td>' * seconds
    return f'<tr><th scope="row">{_link(one)}</th>{cells}</tr>'


def _bar(one):
    """Passed, failed, not started as parts of one bar; the text beside it says the same."""
    every = one.students or 1
    ok, no = 100 * one.passed / every, 100 * one.failed / every
    return (
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="ok" width="{ok:.1f}" height="10"/><rect class="no" x="{ok:.1f}" y="5" width="{no:.1f}" height="5"/>'
        '<rect class="box" width="100" height="10" vector-effect="non-scaling-stroke"/></svg>'
    )


def _detail(one):
    rows = "".join(_cause_row(cause, one) for cause in one.causes)
    fails = ", ".join(f"{escape(name)} ({count})" for name, count in one.groups)
    groups = f"<p>Kinds of input that fail: {fails}.</p>" if len(one.groups) > 1 else ""
    weak = "<p>Students who do well elsewhere do worse here. Look at the exercise, and at its check.</p>" if (one.discrimination or 0) < 0 else ""
    flagged = f"<p>{_count(one.flagged, 'submission')} flagged for your eyes.</p>" if one.flagged else ""
    return (
        f'<section class="exercise" id="{escape(one.id)}" aria-labelledby="{escape(one.id)}-title"><h3 id="{escape(one.id)}-title">{escape(one.title)} <small>{escape(one.id)}</small></h3>'
        f"<p>{one.passed} of {one.students} passed, {one.failed} failed, {one.not_started} did not start.</p>{weak}{groups}{flagged}"
        f'<table class="all"><thead><tr><th scope="col">Failed</th><th scope="col">Why</th></tr></thead><tbody>{rows}</tbody></table></section>'
    )


def _cause_row(cause, one):
    share = 100 * cause.students / one.failed
    bar = f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="no" width="{share:.1f}" height="10"/><rect class="box" width="100" height="10" vector-effect="non-scaling-stroke"/></svg>'
    return f'<tr><th scope="row" class="bar">{bar}{cause.students}</th><td>{_why(cause, one)}</td></tr>'


def _why(cause, one):
    if cause.kinds:
        many = len(cause.said) > 1
        return f"{_kind(cause)} " + "; ".join(f"{_prose(text)}{f' ({count})' if many else ''}" for text, count in cause.said)
    text = _sentence(_prose(cause.said[0][0]))
    if not cause.group:
        return text
    values = (("where", cause.where), ("expected", cause.expected), ("actual", cause.actual))
    shown = "".join(f"<dt>{label}</dt><dd><code>{escape(value)}</code></dd>" for label, value in values if value)
    sample = f"<p>The answer of one of them, without comments:</p><pre><code>{escape(cause.sample)}</code></pre>" if cause.sample else ""
    return f"No name yet. {text} {_how_to_name(cause, one)}{f'<dl class=where>{shown}</dl>' if shown else ''}{sample}"


def _how_to_name(cause, one):
    return f"Name it: <code>zerohero atlas add {escape(one.id)} {escape(cause.group)} --mistake KIND --because &quot;...&quot;</code>"


def _kinds(insights):
    if not insights.kinds:
        return ""
    rows = "".join(
        f'<tr><th scope="row"><span class="kind">{escape(kind)}</span></th><td class="n">{students}</td><td class="n">{count}</td></tr>'
        for kind, students, count in insights.kinds
    )
    return (
        '<section aria-labelledby="kinds"><h2 id="kinds">Kinds of mistake across exercises</h2><table class="all" style="width: auto"><thead><tr><th scope="col">Kind</th>'
        f'<th scope="col">Students</th><th scope="col">Exercises</th></tr></thead><tbody>{rows}</tbody></table></section>'
    )


def _guesses(insights):
    if not insights.questions:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{_prose(one.asks)}</th><td>{one.place}</td><td>{escape(one.answer)}</td><td class="n">{f"{one.right} of {one.answered}" if one.answered else "nobody answered"}</td>'
        f"<td>{', '.join(f'{escape(text)} ({count})' for text, count in one.wrong)}{f' <small>{one.unread} not read</small>' if one.unread else ''}</td></tr>"
        for one in insights.questions
    )
    gain = insights.gain
    if gain:
        change = _signed(f"{round(100 * gain.after) - round(100 * gain.before):+d}")
        said = (
            f"<p><strong>{100 * gain.before:.0f}% of the guesses were right before the lesson, {100 * gain.after:.0f}% after it: {change} points in a hundred</strong>, "
            f"over {_count(gain.students, 'student')} who answered on both ends. This is no proof of learning: the closing questions are of the same kind as the opening ones but not the same, "
            "may be easier or harder, and a notebook keeps the last guess only, which can be put right after the answer is shown.</p>"
        )
    else:
        said = "<p>Nobody answered both before and after the lesson, so there is nothing to compare.</p>"
    head = "".join(f'<th scope="col">{text}</th>' for text in ("Question", "Asked", "Answer", "Right", "Wrong guesses of several students"))
    return (
        f'<section aria-labelledby="guesses"><h2 id="guesses">Guesses before and after the lesson</h2>{said}'
        f"{_scrolling('guesses', f'<table class=all><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')}</section>"
    )


def _eyes(insights):
    items = "".join(f"<li>{escape(kind)}: {_count(students, 'submission')}</li>" for kind, students in insights.flags)
    if insights.noted:
        items += f"<li>{_count(insights.noted, 'submission')} with a note for you, as <code>zerohero grade {escape(insights.module)}</code> prints it</li>"
    return f'<section aria-labelledby="eyes"><h2 id="eyes">For your eyes</h2><ul>{items}</ul></section>' if items else ""


def _meaning(insights):
    undefined = {one.undefined for one in insights.exercises}
    if all(undefined):
        rough = f" Undefined for this class: {', '.join(sorted(undefined))}."
    else:
        rough = f" With {insights.students} students it is a rough one." if insights.students < SMALL else ""
    terms = (
        ("Passed", "every group of cases, visible and hidden, by the judge. Not started counts as not passed."),
        ("Mean points", "as the gradebook has them, with what a person changed, without what was taken off for being late."),
        (
            "Discrimination",
            "the correlation of the points here with the points in all other exercises (corrected item-total correlation). Near 0, this exercise says little about the rest of the module; "
            "below 0, something is odd with it. An exercise left out counts 0 points, so one that many do not reach correlates with everything behind it. "
            f"It is not shown for fewer than {ENOUGH} students.{rough}",
        ),
        (
            "Attempts",
            f"how many different answers a student handed in, median and most, where nbgrader's exchange kept them{_known(insights, 'attempts')} "
            "How often a check was run on a student's own machine is not known.",
        ),
        ("Time", f"how long the answer and its check ran in the jail, median and longest{_known(insights, 'seconds')} How long a student worked is not known."),
    )
    return f'<section aria-labelledby="means"><h2 id="means">What the numbers mean</h2><dl class="means">{"".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in terms)}</dl></section>'


def _known(insights, what):
    """Of how many students it is known."""
    known = max((spread.known for one in insights.exercises if (spread := getattr(one, what))), default=0)
    return f": known for {known} of {insights.students} students." if known else ": not known for this class."


def _kind(cause):
    return " or ".join(f'<span class="kind">{escape(kind)}</span>' for kind in cause.kinds)


def _link(one):
    return f'<a href="#{escape(one.id)}">{escape(one.title)}</a>' if one.failed else escape(one.title)


def _spread(spread: Spread | None, unit):
    if spread is None:
        return "<small>not known</small>"
    return f"{spread.median:.2g}{unit}<br><small>most {spread.largest:.2g}{unit}</small>"


def _signed(number):
    """With a minus that a screen reader reads as one."""
    return number.replace("-", "&minus;")


def _count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _prose(text):
    """Escaped, with `names` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _sentence(html):
    """With a capital and a full stop, where it begins with a plain word."""
    if re.match(r"a |[a-z]{2}", html):
        html = html[0].upper() + html[1:]
    return html if html.endswith((".", "!", "?")) else html + "."
