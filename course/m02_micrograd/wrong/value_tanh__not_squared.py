exercise = "m02-value-tanh"
mistake = "FORMULA"
because = "the output is subtracted from 1 without being squared"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    t = math.tanh(self.data)
    return Value(t, (self,), (1 - t,), "tanh")


Value.tanh = wrong


answer = Value
