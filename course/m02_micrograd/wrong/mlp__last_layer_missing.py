exercise = "m02-mlp"
mistake = "INDEXING"
because = "the last layer is missing: the loop ends one too early"
next = "n widths have n - 1 gaps between them, and each gap is a layer"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(MLP):
    def __init__(self, n_inputs, sizes, act="relu"):
        widths = [n_inputs] + sizes
        self.layers = [Layer(i, o, act) for i, o in zip(widths[:-2], widths[1:-1])]


answer = Wrong
