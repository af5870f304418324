exercise = "m02-accumulate"
mistake = "OVERWRITE"
because = "the second use of a value replaced the gradient of the first; gradients add up"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    for node, slope in zip(self._prev, self._local):
        node.grad = slope * self.grad


Value.pass_back = wrong


answer = Value
