"""An answer that asks somebody."""

CHAIN = "def chain_by_hand(a, b, c, f):\n    return float(input('answer? '))\n"
EVIDENCE = "input() cannot be answered"
