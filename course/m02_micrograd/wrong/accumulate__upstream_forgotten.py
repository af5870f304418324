exercise = "m02-accumulate"
mistake = "NO_UPSTREAM"
because = "the slope is added without the gradient that arrives from above"
next = "multiply the slope by self.grad"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    for node, slope in zip(self._prev, self._local):
        node.grad += slope


Value.pass_back = wrong


answer = Value
