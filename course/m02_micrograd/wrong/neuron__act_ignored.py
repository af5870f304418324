exercise = "m02-neuron"
mistake = "FORMULA"
because = "every neuron bends with tanh, whatever act says"
next = "look at act before you bend"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(Neuron):
    def __call__(self, x):
        return sum((w * one for w, one in zip(self.w, x)), self.b).tanh()


answer = Wrong
