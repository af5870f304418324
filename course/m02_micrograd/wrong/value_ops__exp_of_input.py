exercise = "m02-value-ops"
mistake = "PRE_POST"
because = "the slope of exp is its output; the input was taken"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    return Value(math.exp(self.data), (self,), (self.data,), "exp")


Value.exp = wrong


answer = Value
