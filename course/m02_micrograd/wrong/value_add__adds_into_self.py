exercise = "m02-value-add"
mistake = "MUTATES"
because = "the sum was written into self, so the operand is lost"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, other):
    self.data += other.data if isinstance(other, Value) else other
    return self


Value.__add__ = wrong


answer = Value
