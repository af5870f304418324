exercise = "m02-value-tanh"
mistake = "UNSTABLE"
because = "right on small numbers, overflow or NaN on large ones"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    t = (math.exp(2 * self.data) - 1) / (math.exp(2 * self.data) + 1)
    return Value(t, (self,), (1 - t * t,), "tanh")


Value.tanh = wrong


answer = Value
