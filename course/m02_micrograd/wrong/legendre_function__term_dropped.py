exercise = "m02-legendre-function"
mistake = "MISSING_PATH"
because = "the slope of the second term, -3x, is missing"

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
        return grad_output * 15 * x**2 / 2


answer = Wrong
