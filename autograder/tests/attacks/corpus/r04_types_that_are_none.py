"""Structured, void, date, text and object arrays, views that read past their end, half floats that are no numbers, and a torch of its own."""

CHAIN = """
import numpy as np, types
def chain_by_hand(a, b, c, f):
    past = np.lib.stride_tricks.as_strided(np.zeros(1), shape=(4, 4), strides=(0, 0))
    tensor = type("Tensor", (), {"__module__": "torch.fake", "detach": lambda s: s, "cpu": lambda s: s, "numpy": lambda s: np.array([object()])})()
    return {"a": np.zeros(1, dtype="f8,O"), "b": np.zeros(1, dtype="V9"), "c": np.array("NaT", "M8[s]"), "d": np.array(["x" * 99999]), "e": tensor, "f": past}
"""
NEURON = """
def neuron_by_hand(*a):
    half = np.array([0x7DFF, 0xFFFF, 0x8000], dtype=np.uint16).view(np.float16)
    return {"o": half, "x1": np.float64("-0.0"), "w1": 10**400, "x2": -(10**4000), "w2": complex(0, 1), "b": np.longdouble(1)}
tried()
"""
