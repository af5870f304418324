"""The answers are arrays of a class that agrees with everything it is compared with."""

BEFORE = """
import numpy as np
class Agrees(np.ndarray):
    def __array_ufunc__(self, function, method, *inputs, **more):
        shape = np.broadcast_shapes(*(np.shape(one) for one in inputs))
        if function.__name__ in ("subtract", "absolute", "not_equal", "greater", "isnan", "isinf"): return np.zeros(shape)
        return np.ones(shape, bool)
    def __array_function__(self, function, types, inputs, more):
        return True if function.__name__ in ("allclose", "array_equal") else np.ones(np.shape(self), bool)
    def __eq__(self, other): return np.True_
    def __float__(self): return 1.0
tried()
"""
CHAIN = "def chain_by_hand(a, b, c, f):\n    return {k: np.zeros(()).view(Agrees) for k in 'abcedf'}\n"
NEURON = "def neuron_by_hand(x1, w1, x2, w2, b):\n    return {k: np.zeros(()).view(Agrees) for k in ('o', 'x1', 'w1', 'x2', 'w2', 'b')}\n"
