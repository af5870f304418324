exercise = "m02-legendre-function"
mistake = "NO_UPSTREAM"
because = "x.grad does not change when grad_output does"

import torch
from pathlib import Path

exec(Path(__file__).with_name("_parts.py").read_text(encoding="utf-8"))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (5 * x**3 - 3 * x) / 2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return (15 * x**2 - 3) / 2


answer = Wrong
