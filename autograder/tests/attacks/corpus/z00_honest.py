"""Control: right answers to both, no cheating. Full marks for them."""

from . import RIGHT_CHAIN, write

EARNED = 6.0
EVIDENCE = "BEGUN"
NEURON = """
import math
def neuron_by_hand(x1, w1, x2, w2, b):
    o = math.tanh(x1 * w1 + x2 * w2 + b)
    slope = 1 - o**2
    return {"o": o, "x1": w1 * slope, "w1": x1 * slope, "x2": w2 * slope, "w2": x2 * slope, "b": slope}
"""


def make(notebook, place):
    write(notebook, chain=RIGHT_CHAIN, neuron=NEURON)
