exercise = "m02-moons-loss"
mistake = "WRONG_MASK"
because = "a score beyond the margin lowers your loss; relu should stop it at 0"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(scores, labels, parameters, alpha=1e-4):
    data = sum(1 - y * s for s, y in zip(scores, labels)) / len(scores)
    return data + alpha * sum(p * p for p in parameters)


answer = wrong
