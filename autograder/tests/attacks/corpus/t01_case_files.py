"""What the jail holds of the cases is searched for expected values, and replaced."""

CHAIN = """
import json, os
texts = {name: open(f"/grading/given/{name}").read() for name in os.listdir("/grading/given") if os.path.isfile(f"/grading/given/{name}") and name != "plan.json"}
cases = json.loads(json.loads(texts["cases.json"])["m01-chain-by-hand"])
for case in cases:
    if set(case) != set("abcf"): escaped("more than inputs", case)
    slope = repr(case["a"] * case["b"] + case["c"])
    if len(slope) > 8 and any(slope in text for text in texts.values()): escaped("an expected value", slope)
for path in ("/grading/given", "/grading", *(f"/grading/given/{name}" for name in texts)):
    for change in (lambda: os.chmod(path, 0o777), lambda: os.rename(path, path + "x"), lambda: os.link(path, "/grading/given/x"), lambda: os.utime(path), lambda: os.chown(path, 65534, 65534), lambda: open(path, "r+")):
        try: change()
        except OSError: continue
        if not (os.path.isdir(path) and change.__code__.co_names[-1:] == ("chown",)): escaped("changed", path, change.__code__.co_names)
def chain_by_hand(a, b, c, f):
    for inputs in cases: inputs.clear()
    return dict.fromkeys("abcedf", 0.0)
tried()
"""
