exercise = "m02-topo-sort"
mistake = "MISSING_PATH"
because = "a node is listed as soon as it is met, while one of its inputs is still to come"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(root):
    order, seen, waiting = [], set(), [root]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            order.append(node)
            waiting.extend(node._prev)
    return order[::-1]


answer = wrong
