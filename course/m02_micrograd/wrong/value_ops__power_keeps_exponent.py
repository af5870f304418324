exercise = "m02-value-ops"
mistake = "FORMULA"
because = "the exponent in the slope is not smaller by one"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self, n):
    return Value(self.data**n, (self,), (n * self.data**n,), "**")


Value.__pow__ = wrong


answer = Value
