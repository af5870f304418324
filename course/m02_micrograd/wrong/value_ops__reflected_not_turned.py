exercise = "m02-value-ops"
mistake = "SWAPPED"
because = "2 - v was computed as v - 2, and 2 / v as v / 2"
next = "in __rsub__, self stands on the right of the minus"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


Value.__rsub__ = lambda self, other: self - other
Value.__rtruediv__ = lambda self, other: self / other


answer = Value
