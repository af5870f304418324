exercise = "m02-train-loop"
mistake = "STATE_LEAK"
because = "the gradients of earlier steps are still in .grad: it is not set to zero in each step"
next = "set p.grad = 0.0 for every parameter before backward()"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(model, xs, ys, loss, steps, rate):
    losses = []
    for _ in range(steps):
        total = loss([model(x) for x in xs], ys)
        total.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(total.data)
    return losses


answer = wrong
