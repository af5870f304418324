exercise = "m02-train-loop"
mistake = "MISSING_PATH"
because = "the parameters do not move: the update is missing, or every gradient is 0 when it comes"
next = "zero the gradients before backward()"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(model, xs, ys, loss, steps, rate):
    losses = []
    for _ in range(steps):
        total = loss([model(x) for x in xs], ys)
        total.backward()
        for p in model.parameters():
            p.grad = 0.0
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(total.data)
    return losses


answer = wrong
