exercise = "m02-layer"
mistake = "FORMULA"
because = "act does not reach the neurons; they all use their default"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(Layer):
    def __init__(self, n_inputs, n_outputs, act="relu"):
        self.neurons = [Neuron(n_inputs) for _ in range(n_outputs)]


answer = Wrong
