exercise = "m02-topo-sort"
mistake = "SWAPPED"
because = "the root stands first; inputs are to stand before what is made of them"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(root):
    return topo_sort(root)[::-1]


answer = wrong
