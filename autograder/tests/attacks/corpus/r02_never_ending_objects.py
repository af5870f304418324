"""Results whose names, lengths and texts never come to an end."""

CHAIN = """
class Endless:
    def __str__(self):
        while True: pass
    def __hash__(self): return 1
def chain_by_hand(a, b, c, f):
    return {Endless(): 1.0}
"""
HANGS = True
EVIDENCE = "timeout"
