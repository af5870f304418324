exercise = "m02-tanh-from-parts"
mistake = "FORMULA"
because = "e to the x was taken where e to the 2x is due"

from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(x):
    e = x.exp()
    return (e - 1) / (e + 1)


answer = wrong
