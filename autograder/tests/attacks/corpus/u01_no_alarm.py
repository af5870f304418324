"""The alarm that interrupts a cell is never set: Python's own functions for it do nothing, and time stands still."""

BEFORE = """
import signal, time
signal.setitimer = signal.alarm = signal.signal = lambda *a: None
time.time = time.monotonic = time.perf_counter = lambda: 0.0
tried()
"""
CHAIN = "def chain_by_hand(a, b, c, f):\n    while True: pass\n"
HANGS = True
