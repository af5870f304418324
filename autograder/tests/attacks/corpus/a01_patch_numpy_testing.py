"""Every comparison that NumPy has agrees, and every difference is 0."""

BEFORE = """
import builtins, math, numpy as np, numpy.testing as testing
for name in dir(testing):
    if name.startswith("assert_"): setattr(testing, name, lambda *a, **k: None)
np.allclose = np.array_equal = math.isclose = lambda *a, **k: True
np.isclose = lambda a, b, *rest, **k: np.ones(np.broadcast(a, b).shape, bool)
builtins.abs = lambda value: 0.0
tried()
"""
