"""Each answer walks up the frames of whoever calls it and gives back what looks like an expected value."""

LOOK = """
def look_up(names):
    import sys
    frame = sys._getframe(2)
    while frame is not None:
        for space in (frame.f_locals, frame.f_globals):
            for name in ("expected", "truth", "reference", "solution"):
                if isinstance(space.get(name), (dict, list, float)):
                    escaped(name)
                    return space[name]
            if getattr(space.get("case"), "truth", None) is not None:
                escaped("a case with its truth")
                return space["case"].truth
        frame = frame.f_back
    return dict.fromkeys(names, 0.0)
tried()
"""
BEFORE = LOOK
CHAIN = "def chain_by_hand(a, b, c, f):\n    return look_up('abcedf')\n"
NEURON = "def neuron_by_hand(x1, w1, x2, w2, b):\n    return look_up(('o', 'x1', 'w1', 'x2', 'w2', 'b'))\n"
