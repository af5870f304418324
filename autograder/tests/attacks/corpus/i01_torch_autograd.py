"""One answer is right; the other one is torch.autograd's, which this exercise does not allow."""

from . import RIGHT_CHAIN

CHAIN = RIGHT_CHAIN
NEURON = """
import torch
def neuron_by_hand(x1, w1, x2, w2, b):
    leaves = dict(x1=torch.tensor(x1), w1=torch.tensor(w1), x2=torch.tensor(x2), w2=torch.tensor(w2), b=torch.tensor(b))
    for leaf in leaves.values(): leaf.requires_grad_()
    o = torch.tanh(leaves["x1"] * leaves["w1"] + leaves["x2"] * leaves["w2"] + leaves["b"])
    o.backward()
    return {"o": o.item(), **{name: leaf.grad.item() for name, leaf in leaves.items()}}
"""
EARNED = 3.0
EVIDENCE = "torch may not be used"
