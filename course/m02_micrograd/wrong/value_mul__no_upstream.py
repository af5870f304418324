exercise = "m02-value-mul"
mistake = "NO_UPSTREAM"
because = "the step hands back the slope alone and forgets the gradient of the result"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class ClosureValue:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __mul__(self, other):
        other = other if isinstance(other, ClosureValue) else ClosureValue(other)
        out = ClosureValue(self.data * other.data, (self, other))

        def step():
            self.grad += other.data
            other.grad += self.data

        out._backward = step
        return out


answer = ClosureValue
