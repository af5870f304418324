"""The process ends while an answer is checked, without an error."""

CHAIN = "def chain_by_hand(a, b, c, f):\n    import os; os._exit(0)\n"
EVIDENCE = "died"
