exercise = "m02-moons-train"
mistake = "WRONG_CONSTANT"
because = "the rate stays at 1.0; it is to fall from step to step"
next = "the rate of step k is 1.0 - 0.9 * k / len(batches)"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(model, X, y, batches, loss):
    losses = []
    for k, rows in enumerate(batches):
        rate = 1.0
        total = loss([model(x) for x in X[rows].tolist()], y[rows].tolist(), model.parameters())
        for p in model.parameters():
            p.grad = 0.0
        total.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(total.data)
    return losses


answer = wrong
