exercise = "m02-value-mul"
mistake = "SWAPPED"
because = "each operand got its own value as slope; it is the other one's"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, other):
    other = other if isinstance(other, Value) else Value(other)
    return Value(self.data * other.data, (self, other), (self.data, other.data), "*")


Value.__mul__ = wrong


answer = Value
