exercise = "m02-value-add"
mistake = "MISSING_PATH"
because = "the function was called while the result was made, not stored, so nothing is left to call later"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class ClosureValue:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, ClosureValue) else ClosureValue(other)
        out = ClosureValue(self.data + other.data, (self, other))

        def step():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = step()
        return out


answer = ClosureValue
