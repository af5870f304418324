"""The page a student gets back: scores, verdicts and their own code; nothing that a hidden case could be read from.

redact.py   the reports of a graded notebook without values, all other output gone
page.py     HTML of it
make.py     make_feedback(), for `zerohero feedback`
"""

from .make import make_feedback
from .page import page
from .redact import redacted

__all__ = ["make_feedback", "page", "redacted"]
