"""Results without end, before and after the end of the notebook."""

AFTER = """
import os
from zerohero import grading
session = grading.session()
guess = {"value": dict.fromkeys("abcedf", 1.0), "again": dict.fromkeys("abcedf", 1.0), "changed": []}
tried()
os.write(session._descriptor, b'\\n{"event": "end"}\\n')
for number in range(1_000_000): session.emit("m01-chain-by-hand", [{"status": "ok", "value": guess}] * len(session.inputs("m01-chain-by-hand")))
"""
EVIDENCE = "BEGUN"
