exercise = "m02-moons-loss"
mistake = "MISSING_PATH"
because = "the parameters' squares are not in the loss"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(scores, labels, parameters, alpha=1e-4):
    return sum((1 - y * s).relu() for s, y in zip(scores, labels)) / len(scores)


answer = wrong
