exercise = "m02-moons-train"
mistake = "INDEXING"
because = "every step uses all points; it is to use those of its batch"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(model, X, y, batches, loss):
    losses = []
    for k, rows in enumerate(batches):
        rate = 1.0 - 0.9 * k / len(batches)
        total = loss([model(x) for x in X.tolist()], y.tolist(), model.parameters())
        for p in model.parameters():
            p.grad = 0.0
        total.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(total.data)
    return losses


answer = wrong
