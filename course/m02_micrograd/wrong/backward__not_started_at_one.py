exercise = "m02-backward"
mistake = "WRONG_CONSTANT"
because = "the gradient of the result itself is never set, so everything is multiplied by 0"
next = "what is the slope of self towards self?"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(self):
    for node in reversed(topo_sort(self)):
        node.pass_back()


Value.backward = wrong


answer = Value
