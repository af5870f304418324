exercise = "m02-value-relu"
mistake = "DROPPED_LOCAL"
because = "the gradient is passed through where the input is negative, too"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    return Value(max(self.data, 0.0), (self,), (1.0,), "relu")


Value.relu = wrong


answer = Value
