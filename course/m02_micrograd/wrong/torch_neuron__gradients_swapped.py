exercise = "m02-torch-neuron"
mistake = "SWAPPED"
because = "dx and dw are in each other's place"

import torch
from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


def wrong(x, w, b):
    x, w, b = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (x, w, b))
    o = torch.tanh(x @ w + b)
    o.backward()
    return o.item(), w.grad.tolist(), x.grad.tolist(), b.grad.item()


answer = wrong
