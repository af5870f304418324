exercise = "m02-value-ops"
mistake = "MISSING_PATH"
because = "the denominator gets no gradient, as if it were a plain number"
next = ".data cuts the graph; divide by the Value"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, other):
    return self * (1 / other.data if isinstance(other, Value) else 1 / other)


Value.__truediv__ = wrong


answer = Value
