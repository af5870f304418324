exercise = "m02-value-tanh"
mistake = "PRE_POST"
because = "the slope is 1 minus the square of the output; the input was squared"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    return Value(math.tanh(self.data), (self,), (1 - self.data**2,), "tanh")


Value.tanh = wrong


answer = Value
