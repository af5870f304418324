exercise = "m02-value-ops"
mistake = "SIGN_FLIP"
because = "the right operand of a - b gets the gradient with the wrong sign"
next = "if b grows, does a - b grow?"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, other):
    other = other if isinstance(other, Value) else Value(other)
    return Value(self.data - other.data, (self, other), (1.0, 1.0), "-")


Value.__sub__ = wrong


answer = Value
