exercise = "m02-layer"
mistake = "DOUBLE_COUNT"
because = "one neuron is in the list several times, so all outputs are the same"
next = "make each neuron anew, in a list comprehension"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(Layer):
    def __init__(self, n_inputs, n_outputs, act="relu"):
        self.neurons = [Neuron(n_inputs, act)] * n_outputs


answer = Wrong
