exercise = "m02-neuron"
mistake = "MISSING_PATH"
because = "the bias is not in the sum"
next = "start the sum at the bias"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(Neuron):
    def __call__(self, x):
        total = sum((w * one for w, one in zip(self.w, x)), Value(0.0))
        return total if self.act == "linear" else getattr(total, self.act)()


answer = Wrong
