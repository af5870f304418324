"""A cell that sleeps for ever and swallows every interruption."""

AFTER = """
import time
while True:
    try: time.sleep(1)
    except BaseException: pass
"""
HANGS = True
EVIDENCE = "could not be interrupted"
