"""From one submitted file to scores: read, rebuild, run in the jail, judge. No database, no nbgrader."""

from .grade import Graded, grade
from .partly import partly

__all__ = ["Graded", "grade", "partly"]
