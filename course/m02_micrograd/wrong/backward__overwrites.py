exercise = "m02-backward"
mistake = "OVERWRITE"
because = "the second use of a value replaced the gradient of the first; gradients add up"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    self.grad = 1.0
    for node in reversed(topo_sort(self)):
        for one, slope in zip(node._prev, node._local):
            one.grad = slope * node.grad


Value.backward = wrong


answer = Value
