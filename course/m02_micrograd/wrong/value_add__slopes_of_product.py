exercise = "m02-value-add"
mistake = "FORMULA"
because = "the slopes are those of a product: each operand's is read off the other"
next = "nudge a by 0.001: by how much does a + b move?"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, other):
    other = other if isinstance(other, Value) else Value(other)
    return Value(self.data + other.data, (self, other), (other.data, self.data), "+")


Value.__add__ = wrong


answer = Value
