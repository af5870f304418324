"""Flag: something about a submission that a person should see. It is evidence, no verdict: it costs no points, and no student is shown it."""

from dataclasses import asdict, dataclass
from typing import Any

KINDS = {
    "REACHES_CHECKER": "a part of the checker is named, which holds or measures the truth",
    "OTHER_FRAMEWORK": "a library that differentiates by itself is used where the exercise does not allow it",
    "NUMERICAL_SLOPE": "a slope is measured by a difference where its formula is asked for",
    "COMPLEX_STEP": "complex numbers are used where the formula of a slope is asked for",
    "MANY_FORWARD_CALLS": "the backward pass calls another function at least once per number of its input, as measuring a slope does",
    "HIDDEN_CODE": "part of the code is put together while it runs, so reading it does not show what it does",
    "UNREAD": "the code was not looked through",
    "NOT_REPEATABLE": "a second run of the same notebook gave another output",
    "NEAR_IDENTICAL": "the work is nearly the same as another student's, in places where the rest of the class differs",
}
"""What each kind says, as one sentence for the instructor."""

MAX_EVIDENCE = 500


@dataclass(frozen=True)
class Flag:
    """One thing to look at."""

    kind: str
    """One of KINDS."""
    where: str
    """The exercise, or the cell as it is numbered in the student's notebook: "m03-relu-backward", "cell 7"."""
    evidence: str
    """What was seen, in the student's own words where it is code: untrusted text."""

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"no kind of flag {self.kind!r}; there are {', '.join(KINDS)}")
        if len(self.evidence) > MAX_EVIDENCE:
            object.__setattr__(self, "evidence", self.evidence[: MAX_EVIDENCE - 3] + "...")

    @property
    def text(self) -> str:
        """For a terminal or a page: one sentence."""
        return f"{self.where}: {KINDS[self.kind]} ({self.kind}): {self.evidence}"

    def to_json(self) -> dict[str, str]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> "Flag":
        """The inverse of to_json. Raises TypeError, KeyError or ValueError for anything else."""
        return cls(*(str(data[name]) for name in ("kind", "where", "evidence")))
