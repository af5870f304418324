"""Numbers, dicts and lists of classes whose special methods lie, and whose class says that it is another one."""

BEFORE = """
import numpy as np
class Liar:
    __class__ = float
    def __eq__(self, other): return True
    def __array__(self, *a, **k): return np.ones(())
    def __float__(self): return 1.0
    def __len__(self): return 10**18
    def __iter__(self): return iter(lambda: 1.0, None)
    def __getattr__(self, name): return self
    def __sub__(self, other): return 0.0
    __rsub__ = __abs__ = __call__ = __getitem__ = __index__ = __le__ = __hash__ = lambda self, *a: 0
class Dict(dict):
    def items(self): return [("a", 1.0)] * 10**6
    def __len__(self): return 6
    def __contains__(self, key): return True
    def __missing__(self, key): return Liar()
class Number(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    def __repr__(self): return "passed"
    __hash__ = float.__hash__
tried()
"""
CHAIN = "def chain_by_hand(a, b, c, f):\n    return Dict(a=Liar(), b=Number(3), c=[Liar()], d=Dict(), e=np.array(Liar(), dtype=object), f=Number('nan'))\n"
NEURON = "def neuron_by_hand(*a):\n    return Liar()\n"
