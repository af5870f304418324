"""From one submitted file to scores: read, rebuild, run in the jail, judge. No database, no nbgrader."""

from .grade import Graded, grade

__all__ = ["Graded", "grade"]
