exercise = "m02-topo-sort"
mistake = "DOUBLE_COUNT"
because = "a node that is reached on two paths is listed twice"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(root):
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(node._prev)
    return order[::-1]


answer = wrong
