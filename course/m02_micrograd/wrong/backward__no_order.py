exercise = "m02-backward"
mistake = "DOUBLE_COUNT"
because = "a node passes back each time it is reached, and again what it has passed back before"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    self.grad = 1.0
    waiting = [self]
    while waiting:
        node = waiting.pop()
        node.pass_back()
        if len(waiting) < 10_000:
            waiting.extend(node._prev)


Value.backward = wrong


answer = Value
