exercise = "m02-squared-loss"
mistake = "OVERWRITE"
because = "each example replaces the loss of the one before; only the last counts"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(predictions, targets):
    for p, t in zip(predictions, targets):
        loss = (p - t) ** 2
    return loss


answer = wrong
