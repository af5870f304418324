exercise = "m02-value-add"
mistake = "MISSING_PATH"
because = "only self is remembered; the other operand never gets a gradient"
next = "two Values went in, so two belong into _prev"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, other):
    data = self.data + (other.data if isinstance(other, Value) else other)
    return Value(data, (self,), (1.0,), "+")


Value.__add__ = wrong


answer = Value
