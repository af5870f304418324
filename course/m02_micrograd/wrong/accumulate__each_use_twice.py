exercise = "m02-accumulate"
mistake = "DOUBLE_COUNT"
because = "an input that is used twice gets both of its gradients at each of the two uses"
next = "one turn of the loop for each entry of _prev, and in it one addition"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    for node in self._prev:
        for one, slope in zip(self._prev, self._local):
            if one is node:
                node.grad += slope * self.grad


Value.pass_back = wrong


answer = Value
