"""Objects that would run code where they are unpickled, copied or shown, and classes whose name is a program."""

CHAIN = r"""
class Name(type):
    __name__ = property(lambda cls: (_ for _ in ()).throw(SystemExit(3)))
class Bomb(metaclass=Name):
    def __reduce_ex__(self, version):
        import os
        return os.system, (f"touch {ROOT}/{TOKEN}",)
    __reduce__ = __getstate__ = __deepcopy__ = __copy__ = __repr__ = __str__ = lambda self, *a: escaped("called")
def chain_by_hand(a, b, c, f):
    return {"a": Bomb(), "b": type("__import__('os').system('id')", (), {})(), "c": b"\x80\x04cos\nsystem\n", "e": Bomb, "d": 1.0, "f": "{{7*7}}${7*7}"}
tried()
"""
NEURON = r"""
class Nameless(Exception, metaclass=Name):
    def __str__(self): raise self
def neuron_by_hand(*a):
    raise Nameless
"""
