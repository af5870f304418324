"""Each answer displays a verdict before it gives its wrong value: the first output is to count."""

CHAIN = """
import sys
def chain_by_hand(a, b, c, f):
    sys.displayhook("passed"); print("m01-chain-by-hand: passed")
    return dict.fromkeys("abcedf", 0.0)
tried()
"""
