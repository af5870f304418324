exercise = "m02-topo-sort"
mistake = "STATE_LEAK"
because = "a list in the def line is made once and still holds the nodes of earlier calls"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(root, order=[], seen=set()):
    for node in topo_sort(root):
        if node not in seen:
            seen.add(node)
            order.append(node)
    return order


answer = wrong
