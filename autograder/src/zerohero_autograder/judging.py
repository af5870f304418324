"""judge_all(): the verdicts of one submission, worked out in a child process with limits.

judge() bounds what it reads, but a judge is a program that works on what a stranger sent: one that takes minutes or
gigabytes for it must cost that exercise, not the grading of the class. The child is a fork: it has the cases and the
exercises already, and starts in milliseconds. It decides nothing that judge() would not.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from zerohero.exercise import Case, Exercise
from zerohero.report import Finding, Report

from .child import lines_from_child
from .judge import Verdict, judge, no_points

SECONDS = 10.0
"""Processor time for one exercise. The slowest honest one takes 0.1 s."""
WALL = 120.0
"""Wall time for one exercise: a backstop for a judge that waits, long enough for a busy machine."""

Todo = Mapping[str, tuple[Exercise, Sequence[Case], Sequence[str]]]
Known = Mapping[str, Sequence[Mapping[str, Any]]]


def judge_all(todo: Todo, known: Known | None = None) -> dict[str, Verdict]:
    """{exercise id: verdict} for {exercise id: (exercise, cases, texts as for judge())}. Never raises for anything in the texts.

    ``known``: {exercise id: entries of the atlas} beyond those that the student's package has.
    """
    verdicts: dict[str, Verdict] = {}
    killed: set[str] = set()
    while waiting := {id: one for id, one in todo.items() if id not in verdicts}:
        found, at_limit = _in_child(waiting, known or {})
        verdicts |= found
        stopped = next((id for id in waiting if id not in verdicts), None)
        if stopped is not None and not at_limit and stopped not in killed:
            killed.add(stopped)  # by somebody, or by a kernel short of memory: that says nothing about the answer, so once more
        elif stopped is not None:  # the next child goes on behind it
            exercise, cases, _ = waiting[stopped]
            finding = Finding("your result takes too long to judge", next="run check() as it stands in the lesson; your instructor has been told")
            verdicts[stopped] = Verdict(
                no_points(exercise, cases, finding), f"{stopped}: judging ended without a verdict (limits: {SECONDS:g} s of processor time, {WALL:g} s in all)"
            )
    return verdicts


def _in_child(waiting, known):
    """(verdicts in order, up to the one at which the child ended; whether a limit of ours ended it)."""

    def work(say, allow):
        for id, (exercise, cases, texts) in waiting.items():
            allow(SECONDS)
            verdict = judge(exercise, cases, texts, known.get(id, ()))
            say(json.dumps([id, verdict.report.to_json(), verdict.note, verdict.prints]).encode("ascii"))

    lines, at_limit = lines_from_child(work, WALL)
    return {id: Verdict(Report.from_json(report), note, prints) for id, report, note, prints in map(json.loads, lines)}, at_limit
