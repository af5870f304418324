exercise = "m02-value-relu"
mistake = "WRONG_MASK"
because = "the slope is 1 for negative inputs and 0 for positive ones"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    return Value(max(self.data, 0.0), (self,), (float(self.data <= 0),), "relu")


Value.relu = wrong


answer = Value
