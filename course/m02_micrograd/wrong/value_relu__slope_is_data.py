exercise = "m02-value-relu"
mistake = "FORMULA"
because = "the slope for a positive input is the input itself; it is 1"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    return Value(max(self.data, 0.0), (self,), (max(self.data, 0.0),), "relu")


Value.relu = wrong


answer = Value
