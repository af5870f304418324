"""Each of four results is right in one group only: the points of all together are asked for. The best single one counts."""

EARNED = 1.0
BEFORE = """
from zerohero import grading
def right(a, b, c, f): return {"a": b * f, "b": a * f, "c": f, "e": f, "d": f, "f": a * b + c}
def kind(inputs): return "zero" if 0.0 in inputs.values() else "size" if max(map(abs, inputs.values())) > 1e9 else "plain"
session = grading.session()
def send(*groups):
    outputs = []
    for inputs in session.inputs("m01-chain-by-hand"):
        value = right(**inputs) if kind(inputs) in groups else dict.fromkeys("abcedf", 0.0)
        outputs.append({"status": "ok", "value": {"value": value, "again": value, "changed": []}})
    session.emit("m01-chain-by-hand", outputs)
for group in ("zero", "size", "plain"): send(group)
tried()
"""
