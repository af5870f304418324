exercise = "m02-value-mul"
mistake = "DROPPED_LOCAL"
because = "the slopes are 1, as in a sum; a product's are not"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, other):
    other = other if isinstance(other, Value) else Value(other)
    return Value(self.data * other.data, (self, other), (1.0, 1.0), "*")


Value.__mul__ = wrong


answer = Value
