exercise = "m02-squared-loss"
mistake = "EXTRA_MEAN"
because = "the squares are averaged; here they are only added up"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(predictions, targets):
    return sum((p - t) ** 2 for p, t in zip(predictions, targets)) / len(targets)


answer = wrong
