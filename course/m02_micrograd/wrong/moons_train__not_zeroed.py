exercise = "m02-moons-train"
mistake = "STATE_LEAK"
because = "the gradients of earlier steps are still in .grad: it is not set to zero in each step"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(model, X, y, batches, loss):
    losses = []
    for k, rows in enumerate(batches):
        rate = 1.0 - 0.9 * k / len(batches)
        total = loss([model(x) for x in X[rows].tolist()], y[rows].tolist(), model.parameters())
        total.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(total.data)
    return losses


answer = wrong
