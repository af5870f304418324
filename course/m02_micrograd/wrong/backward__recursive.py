exercise = "m02-backward"
mistake = "RECURSION"
because = "the walk over the graph calls itself once per node, and Python stops that at about 1,000"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for one in node._prev:
                visit(one)
            order.append(node)

    visit(self)
    self.grad = 1.0
    for node in reversed(order):
        node.pass_back()


Value.backward = wrong


answer = Value
