"""From a later cell, results and verdicts are sent in the name of a check that is over."""

AFTER = r"""
import json, os
channel = int(os.environ["ZEROHERO_GRADING_FD"])
count = len(json.loads(json.load(open("/grading/given/cases.json"))["m01-chain-by-hand"]))
right = {"value": dict.fromkeys("abcedf", 1.0), "again": dict.fromkeys("abcedf", 1.0), "changed": []}
for outputs in ([{"status": "ok", "value": right}] * count, [{"status": "passed", "score": 1}] * count, [{"status": "ok", "value": None, "truth": None}] * count):
    for event in ("outputs", "cell", "report"):
        line = {"event": event, "exercise": "m01-chain-by-hand", "outputs": json.dumps(outputs), "index": 1, "status": "ok", "error": ""}
        os.write(channel, ("\n" + json.dumps(line) + "\n").encode())
tried()
"""
