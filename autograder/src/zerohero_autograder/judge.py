"""The verdict on what came out of the jail: text in, a report out. Nothing in that text is believed or run.

An exception while judging costs one exercise its points and tells the instructor where it happened; it never stops the
grading of the others.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zerohero.atlas import prints_of
from zerohero.errors import NotPlainData
from zerohero.exercise import Case, Exercise, conclude, visible_outputs
from zerohero.plaindata import decode
from zerohero.report import Finding, Group, Report

from .intake.notebook import clean

MOST = 16
"""How many outputs of one exercise are judged: the first and the last ones of a check that ran in a loop."""

MAX_FIELD = 1000
"""Characters of one field of a report."""


@dataclass(frozen=True)
class Verdict:
    """The report, and what only the instructor is told."""

    report: Report
    note: str = ""
    prints: Mapping[str, Any] = field(default_factory=dict)
    """{part: fingerprint} on the visible cases, of an answer that failed without a name."""


def judge(exercise: Exercise, cases: Sequence[Case], texts: Sequence[str], known: Sequence[Mapping[str, Any]] = ()) -> Verdict:
    """The best verdict among the outputs ``texts`` (at least one) of one exercise, each a list of probe outputs as text. Never raises.

    ``known``: entries of the atlas beyond those that the student's package has.
    """
    chosen = texts if len(texts) <= MOST else [*texts[: MOST // 2], *texts[-MOST // 2 :]]
    # the later of two equals: it saw the notebook's last state
    return max((_one(exercise, cases, text, known) for text in reversed(chosen)), key=_rank)


def _rank(verdict):
    return verdict.report.score, verdict.report.status != "not started", not verdict.note


def _one(exercise, cases, text, known):
    try:
        outputs = _outputs(text, len(cases))
    except NotPlainData as error:
        return Verdict(
            no_points(
                exercise,
                cases,
                Finding("the check handed over something that cannot be read", actual=str(error), next="run check() as it stands in the lesson"),
            )
        )
    try:
        with np.errstate(all="ignore"):  # NaN and overflow in an answer are the judge's business, not a warning
            report = conclude(exercise, cases, outputs, known)
            unnamed = report.status == "failed" and not report.findings[0].mistake
            prints = prints_of(visible_outputs(cases, outputs), exercise.parts) if unnamed else {}
        return Verdict(Report.from_json(_cleaned(report.to_json())), prints=prints)
    except Exception as error:
        finding = Finding("your result could not be judged", next="your instructor has been told; nothing else is affected")
        return Verdict(
            no_points(exercise, cases, finding), f"{exercise.id}: judging raised {type(error).__name__} at {_place(error)}: {clean(str(error))[:200]}"
        )


def _outputs(text, count):
    """The outputs, one per case. Raises NotPlainData when they are anything else than what run_probe makes."""
    outputs = decode(text)
    if not isinstance(outputs, list) or len(outputs) != count:
        raise NotPlainData(f"not a list of {count} outputs")
    return [_output(output) for output in outputs]


def _output(output: Any) -> dict[str, Any]:
    status = output.get("status") if isinstance(output, dict) else None
    if status == "ok" and output.keys() == {"status", "value"}:
        return output
    if status == "stub" and output.keys() == {"status"}:
        return output
    if status == "raised" and output.keys() == {"status", "type", "message", "line"} and all(isinstance(v, str) for v in output.values()):
        return {"status": status, "type": clean(output["type"])[:100], "message": clean(output["message"])[:300], "line": clean(output["line"])[:120]}
    raise NotPlainData("not an output of a check")


def no_points(exercise: Exercise, cases: Sequence[Case], finding: Finding) -> Report:
    """A failed report with every group failed, for the one reason in ``finding``."""
    groups = tuple(Group(name, False) for name in dict.fromkeys(case.group for case in cases))
    return Report(exercise.id, exercise.title, "failed", groups, (finding,))


def _cleaned(value):
    if isinstance(value, str):
        return clean(value)[:MAX_FIELD]
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {key: _cleaned(item) for key, item in value.items()}
    return value


def _place(error):
    """file:line of the innermost frame, without the machine's folders."""
    tb = error.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    if tb is None:
        return "an unknown place"
    return f"{os.path.basename(tb.tb_frame.f_code.co_filename)}:{tb.tb_lineno}"
