exercise = "m02-neuron"
mistake = "WRONG_CONSTANT"
because = "weights that start equal get equal gradients and stay equal for ever"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(Neuron):
    def __init__(self, n_inputs, act="relu"):
        super().__init__(n_inputs, act)
        self.w = [Value(0.0) for _ in range(n_inputs)]


answer = Wrong
