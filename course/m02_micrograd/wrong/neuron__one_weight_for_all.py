exercise = "m02-neuron"
mistake = "DOUBLE_COUNT"
because = "one Value is in the list several times, so changing one weight changes all"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(Neuron):
    def __init__(self, n_inputs, act="relu"):
        super().__init__(n_inputs, act)
        self.w = [Value(random.uniform(-1, 1))] * n_inputs


answer = Wrong
