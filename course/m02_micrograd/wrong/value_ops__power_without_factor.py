exercise = "m02-value-ops"
mistake = "WRONG_CONSTANT"
because = "the slope of a power lacks the exponent as a factor"
next = "nudge 3.0**2: is the slope 3 or 6?"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, n):
    return Value(self.data**n, (self,), (self.data ** (n - 1),), "**")


Value.__pow__ = wrong


answer = Value
