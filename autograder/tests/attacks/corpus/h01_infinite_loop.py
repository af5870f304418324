"""An answer that never returns."""

CHAIN = "def chain_by_hand(a, b, c, f):\n    while True: pass\n"
HANGS = True
EVIDENCE = "timeout"
