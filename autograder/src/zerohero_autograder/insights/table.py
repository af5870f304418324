"""The numbers as CSV, one row per exercise; an empty cell is one that is not known."""

import csv
import io

from ..record.export import safe_cell
from .collect import Insights

COLUMNS = (
    "module", "exercise", "title", "points", "students", "passed", "failed", "not_started", "pass_rate", "mean_share_of_points", "changed_by_hand",
    "mistakes", "unnamed_groups", "unnamed_students", "other_failures", "discrimination", "attempts_median", "attempts_most", "seconds_median", "seconds_most", "flagged",
)  # fmt: skip
"""passed + failed + not_started is students. mistakes: "OVERWRITE 12; SIGN_FLIP 3". failed is the sum of those, unnamed_students and other_failures."""


def table(insights: Insights) -> str:
    """CSV text with a header."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for one in insights.exercises:
        named = [cause for cause in one.causes if cause.kinds]
        unnamed = [cause for cause in one.causes if cause.group]
        row = (
            insights.module, one.id, one.title, f"{one.points:g}", one.students, one.passed, one.failed, one.not_started, _decimal(one.pass_rate), _decimal(one.share),
            one.by_hand, "; ".join(f"{' or '.join(cause.kinds)} {cause.students}" for cause in named), len(unnamed), sum(cause.students for cause in unnamed),
            sum(cause.students for cause in one.causes if not cause.kinds and not cause.group), _decimal(one.discrimination),
            *(_spread(one.attempts)), *(_spread(one.seconds)), one.flagged,
        )  # fmt: skip
        writer.writerow([safe_cell(value) for value in row])
    return out.getvalue()


def _decimal(value):
    return None if value is None else round(value, 4)


def _spread(spread):
    return (_decimal(spread.median), _decimal(spread.largest)) if spread else (None, None)
