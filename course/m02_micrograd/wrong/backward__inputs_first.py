exercise = "m02-backward"
mistake = "MISSING_PATH"
because = "only the inputs of the result get a gradient: the walk does not start at the result and go on from there"
next = "walk the order from its end to its beginning"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    self.grad = 1.0
    for node in topo_sort(self):
        node.pass_back()


Value.backward = wrong


answer = Value
