exercise = "m02-mlp"
mistake = "FORMULA"
because = "the last layer is bent like the others; it should be linear"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(MLP):
    def __init__(self, n_inputs, sizes, act="relu"):
        widths = [n_inputs] + sizes
        self.layers = [Layer(i, o, act) for i, o in zip(widths[:-1], widths[1:])]


answer = Wrong
