exercise = "m02-accumulate"
mistake = "DOUBLE_COUNT"
because = "a node that is used twice passes its gradient back twice"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    order, waiting = [], [self]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(node._prev)
    self.grad = 1.0
    for node in order:
        node.pass_back()


Value.backward = wrong


answer = Value
